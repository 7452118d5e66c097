"""Sockets that listen inside a sandbox's own network, held by us: how anything gets out of it at all.

A short helper process steps into the namespace while the program is held back, opens the ports and hands them over. So
nothing of ours runs inside, and there is no socket in the file system to be found.
"""

from __future__ import annotations

import array
import asyncio
import socket
import subprocess
import sys
from collections.abc import Sequence

from hq.errors import Outage

# The user namespace to enter is the one that owns the network, which is not the one the program ends up in.
ENTER = """
import array, ctypes, fcntl, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def enter(namespace, kind):
    if libc.setns(namespace, kind):
        raise OSError(ctypes.get_errno(), "setns")
network = os.open("/proc/%s/ns/net" % sys.argv[1], os.O_RDONLY)
owner = fcntl.ioctl(network, 0xB701)
if os.fstat(owner).st_ino != os.stat("/proc/self/ns/user").st_ino:
    enter(owner, 0x10000000)
enter(network, 0x40000000)
"""
HELPER = f"""{ENTER}
sockets = []
for port in sys.argv[3:]:
    sockets.append(socket.socket())
    sockets[-1].bind(("127.0.0.1", int(port)))
    sockets[-1].listen(64)
way = socket.socket(fileno=int(sys.argv[2]))
way.sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [s.fileno() for s in sockets]))])
"""


async def listen_inside(pid: int, ports: Sequence[int]) -> list[socket.socket]:
    """Listening sockets on these ports of the loopback that this process has."""
    return await asyncio.to_thread(_listen, pid, ports)


def _listen(pid: int, ports: Sequence[int]) -> list[socket.socket]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = [sys.executable, "-I", "-S", "-c", HELPER, str(pid), str(theirs.fileno()), *map(str, ports)]
        helper = subprocess.run(
            command, pass_fds=[theirs.fileno()], env={}, capture_output=True, text=True, timeout=30, check=False
        )
        if helper.returncode:
            reason = (helper.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise Outage(f"the sandbox's network could not be opened: {reason}")
        _, given, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(4 * len(ports)))
    descriptors = array.array("i")
    for _, _, data in given:
        descriptors.frombytes(data)
    return [socket.socket(fileno=descriptor) for descriptor in descriptors]
