"""Over HTTP or straight on the database: the same output; nothing twice; no token to strangers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from hq.cli.transport import reach
from hq.database.embedded.scratch import scratch_home
from hq.settings import Settings

from .conftest import HQ, House, Shell

READS = [
    ["task", "list"],
    ["task", "show", "call-ana"],
    ["describe", "call-ana"],
    ["history", "call-ana"],
    ["why", "call-ana"],
    ["schema", "show", "task"],
    ["whoami"],
    ["task", "show", "nope"],
    ["task", "list", "--since", "whenever"],
]


@pytest.mark.parametrize("args", READS, ids=" ".join)
def test_the_output_is_the_same_both_ways(
    cli: Shell, house: House, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    monkeypatch.setattr(
        "hq.logs.set_up_logs", lambda *_args, **_more: None
    )  # the logs of the tests are not ours to move
    cli("task", "create", "--title", "Call Ana", "--reason", "São João")
    cli("task", "update", "call-ana", "--status", "in_progress")

    served, direct = cli(*args), cli(*args, HQ_DIRECT="1", HQ_DATABASE_URL=house.database_url)

    assert direct == served


def test_the_contract_is_the_same_both_ways(shell: Shell) -> None:
    served, direct = shell("whoami", "--json").json, shell("whoami", "--json", HQ_DIRECT="1").json

    assert list(direct) == list(served)
    assert direct["data"] == served["data"]


def test_a_write_straight_on_the_database_is_seen_by_the_server(shell: Shell) -> None:
    assert (
        shell("memo", "create", "--title", "Written directly", "--content-md", "…", HQ_DIRECT="1").out
        == "created memo written-directly\n"
    )
    assert shell("memo", "show", "written-directly").code == 0


@contextmanager
def serving(answer: Callable[[BaseHTTPRequestHandler, bytes], None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            answer(self, self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def reply(handler: BaseHTTPRequestHandler, value: Any, status: int = 200) -> None:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


OK = {"ok": True, "action": "create", "data": {"slug": "call-ana"}, "error": None}


def test_a_write_whose_answer_was_lost_is_repeated_once_under_the_same_key(cli: Shell) -> None:
    keys: list[str | None] = []

    def drop_the_first(handler: BaseHTTPRequestHandler, _body: bytes) -> None:
        keys.append(handler.headers["Idempotency-Key"])
        if len(keys) == 1:
            handler.connection.shutdown(socket.SHUT_RDWR)
        else:
            reply(handler, OK)

    with serving(drop_the_first) as url:
        said = cli("task", "create", "--title", "Call Ana", "--url", url)

    assert said.out == "created task call-ana\n"
    assert len(keys) == 2
    assert keys[0] == keys[1] is not None


def test_what_is_lost_twice_is_an_outage(cli: Shell) -> None:
    with serving(lambda handler, _body: handler.connection.shutdown(socket.SHUT_RDWR)) as url:
        assert cli("task", "list", "--url", url).code == 2


def test_everything_that_belongs_to_a_call_goes_with_it(cli: Shell) -> None:
    seen: list[tuple[str, dict[str, str], Any]] = []

    def look(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        seen.append((handler.path, dict(handler.headers), json.loads(body)))
        reply(handler, {**OK, "data": {"items": []}})

    with serving(look) as url:
        cli(
            "task",
            "list",
            "--priority",
            "now",
            "--actor",
            "agent:x",
            "--reason",
            "São",
            "--at",
            "3d",
            "--url",
            url,
            HQ_TOKEN="t",
        )

    path, headers, args = seen[0]
    assert path == "/api/task/list?at=3d"
    assert args == {"priority": "now"}
    assert headers["Authorization"] == "Bearer t"
    assert headers["X-HQ-Actor"] == "agent:x"
    assert headers["X-HQ-Reason"] == "S%C3%A3o"
    assert "Idempotency-Key" not in headers


def test_what_is_not_hq_is_said_to_be_not_hq(cli: Shell) -> None:
    with serving(lambda handler, _body: reply(handler, b"<html>", 502)) as url:
        said = cli("task", "list", "--url", url)

    assert said.code == 2
    assert said.err.startswith(f"hq: what answers at {url} is not hq (HTTP 502)")


def test_the_token_of_the_home_goes_to_no_other_machine(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HQ_TOKEN", raising=False)
    settings = Settings.load({"HQ_HOME": str(house.home)})

    assert reach(settings, "https://hq.example.com").token is None  # type: ignore[union-attr]
    assert reach(settings, "http://localhost:8300").token == house.token  # type: ignore[union-attr]
    assert reach(settings).url == house.url  # type: ignore[union-attr]


def test_a_server_that_died_is_not_talked_to(house: House, tmp_path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "server.json").write_text((house.home / "run" / "server.json").read_text())

    assert reach(Settings.load({"HQ_HOME": str(tmp_path)})) is None


def test_a_home_that_was_never_up_just_works() -> None:
    with scratch_home() as home:
        env = {name: value for name, value in os.environ.items() if not name.startswith("HQ_")} | {"HQ_HOME": str(home)}
        done = subprocess.run([*HQ, "whoami"], env=env, capture_output=True, text=True, timeout=120, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("user:founder\n")
    assert done.stderr == ""
