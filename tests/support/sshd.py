"""A real sshd of the test's own: its keys, its port, on this machine alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hq.cli.demo import sshd as real
from hq.cli.demo.sshd import Sshd

__all__ = ["Sshd", "cube", "serving", "sshd"]


@contextmanager
def serving(home: Path) -> Iterator[Sshd]:
    if real.missing():
        pytest.skip("no sshd here: scripts/system-packages installs one")
    with real.serving(home) as running:
        yield running


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with serving(tmp_path_factory.mktemp("sshd")) as running:
        yield running


@pytest.fixture
async def cube(hq, sshd: Sshd) -> Sshd:
    """A machine on the list, with a key made in the vault."""
    made = await hq.do("ssh.keygen", name="ssh/cube")
    sshd.admit(made["public_key"])
    await hq.do(
        "ssh.allow", name="cube", address="127.0.0.1", port=sshd.port, user=sshd.user, key="ssh/cube",
        host_key=[sshd.host_key],
    )  # fmt: skip
    return sshd
