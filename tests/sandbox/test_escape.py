"""What a hostile program tries, and that it does not get out. Run as root and, from there, as an ordinary user too."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import hq
from hq.errors import Refused
from hq.sandbox import SandboxJob, SandboxLimits, Shared
from tests.support.sandboxes import MISSING, Ground

LONG = 100_000 + os.getpid()
"""Seconds to sleep: a number that tells ours from what other runs of these tests leave to sleep."""

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
ORDINARY = 23457
TMP = Path("/tmp")  # noqa: S108 (pytest's own is closed to others)


async def test_it_writes_its_own_tree_and_reads_what_is_shared(ground: Ground) -> None:
    outcome = await ground.sh("echo mine > file && cat file /shared/doc")

    assert outcome.ok and outcome.stdout == b"mine\nfor all\n"
    assert (ground.mission / "file").read_text() == "mine\n"


@pytest.mark.parametrize(
    "place", ["/shared/doc", "/etc/x", "/usr/x", "/dev/x", "/x", "/proc/sys/kernel/hostname", "/bin/sh"]
)
async def test_nothing_else_is_writable(ground: Ground, place: str) -> None:
    outcome = await ground.sh(f"echo x > {place}")

    assert outcome.exit != 0
    assert (ground.path / "shared" / "doc").read_text() == "for all\n"


async def test_nothing_else_is_visible(ground: Ground) -> None:
    outcome = await ground.sh(f"ls {ground.path} /root /home /var /run /etc/shadow /srv /boot /sys; ls / /etc")

    top, _, etc = outcome.stdout.decode().partition("/etc:")
    assert set(top.split()) - {"/:"} <= {
        "bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "mission", "proc", "sbin", "shared", "tmp", "usr",
    }  # fmt: skip
    assert "shadow" not in etc and "ssh" not in etc.split()


@pytest.mark.parametrize(
    "script",
    [
        "ln -s {top}/missions/two/secret l && cat l",
        "ln -s ../../missions/two/secret l && cat l",
        "cat ../two/secret ../../missions/two/secret",
        "cat /proc/1/root{top}/missions/two/secret",
        "cat /proc/self/root/../..{top}/missions/two/secret",
        "for p in /proc/[0-9]*; do cat $p/root{top}/missions/two/secret $p/cwd/../two/secret; done",
        "for fd in /proc/self/fd/* /proc/1/fd/*; do cat $fd/../two/secret; done",
    ],
)
async def test_no_path_leads_to_another_mission(ground: Ground, script: str) -> None:
    outcome = await ground.sh(script.format(top=ground.path))

    assert b"other" not in outcome.stdout


async def test_what_it_links_to_is_not_followed_by_us_either(ground: Ground) -> None:
    await ground.sh(f"ln -s {ground.path}/missions/two there; mkdir deep; ln -s /etc deep/etc; ln -s / all")

    outcome = await ground.sh("true")

    assert outcome.ok and outcome.usage.disk_mb < 1


async def test_hard_links_out_of_its_tree_cannot_be_made(ground: Ground) -> None:
    outcome = await ground.sh("ln /shared/doc a; ln /bin/sh b; ln /tmp/../shared/doc c; ls")

    assert outcome.stdout == b""


async def test_processes_of_the_host_are_neither_seen_nor_reached(ground: Ground) -> None:
    outcome = await ground.sh(f"ls /proc | grep -c '^[0-9]'; kill -9 {os.getpid()}; ls /proc/{os.getpid()}")

    assert int(outcome.stdout) < 10 and outcome.exit != 0


async def test_it_holds_no_capability_and_gains_none(ground: Ground) -> None:
    outcome = await ground.sh("grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp:' /proc/self/status")

    said = dict(line.split(":\t") for line in outcome.stdout.decode().splitlines())
    assert {said.pop("NoNewPrivs"), said.pop("Seccomp")} == {"1", "2"}
    assert set(said.values()) == {"0" * 16}


async def test_setuid_programs_give_nothing_and_none_can_be_made(ground: Ground) -> None:
    outcome = await ground.sh(
        "cp /bin/sh mine; chmod u+s mine; chmod g+s mine; test -u mine || test -g mine && echo marked;"
        "for s in $(find /usr/bin -perm -4000 | head -5); do head -c1 $s >/dev/null; done; su -c 'echo root' </dev/null"
    )

    assert outcome.stdout == b"" and b"Operation not permitted" in outcome.stderr
    made = await ground.python("import os; os.close(os.open('m', os.O_CREAT | os.O_WRONLY, 0o4755))")
    assert made.exit != 0 and not (ground.mission / "m").exists()


CALLS = {
    "ptrace": ("101", "117", "0, 0, 0, 0"),
    "unshare(user)": ("272", "97", "0x10000000"),
    "unshare(mount)": ("272", "97", "0x20000"),
    "setns": ("308", "268", "0, 0"),
    "clone(newuser)": ("56", "220", "0x10000011, 0, 0, 0, 0"),
    "mount": ("165", "40", "b'x', b'/mission', b'tmpfs', 0, 0"),
    "fsopen": ("430", "430", "b'tmpfs', 0"),
    "open_tree": ("428", "428", "-100, b'/', 1"),
    "chroot": ("161", "51", "b'/mission'"),
    "keyctl": ("250", "219", "0, -3, 0"),
    "bpf": ("321", "280", "0, 0, 0"),
    "io_uring_setup": ("425", "425", "8, 0"),
    "userfaultfd": ("323", "282", "0"),
    "process_vm_readv": ("310", "270", "1, 0, 0, 0, 0, 0"),
    "open_by_handle_at": ("304", "265", "0, 0, 0"),
    "TIOCSTI": ("16", "29", "0, 0x5412, b'x'"),
    "TIOCSTI above 32 bits": ("16", "29", "0, ctypes.c_long(0x100005412), b'x'"),
    "chmod setuid": ("268", "53", "-100, b'/mission', 0o4755"),
}


@pytest.mark.parametrize("name", CALLS)
async def test_a_call_that_could_lead_out_is_refused(ground: Ground, name: str) -> None:
    intel, arm, arguments = CALLS[name]
    number = intel if os.uname().machine == "x86_64" else arm
    outcome = await ground.python(
        f"import ctypes, errno; libc = ctypes.CDLL(None, use_errno=True)\n"
        f"print(libc.syscall({number}, {arguments}), errno.errorcode[ctypes.get_errno()])"
    )

    assert outcome.stdout == b"-1 EPERM\n"


async def test_clone3_is_unknown_so_that_its_flags_cannot_hide(ground: Ground) -> None:
    outcome = await ground.python(
        "import ctypes, errno; libc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.syscall(435, 0, 0), errno.errorcode[ctypes.get_errno()])"
    )

    assert outcome.stdout == b"-1 ENOSYS\n"


async def test_tools_that_mount_or_nest_fail(ground: Ground) -> None:
    outcome = await ground.sh(
        "unshare -Ur id; unshare -n true; mount -t tmpfs x /mission; bwrap --ro-bind / / true; echo $?"
    )

    assert outcome.stdout == b"1\n"


@pytest.mark.parametrize(
    ("family", "kind"), [("AF_VSOCK", "SOCK_STREAM"), ("AF_PACKET", "SOCK_RAW"), ("AF_ALG", "SOCK_SEQPACKET")]
)
async def test_sockets_that_no_namespace_holds_are_refused(ground: Ground, family: str, kind: str) -> None:
    outcome = await ground.python(f"import socket as s; s.socket(s.{family}, s.{kind})")

    assert b"Address family not supported" in outcome.stderr


async def test_the_hosts_sockets_are_out_of_reach(ground: Ground) -> None:
    with socket.socket(socket.AF_UNIX) as abstract, socket.socket() as port, socket.socket(socket.AF_UNIX) as named:
        abstract.bind("\0hq-escape")
        named.bind(str(ground.path / "socket"))
        port.bind(("127.0.0.1", 0))
        for each in (abstract, named, port):
            each.listen()
        outcome = await ground.python(
            "import socket as s\n"
            f"for family, to in ((s.AF_UNIX, '\\0hq-escape'), (s.AF_UNIX, '{ground.path}/socket'),"
            f" (s.AF_INET, {port.getsockname()!r}), (s.AF_INET, ('192.0.2.1', 80)), (s.AF_INET, ('169.254.169.254', 80))):\n"
            "    try: s.socket(family).connect(to); print('reached', to)\n"
            "    except OSError as e: pass"
        )

    assert outcome.ok and outcome.stdout == b""


async def test_it_has_no_terminal(ground: Ground) -> None:
    outcome = await ground.sh("echo x > /dev/tty; tty")

    assert b"not a tty" in outcome.stdout and b"/dev/tty" in outcome.stderr


async def test_nothing_is_ever_mounted_below_the_mission(ground: Ground) -> None:
    """CVE-2026-87766: bubblewrap would follow a link that the program left there."""
    await ground.sh(f"ln -s /oldroot{ground.path} evil")

    for place in ("/mission", "/mission/evil/new", "/mission/../mission/evil", "/", "/proc", "relative", "/usr"):
        with pytest.raises(Refused):
            await ground.run(["true"], shared=[Shared(ground.path / "shared", place)])

    assert not (ground.path / "new").exists()


async def test_a_mission_that_is_itself_a_link_is_refused(ground: Ground) -> None:
    shutil.rmtree(ground.mission)
    ground.mission.symlink_to(ground.path / "missions" / "two")

    with pytest.raises(Refused):
        await ground.sh("cat secret")


async def test_nothing_of_our_environment_is_passed_on(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HQ_TOKEN", "hq_founder_secret")

    outcome = await ground.sh("env; cat /proc/*/environ", env={"ASKED": "yes"})

    assert b"hq_founder" not in outcome.stdout and b"ASKED=yes" in outcome.stdout


async def test_its_environment_shows_in_no_list_of_processes(ground: Ground) -> None:
    async with ground.sandbox.start(SandboxJob(["sleep", "20"], ground.mission, env={"KEY": "s3cr3t-value"})):
        assert running("sleep\x0020") and not running("s3cr3t-value")


async def test_ld_preload_does_not_reach_bubblewrap_itself(ground: Ground) -> None:
    outcome = await ground.sh("echo ran", env={"LD_PRELOAD": str(ground.mission / "evil.so"), "PATH": "/mission"})

    assert outcome.stdout == b"ran\n" and b"evil.so" in outcome.stderr  # the program's own loader looks for it, in vain


@pytest.mark.parametrize(
    "script",
    [
        "bomb() { bomb | bomb & }; bomb; sleep 20",
        "for i in $(seq 30); do sleep 20 & done; wait",
        "for i in $(seq 30); do setsid nohup sleep 20 & done; sleep 20",
    ],
)
async def test_too_many_processes_end_all_of_them(ground: Ground, script: str) -> None:
    outcome = await ground.sh(script, limits=SandboxLimits(runtime_seconds=30))

    assert outcome.killed_by == "processes" and "10 are allowed" in outcome.why
    assert outcome.usage.seconds < 10


async def test_threads_are_not_processes(ground: Ground) -> None:
    outcome = await ground.python(
        "import threading, time; [threading.Thread(target=time.sleep, args=(0.4,)).start() for _ in range(40)]"
    )

    assert outcome.ok


async def test_memory_of_one_process_is_refused_by_the_kernel(ground: Ground) -> None:
    outcome = await ground.python("b = bytearray(600 << 20)", limits=SandboxLimits(memory_mb=256))

    assert outcome.exit == 1 and b"MemoryError" in outcome.stderr


async def test_memory_of_several_together_ends_them(ground: Ground) -> None:
    hog = "python3 -c 'import time; b = bytearray(b\"x\") * (90 << 20); time.sleep(20)' &"
    outcome = await ground.sh(hog * 4 + "wait", limits=SandboxLimits(memory_mb=256))

    assert outcome.killed_by == "memory"


async def test_memory_behind_a_descriptor_counts_too(ground: Ground) -> None:
    outcome = await ground.python(
        "import os, time; f = os.memfd_create('x')\nfor _ in range(300): os.write(f, b'x' * (1 << 20))\ntime.sleep(20)",
        limits=SandboxLimits(memory_mb=128),
    )

    assert outcome.killed_by == "memory"


async def test_one_large_file_is_stopped_by_the_kernel(ground: Ground) -> None:
    outcome = await ground.sh("dd if=/dev/zero of=big bs=1M count=200 status=none", limits=SandboxLimits(disk_mb=32))

    assert outcome.exit != 0
    assert (ground.mission / "big").stat().st_size <= 32 << 20


@pytest.mark.parametrize(
    "script",
    [
        "for i in $(seq 400); do dd if=/dev/zero of=f$i bs=1M count=2 status=none; done; sleep 20",
        "mkdir shut; cd shut; for i in $(seq 40); do dd if=/dev/zero of=f$i bs=1M count=2 status=none; done; chmod 0 ../shut; sleep 20",
        "cd /tmp; for i in $(seq 400); do dd if=/dev/zero of=f$i bs=1M count=2 status=none; done; sleep 20",
        "for i in $(seq 40); do exec {fd}>gone; rm gone; dd if=/dev/zero bs=1M count=2 status=none >&$fd; done; sleep 20",
    ],
    ids=["many files", "a closed directory", "tmp", "files without a name"],
)
async def test_filling_the_disk_ends_it(ground: Ground, script: str) -> None:
    outcome = await ground.sh(script, limits=SandboxLimits(disk_mb=32, runtime_seconds=30))

    assert outcome.killed_by == "disk"


async def test_directories_without_end_neither_hide_anything_nor_stay(ground: Ground) -> None:
    dig = "import os, time\nfor _ in range({}): os.mkdir('d'); os.chdir('d')\ntime.sleep(20)"
    outcome = await ground.python(dig.format(3000), limits=SandboxLimits(runtime_seconds=30))
    in_tmp = await ground.python(
        "import os; os.chdir('/tmp')\n" + dig.format(3000), limits=SandboxLimits(runtime_seconds=30)
    )

    assert outcome.killed_by == in_tmp.killed_by == "disk" and "nested" in outcome.why
    assert list((ground.path / "scratch").iterdir()) == []


async def test_time_ends_it_and_what_it_left_behind(ground: Ground) -> None:
    outcome = await ground.sh(
        f"setsid nohup sleep {LONG} & setsid sleep {LONG}", limits=SandboxLimits(runtime_seconds=1)
    )

    assert outcome.killed_by == "runtime" and outcome.usage.seconds < 3
    assert not running(f"sleep\x00{LONG}")


async def test_what_runs_on_behind_the_program_ends_with_it(ground: Ground) -> None:
    outcome = await ground.sh(f"setsid nohup sleep {LONG} >/dev/null 2>&1 & exit 3")

    assert outcome.exit == 3 and not running(f"sleep\x00{LONG}")


async def test_when_we_die_it_dies(ground: Ground) -> None:
    script = (
        "import asyncio, sys; from pathlib import Path; from hq.sandbox import Sandbox, SandboxJob\n"
        "top = Path(sys.argv[1])\n"
        f"asyncio.run(Sandbox(top / 'scratch').run(SandboxJob(['sh', '-c', 'echo up; exec sleep {LONG}'], top / 'missions' / 'one'),"
        " lambda *_: print('up', flush=True)))"
    )
    child = subprocess.Popen([sys.executable, "-c", script, str(ground.path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout and child.stdout.readline() == "up\n"
    await until(lambda: running(f"sleep\x00{LONG}"))

    child.send_signal(signal.SIGKILL)
    child.wait()

    await until(lambda: not running(f"sleep\x00{LONG}"))


async def until(so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not so():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


def running(command: str) -> bool:
    return any(command.encode() in path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists())


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="this is already an ordinary user")
@pytest.mark.parametrize("suite", ["test_escape.py", "test_sandbox.py"])
def test_all_of_this_holds_for_an_ordinary_user_too(suite: str) -> None:
    with tempfile.TemporaryDirectory(dir=TMP) as home:
        shutil.chown(home, ORDINARY, ORDINARY)
        tests = ["-m", "pytest", "-q", "--tb=native", Path(__file__).with_name(suite)]
        done = as_ordinary_user([readable_python(home), *tests], home)

    assert done.returncode == 0, done.stdout[-4000:]


def as_ordinary_user(command: list[str | Path], home: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("HQ_TEST_RUN", "PYTEST_XDIST_WORKER")}
    known = os.pathsep.join([str(Path(hq.__file__).parents[1]), sysconfig.get_path("purelib")])
    account = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups", "--inh-caps=-all"]
    return subprocess.run(
        [*account, *command],
        check=False, capture_output=True, text=True, timeout=280, cwd=Path(__file__).parents[2],
        env=kept | {"HOME": home, "TMPDIR": home, "PYTHONPATH": known, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip


def readable_python(home: str) -> str:
    """This Python, or the system's own of the same version where this one lies in root's home."""
    for python in (sys.executable, "/usr/bin/python3"):
        check = "import sys, subprocess, hq, pytest; sys.exit(subprocess.call([sys.executable, '-c', '']))"
        if as_ordinary_user([python, "-c", check], home).returncode == 0:
            return python
    pytest.skip("no Python here that an ordinary user could run the tests with")
