"""A sandbox on a ground of its own, and what a shell says in it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from hq.channels.egress.address import Address
from hq.sandbox import Sandbox, SandboxJob, SandboxResult, Shared, paths
from hq.sandbox.dialer import Blocked, Dialer
from hq.sandbox.machine import hand_over
from tests.support.passable import MISSING

__all__ = ["MISSING", "Ground", "TestDialer", "ground"]


class TestDialer(Dialer):
    """Names of the test's own; only this one port of this machine counts as outside."""

    __test__ = False
    NAMES = {"good.test": "127.0.0.1", "evil.test": "127.0.0.1", "meta.good.test": "169.254.169.254",
             "mapped.good.test": "::ffff:10.0.0.5", "home.test": "127.0.0.1"}  # fmt: skip
    port = 0

    async def addresses(self, host: str, port: int) -> list[Address]:
        if host not in self.NAMES:
            raise Blocked("there is no such host")
        return [ip_address(self.NAMES[host])]

    def outside(self, address: Address, port: int) -> bool:
        return port == self.port or super().outside(address, port)


@dataclass
class Ground:
    """Two missions beside each other, something shared, and a sandbox to run things in the first."""

    path: Path
    dialer: TestDialer

    @property
    def mission(self) -> Path:
        return self.path / "missions" / "one"

    @property
    def sandbox(self) -> Sandbox:
        return Sandbox(self.path / "scratch", self.dialer)

    async def sh(self, script: str, /, **more: Any) -> SandboxResult:
        return await self.run(["/bin/bash", "-c", script], **more)

    async def python(self, script: str, /, **more: Any) -> SandboxResult:
        return await self.run(["/usr/bin/python3", "-c", script], **more)

    async def run(self, argv: list[str], /, **more: Any) -> SandboxResult:
        shared = more.pop("shared", [Shared(self.path / "shared", "/shared")])
        return await self.sandbox.run(SandboxJob(argv, self.mission, shared=shared, **more))


@contextmanager
def ground() -> Iterator[Ground]:
    # Not pytest's own directory: as root that one is closed to the account programs run as.
    top = Path(tempfile.mkdtemp(prefix="hqsandbox-", dir="/tmp"))
    top.chmod(0o711)
    try:
        for name in ("missions/one", "missions/two", "shared", "metadata"):
            (top / name).mkdir(parents=True)
        (top / "missions" / "two" / "secret").write_text("other")
        (top / "shared" / "doc").write_text("for all\n")
        hand_over(top / "missions" / "one")
        yield Ground(top, TestDialer())
    finally:
        paths.remove(top)
