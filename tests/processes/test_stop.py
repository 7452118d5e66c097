"""The end of `hq up`: soon, in order and for certain, whatever is under way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
import requests

from hq.cli import down
from hq.sessions.runner import REST, RESTS
from hq.stop_guard import STOPS_WITHIN
from tests.processes.houses import PATIENCE, House, until
from tests.support.sshd import Sshd

HANGS = """
import asyncio, threading, time
from hq.settings import Settings
from hq import stop_guard
stop_guard.STOPS_WITHIN = 0.5
guard = stop_guard.StopGuard(Settings.load())
guard.begin()
{hang}
"""


WATCHED = """
import asyncio, re
from hq.settings import Settings
from hq import stop_guard

async def main():
    watching = asyncio.create_task(stop_guard.StopGuard(Settings.load()).watch())
    await asyncio.sleep({lives})
    {then}

asyncio.run(main())
"""


def test_idle_after_its_first_session_it_stops_at_once(house: House):
    with house.up(HQ_LOG_LEVEL="debug") as up:
        house.call(up.url, "chat.say", text="Hello")
        until(lambda: len(house.call(up.url, "chat.history")["items"]) > 1)
        until(lambda: house.call(up.url, "chat.status")["state"] == "ready")
        until(lambda: RESTS in house.settings.log_file.read_text())

        asked = time.monotonic()
        assert up.end(signal.SIGTERM) == 0
        took = time.monotonic() - asked

    assert took < REST / 2, "a worker that rests does not wait until it would have looked again"


@contextmanager
def silent_mind() -> Iterator[tuple[str, list[socket.socket]]]:
    """A provider that takes every request and never answers; who came."""
    came: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def take() -> None:
            with suppress(OSError):
                while True:
                    came.append(listener.accept()[0])

        threading.Thread(target=take, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1", came
        listener.shutdown(socket.SHUT_RDWR)
    for each in came:
        each.close()


@pytest.mark.slow
def test_a_session_a_coding_program_and_a_call_over_ssh_do_not_hold_it_up(house: House, sshd: Sshd, tmp_path: Path):
    began = tmp_path / "began"

    def leave_calling(verb: str, **args: object) -> None:
        def call() -> None:
            with suppress(requests.RequestException):
                house.post(up.url, verb, **args)

        threading.Thread(target=call, daemon=True).start()

    with house.up() as up, silent_mind() as (url, came):
        house.call(up.url, "mind.set", name="silent", provider="compatible", model="mute", base_url=url, seconds=600)
        sshd.admit(house.call(up.url, "ssh.keygen", name="ssh/cube")["public_key"])
        house.call(
            up.url, "ssh.allow", name="cube", address="127.0.0.1", port=sshd.port, user=sshd.user, key="ssh/cube",
            host_key=[sshd.host_key],
        )  # fmt: skip
        house.call(up.url, "workspace.create", name="shop")
        house.call(up.url, "chat.say", text="Think about the shop for a long time")
        until(lambda: came)
        leave_calling("code.execute", workspace="shop", prompt="Write hello.py", cli="chat")
        leave_calling("ssh.exec", host="cube", command=f"echo $$ > {began}; exec sleep 170", timeout=600)
        until(lambda: len(came) > 1 and began.exists() and began.read_text().strip())

        asked = time.monotonic()
        up.process.send_signal(signal.SIGTERM)
        code = up.process.wait(2 * PATIENCE)
        took = time.monotonic() - asked
        os.kill(int(began.read_text()), signal.SIGKILL)  # over there nobody is told that nobody listens any more

    assert code == 0, "in order, not by force"
    assert took < STOPS_WITHIN
    assert '"stopped"' in house.settings.log_file.read_text()
    assert not house.database.running()
    house.database.start()
    with psycopg.connect(house.database.url) as conn:
        states = conn.execute("select state, holder from ops.sessions where kind = 'thread'").fetchall()
    house.database.stop()
    assert states == [("queued", None)], "handed back: whoever comes next goes on with it at once"


@pytest.mark.parametrize(
    "hang",
    [
        "asyncio.run(asyncio.to_thread(time.sleep, 600))",
        "threading.Thread(target=time.sleep, args=[600]).start()",
        "while True: pass",
    ],
    ids=["a thread that a call waits for", "a thread at the end", "a loop that never yields"],
)
def test_what_cannot_be_called_off_is_ended_by_force_and_the_log_says_where_it_was(tmp_path: Path, hang: str):
    (tmp_path / "logs").mkdir()
    env = {"HQ_HOME": str(tmp_path), "HQ_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", "PATH": "/usr/bin"}

    ended = subprocess.run([sys.executable, "-c", HANGS.format(hang=hang)], env=env, timeout=PATIENCE, check=False)

    assert ended.returncode == 1
    (log,) = tmp_path.rglob("*.log")
    assert "Timeout" in log.read_text() and "most recent call first" in log.read_text()


def watched(home: Path, lives: float, then: str) -> int:
    """How a process ends whose loop may stand still for a second."""
    (home / "logs").mkdir()
    env = {"HQ_HOME": str(home), "HQ_STUCK_AFTER": "1", "PATH": "/usr/bin"}
    code = WATCHED.format(lives=lives, then=then)
    return subprocess.run([sys.executable, "-c", code], env=env, timeout=PATIENCE, check=False).returncode


def test_a_process_that_stands_still_says_where_and_ends(tmp_path: Path):
    assert watched(tmp_path, 0.1, "re.match('(a+)+$', 'a' * 60 + '!')") == 1

    (log,) = tmp_path.rglob("*.log")
    assert "Timeout" in log.read_text() and " in main" in log.read_text()


def test_a_process_whose_loop_lives_is_left_alone(tmp_path: Path):
    assert watched(tmp_path, 2.5, "pass") == 0


def test_down_ends_by_force_what_does_not_listen(house: House, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(down, "PATIENCE", 1.0)
    with house.up() as up:
        up.process.send_signal(signal.SIGSTOP)

        said = down.stop(house.settings)

        assert f"(pid {up.process.pid})" in said and "by force" in said
        assert up.process.poll() == -signal.SIGKILL
    assert not house.database.running()


def test_down_says_stopped_when_the_process_is_gone(house: House):
    with house.up() as up:
        assert "stopped" in house.run("down").stdout

        assert up.process.poll() == 0
