"""System calls a sandboxed program is refused: a filter for the kernel, made here so that no library has to be installed.

What isolates is the namespaces; this closes the doors in them: tracing others, mounting, new namespaces, kernel modules,
typing into a terminal, set-user-id bits, and socket families that no network namespace holds (vsock is one).
"""

from __future__ import annotations

import errno
import os
import platform
import struct
from dataclasses import dataclass

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, JUMP_EQ, JUMP_GT, JUMP_GE, JUMP_ANY, RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
X32 = 0x40000000

NEW_NAMESPACE = 0x7E020000  # every CLONE_NEW* that clone knows
SET_ID = 0o6000
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
FAMILIES = (0, 1, 2, 10, 16)  # unspecified, unix, inet, inet6, netlink
LARGEST_SEGMENT = 64 << 10  # System V memory that nobody has attached is seen by no one, so there is little of it

# name: number on x86_64, number on aarch64
REFUSED: dict[str, tuple[int | None, int]] = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "fanotify_init": (300, 262),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429),
    "open_tree": (428, 428), "open_tree_attr": (467, 467), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "unshare": (272, 97), "setns": (308, 268), "sethostname": (170, 161), "setdomainname": (171, 162),
    "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "acct": (163, 89), "quotactl": (179, 60), "quotactl_fd": (443, 443), "syslog": (103, 116), "vhangup": (153, 58),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266), "adjtimex": (159, 171),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "lookup_dcookie": (212, 18),
    "iopl": (172, -1), "ioperm": (173, -1), "modify_ldt": (154, -1), "uselib": (134, -1),
}  # fmt: skip
# Said not to exist, so that programs take the older call, whose arguments a filter can see.
UNKNOWN: dict[str, tuple[int, int]] = {"clone3": (435, 435), "openat2": (437, 437)}
# The argument that holds a file's mode.
MODES: dict[str, tuple[int, int, int]] = {
    "chmod": (90, -1, 1), "fchmod": (91, 52, 1), "fchmodat": (268, 53, 2), "fchmodat2": (452, 452, 2),
    "open": (2, -1, 2), "openat": (257, 56, 3), "creat": (85, -1, 1), "mknod": (133, -1, 1), "mknodat": (259, 33, 2),
}  # fmt: skip
CLONE, IOCTL, SOCKET, SHMGET = (56, 220), (16, 29), (41, 198), (29, 194)


@dataclass(frozen=True)
class Architecture:
    column: int
    audit: int


ARCHITECTURES = {"x86_64": Architecture(0, 0xC000003E), "aarch64": Architecture(1, 0xC00000B7)}


def available() -> bool:
    return platform.machine() in ARCHITECTURES


def filter_file() -> int:
    """A descriptor with the filter in it, as bubblewrap takes it."""
    descriptor = os.memfd_create("seccomp", 0)
    os.write(descriptor, _program(ARCHITECTURES[platform.machine()]))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _program(here: Architecture) -> bytes:
    steps = [
        _step(LOAD, ARCHITECTURE),
        _step(JUMP_EQ, here.audit, 1, 0),
        _step(RETURN, KILL),  # another architecture's calls have other numbers
        _step(LOAD, NUMBER),
    ]
    if here.column == 0:
        steps += [_step(JUMP_GE, X32, 0, 1), _step(RETURN, ERRNO | errno.ENOSYS)]
    for table, answer in ((REFUSED, errno.EPERM), (UNKNOWN, errno.ENOSYS)):
        for numbers in table.values():
            steps += _on(numbers[here.column], [_step(RETURN, ERRNO | answer)])
    for *numbers, argument in MODES.values():
        steps += _on(numbers[here.column], _if(argument, JUMP_ANY, SET_ID, errno.EPERM))
    steps += _on(CLONE[here.column], _if(0, JUMP_ANY, NEW_NAMESPACE, errno.EPERM))
    steps += _on(
        IOCTL[here.column], _if(1, JUMP_EQ, TIOCSTI, errno.EPERM)[:-1] + _if(1, JUMP_EQ, TIOCLINUX, errno.EPERM)
    )
    steps += _on(SHMGET[here.column], _if(1, JUMP_GT, LARGEST_SEGMENT, errno.ENOMEM))
    known = [step for family in FAMILIES for step in (_step(JUMP_EQ, family, 0, 1), _step(RETURN, ALLOW))]
    steps += _on(SOCKET[here.column], [_load(0), *known, _step(RETURN, ERRNO | errno.EAFNOSUPPORT)])
    return b"".join([*steps, _step(RETURN, ALLOW)])


def _on(number: int | None, then: list[bytes]) -> list[bytes]:
    """For this call, these steps, which end with an answer; other calls pass them by."""
    if number is None or number < 0:
        return []
    return [_step(JUMP_EQ, number, 0, len(then)), *then]


def _if(argument: int, test: int, value: int, answer: int) -> list[bytes]:
    return [_load(argument), _step(test, value, 0, 1), _step(RETURN, ERRNO | answer), _step(RETURN, ALLOW)]


def _load(argument: int) -> bytes:
    """The lower half of an argument: flags, modes and families fit into it, and the kernel looks at no more of them."""
    return _step(LOAD, ARGUMENTS + 8 * argument)


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)
