"""`hq up`, `hq down` and everything that can go wrong between them, with real processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
from pathlib import Path

import psycopg
import pytest
import requests
from psycopg import sql

from hq import locks
from hq.database.address import Address
from tests.processes.houses import PATIENCE, House, until

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def sentence(result) -> str:
    """What a failed command said: one line, no traceback."""
    assert result.stdout == ""
    assert result.stderr.startswith("hq: ") and result.stderr.count("\n") == 1, result.stderr
    return result.stderr


def test_up_says_where_it_is_and_down_stops_everything(house: House):
    with house.up() as up:
        told = json.loads(house.settings.server_file.read_text())
        health = requests.get(f"{up.url}/health", timeout=60).json()
        status = house.run("status")

        stopped = house.run("down")

        assert up.process.wait(PATIENCE) == 0
    assert (told["url"], told["pid"]) == (up.url, up.process.pid)
    assert health["status"] == "ok" and health["parts"]["announcer"]["leading"]
    assert status.returncode == 0 and up.url in status.stdout
    assert stopped.returncode == 0 and "stopped" in stopped.stdout
    assert not house.settings.server_file.exists()
    assert not house.database.running()
    assert house.run("status").returncode == 1


def test_a_stream_that_is_open_does_not_hold_up_the_end(house: House):
    with house.up() as up:
        token = (house.home / "token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        with requests.get(f"{up.url}/api/events", headers=headers, stream=True, timeout=60) as stream:
            lines = stream.iter_lines()
            assert next(lines).startswith(b"retry")

            up.process.send_signal(signal.SIGTERM)

            assert b"event: end" in list(lines)
        assert up.process.wait(PATIENCE) == 0
    assert "graceful shutdown exceeded" not in house.settings.log_file.read_text(), "as for a call that is under way"


def test_the_login_link_works_once(house: House):
    with house.up() as up:
        statuses = [requests.get(up.link, allow_redirects=False, timeout=60).status_code for _ in range(2)]

    assert statuses == [303, 401]


def test_a_second_up_says_so_and_leaves_the_first_alone(house: House):
    with house.up() as up:
        second = house.run("up")

        said = sentence(second)
        assert second.returncode == 1
        assert f"already running on {up.url}" in said and str(up.process.pid) in said
        assert house.call(up.url, "auth.whoami")["actor"] == "user:founder"


def test_ctrl_c_stops_it_in_order(house: House):
    with house.up() as up:
        assert up.end(signal.SIGINT) == 0

    assert not house.database.running()


def test_a_call_under_way_is_finished_before_the_end(house: House):
    with house.up() as up, psycopg.connect(house.database.url) as blocker:
        blocker.execute("lock table ops.agent_actions in access exclusive mode")
        answers: list[object] = []
        calling = threading.Thread(target=lambda: answers.append(house.call(up.url, "task.create", title="Call Ana")))
        calling.start()
        waiting = "select 1 from pg_locks where not granted and mode = 'RowExclusiveLock'"
        until(lambda: blocker.execute(waiting).fetchone())

        up.process.send_signal(signal.SIGTERM)
        until(lambda: "Shutting down" in house.settings.log_file.read_text().rpartition('"ready"')[2])
        blocker.commit()
        calling.join(PATIENCE)

        assert up.process.wait(PATIENCE) == 0
        assert answers and answers[0]["slug"] == "call-ana"


def test_down_without_up_is_no_error(house: House):
    result = house.run("down")

    assert (result.returncode, result.stdout) == (0, "hq is not running\n")


def test_up_in_the_background_comes_back_when_ready(house: House):
    started = house.run("up", "-d")
    status = json.loads(house.run("status", "--json").stdout)
    stopped = house.run("down")

    assert started.returncode == 0, started.stderr
    assert "hq is ready at http://127.0.0.1:" in started.stdout and "/login?code=" in started.stdout
    assert status["running"] and status["health"]["status"] == "ok"
    assert stopped.returncode == 0
    assert list((house.home / "run").glob("up.out")) == []


def test_a_taken_port_is_named_before_anything_is_started(empty: House):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])

        result = empty.run("up", HQ_PORT=port)
        background = empty.run("up", "-d", HQ_PORT=port)

    assert result.returncode == background.returncode == 2
    assert port in sentence(result) and "HQ_PORT" in result.stderr
    assert background.stderr == result.stderr
    assert not (empty.home / "postgres").exists()


def test_a_home_that_is_no_directory_is_one_sentence(tmp_path: Path):
    (tmp_path / "file").touch()

    result = House(tmp_path / "file" / "home").run("up")

    assert result.returncode == 2
    assert "HQ_HOME" in sentence(result)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_home_that_is_not_writable_is_one_sentence(tmp_path: Path):
    tmp_path.chmod(0o500)

    result = House(tmp_path).run("up")

    tmp_path.chmod(0o700)
    assert result.returncode == 2
    assert "HQ_HOME" in sentence(result)


def test_a_wrong_setting_is_one_sentence(empty: House):
    assert "HQ_PORT" in sentence(empty.run("up", HQ_PORT="many"))
    assert "HQ_LOG_LEVEL" in sentence(empty.run("up", HQ_LOG_LEVEL="loud"))
    assert "HQ_HOST" in sentence(empty.run("up", HQ_HOST="203.0.113.7"))


def test_after_kill_9_the_next_up_goes_on(house: House):
    with house.up() as up:
        house.call(up.url, "task.create", title="Call Ana")
        up.end(signal.SIGKILL)
        postmaster = house.database.pid
        assert postmaster and house.run("status").returncode == 1

        with house.up() as again:
            assert house.database.pid == postmaster
            assert house.call(again.url, "task.show", ref="call-ana")["title"] == "Call Ana"
            assert again.end(signal.SIGTERM) == 0

    assert not house.database.running()


def test_after_kill_9_of_everything_nothing_is_lost(house: House):
    with house.up() as up:
        house.call(up.url, "task.create", title="Call Ana")
        postmaster = house.database.pid
        assert postmaster
        up.end(signal.SIGKILL)
        os.kill(postmaster, signal.SIGKILL)

        with house.up() as again:
            assert house.call(again.url, "task.show", ref="call-ana")["title"] == "Call Ana"


def test_down_stops_the_database_a_killed_hq_left(house: House):
    with house.up() as up:
        up.end(signal.SIGKILL)

    result = house.run("down")

    assert result.returncode == 0 and "database" in result.stdout
    assert not house.database.running()


def test_a_database_that_is_killed_comes_back_under_a_running_hq(house: House):
    def answers() -> bool:
        answer = house.post(up.url, "task.show", ref="call-ana")
        assert answer.status_code in (200, 503), answer.text
        return answer.status_code == 200

    with house.up() as up:
        house.call(up.url, "task.create", title="Call Ana")
        postmaster = house.database.pid
        assert postmaster
        os.kill(postmaster, signal.SIGKILL)

        until(lambda: house.database.pid not in (None, postmaster))
        assert until(answers)


def test_a_database_newer_than_the_program_is_refused(house: House):
    house.database.start()
    house.sql("insert into public.hq_schema (version, name, hash) values (9999, 'future', '')")

    result = house.run("up")

    assert result.returncode == 2
    assert "newer hq" in sentence(result)
    assert not house.database.running()


@only_root
def test_a_full_disk_is_one_sentence(empty: House):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m,mode=711", "tmpfs", empty.home], check=True)
    try:
        result = empty.run("up")
    finally:
        subprocess.run(["umount", empty.home], check=True)

    assert result.returncode == 2
    assert "full" in sentence(result)


def test_a_server_of_somebody_elses_is_used_and_left_alone(empty: House, server: Address):
    name = f"hq_other_{os.getpid()}_{os.urandom(4).hex()}"
    with psycopg.connect(server.url, autocommit=True) as conn:
        conn.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        try:
            url = server.database(name).url
            with empty.up(HQ_DATABASE_URL=url) as up:
                assert empty.call(up.url, "task.create", title="Call Ana")["slug"] == "call-ana"
                health = requests.get(f"{up.url}/health", timeout=60).json()
                assert health["parts"]["database"]["kind"] == "external"
                assert up.end(signal.SIGTERM) == 0
            assert conn.execute("select 1").fetchone() == (1,)
            assert empty.run("down", HQ_DATABASE_URL=url).stdout == "hq is not running\n"
        finally:
            conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
    assert not (empty.home / "postgres").exists()


@pytest.mark.parametrize("url", ["postgresql://nobody@127.0.0.1:1/none", "nonsense"])
def test_a_server_that_does_not_answer_is_one_sentence(empty: House, url: str):
    result = empty.run("up", HQ_DATABASE_URL=url)

    assert result.returncode in (1, 2)
    assert "database" in sentence(result).lower()


def test_signals_while_starting_leave_nothing_behind(empty: House):
    process = empty.spawn("up")
    until((empty.home / "postgres" / "life.lock").exists)

    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=120)

    assert process.returncode == 0
    assert not locks.held(empty.home / "postgres" / "life.lock")
    with empty.up() as up:
        assert up.end(signal.SIGTERM) == 0


def test_no_token_is_ever_logged(house: House):
    with house.up(HQ_LOG_LEVEL="debug") as up:
        house.call(up.url, "task.list")
        requests.get(f"{up.url}/login?code=hq_login_abcdefghijklmnop", timeout=60)
        up.end(signal.SIGTERM)

    logged = house.settings.log_file.read_text()
    token = (house.home / "token").read_text().strip()
    assert "ready" in logged
    assert token not in logged and up.link.partition("code=")[2] not in logged and "abcdefghijklmnop" not in logged
    assert house.settings.log_file.stat().st_mode & 0o077 == 0
