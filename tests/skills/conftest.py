"""A machine on the list, and an agent to have skills."""

from __future__ import annotations

import pytest

from sshd import serving


@pytest.fixture(scope="session")
def sshd(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("sshd")) as running:
        yield running


@pytest.fixture
async def cube(hq, sshd):
    made = await hq.do("ssh.keygen", name="ssh/cube")
    sshd.admit(made["public_key"])
    await hq.do(
        "ssh.allow", name="cube", address="127.0.0.1", port=sshd.port, user=sshd.user, key="ssh/cube",
        host_key=[sshd.host_key],
    )  # fmt: skip
    return "cube"


@pytest.fixture
async def sre(hq):
    """The token of an agent that is also a node."""
    return await hq.hired("sre")
