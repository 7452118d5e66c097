"""Ways into a sandbox's own network: connections to what a program serves there.

A socket belongs to the network in which it was made, wherever it is used. So a small process of ours, in that network and in
nothing else of the sandbox, makes them and hands them out; they are connected here. It ends when we do, however that is.
"""

from __future__ import annotations

import array
import asyncio
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from hq.errors import Outage
from hq.sandbox.dialer import Connection
from hq.sandbox.listeners import ENTER

HELPER = f"""{ENTER}
way = socket.socket(fileno=int(sys.argv[2]))
way.send(b".")
while way.recv(1):
    with socket.socket() as made:
        way.sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [made.fileno()]))])
"""
LISTENS = "0A"
"""How the kernel writes down that a socket listens."""
PATIENCE = 30.0


class LoopbackPorts:
    """Connects to ports of one sandbox's loopback."""

    def __init__(self, pid: int, helper: subprocess.Popen[bytes], way: socket.socket) -> None:
        self._pid = pid
        self._helper = helper
        self._way = way
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, pid: int) -> LoopbackPorts:
        """Into the network of this process, which is not yet let go."""
        helper, way = await asyncio.to_thread(_start, pid)
        return cls(pid, helper, way)

    async def connect(self, port: int) -> Connection:
        """A connection to what listens there."""
        loop = asyncio.get_running_loop()
        made = await self._made(loop)
        try:
            await loop.sock_connect(made, ("127.0.0.1", port))
            return await asyncio.open_connection(sock=made)
        except BaseException:
            made.close()
            raise

    def ports(self) -> list[int]:
        """Where something listens by now."""
        return sorted({port for name in ("tcp", "tcp6") for port in _listening(Path(f"/proc/{self._pid}/net/{name}"))})

    async def close(self) -> None:
        self._way.close()
        await asyncio.to_thread(self._helper.wait)

    async def _made(self, loop: asyncio.AbstractEventLoop) -> socket.socket:
        async with self._turn:
            await loop.sock_sendall(self._way, b".")
            return await asyncio.to_thread(self._received)

    def _received(self) -> socket.socket:
        with self._way.dup() as way:
            way.settimeout(PATIENCE)
            _, given, _, _ = way.recvmsg(1, socket.CMSG_SPACE(4))
        if not given:
            raise Outage("the way into the sandbox is closed")
        (descriptor,) = array.array("i", given[0][2])
        made = socket.socket(fileno=descriptor)
        made.setblocking(False)
        return made


def _start(pid: int) -> tuple[subprocess.Popen[bytes], socket.socket]:
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-I", "-S", "-c", HELPER, str(pid), str(theirs.fileno())]
        helper = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], env={}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    ours.settimeout(PATIENCE)
    with suppress(TimeoutError):
        if ours.recv(1):
            assert helper.stderr
            helper.stderr.close()
            ours.setblocking(False)
            return helper, ours
    ours.close()
    helper.kill()
    said = helper.communicate()[1].decode(errors="replace").strip().splitlines()
    raise Outage(f"the sandbox's network could not be opened: {(said or ['no reason given'])[-1]}")


def _listening(table: Path) -> list[int]:
    """Ports in the kernel's table of sockets: local address, remote address, state."""
    try:
        rows = [line.split() for line in table.read_text().splitlines()[1:]]
    except OSError:  # it has ended
        return []
    return [int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == LISTENS]
