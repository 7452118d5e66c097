"""What the tests of killed and cut-off workers share: workers that obey, an outside that counts, a scene to check."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psycopg

from tests.support.company import Hq

DYING = Path(__file__).with_name("dying.py")


@dataclass
class Outside:
    """Counts what reaches it. While `held`, whoever knocks waits."""

    url: str
    counts: Counter[str]
    knocked: threading.Event
    open: threading.Event


@contextmanager
def outside():
    counts: Counter[str] = Counter()
    told = Outside("", counts, threading.Event(), threading.Event())
    told.open.set()

    class Counting(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            counts[self.path.strip("/")] += 1
            told.knocked.set()
            told.open.wait(60)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"1")

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Counting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    told.url = f"127.0.0.1:{server.server_address[1]}"
    try:
        yield told
    finally:
        told.open.set()
        server.shutdown()
        server.server_close()


class Workers:
    """Forks that run one session each, as they are told."""

    def __init__(self, address, home: Path, url: str, within: Sequence[str] = ()) -> None:
        self.process = subprocess.Popen(
            [*within, sys.executable, DYING, address.url, home, url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._line() == "ready"

    def run(self, **order: Any) -> dict[str, Any]:
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return json.loads(self._line())

    def _line(self) -> str:
        return self.process.stdout.readline().strip()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(60)


@dataclass
class Scene:
    hq: Hq
    workers: Workers
    outside: Outside

    async def ask(self, name: str) -> str:
        return (await self.hq.do("agent.send", agent="scout", text=name))["session"]

    async def lease_over(self) -> None:
        """As if it had run out: time does not have to pass for that."""
        async with await psycopg.AsyncConnection.connect(self.hq.address.url, autocommit=True) as conn:
            await conn.execute(
                "update ops.sessions set lease_until = now() - interval '1 hour' where state = 'running'"
            )

    async def steps(self, session: str) -> list[dict[str, Any]]:
        return [item["payload"] | {"kind": item["kind"]} for item in await self._replay(session)]

    async def _replay(self, session: str) -> list[dict[str, Any]]:
        return (await self.hq.do("session.replay", id=session, limit=200))["items"]

    async def check(self, session: str, name: str) -> set[str]:
        """It is done, its task is there once, each effect happened once or is told as unknown. Says what was unknown."""
        shown = await self.hq.do("session.show", id=session)
        assert shown["state"] == "done", shown
        tasks = [t for t in (await self.hq.do("task.list", limit=200))["items"] if t["title"] == name]
        assert len(tasks) == 1
        verbs = [step for step in await self.steps(session) if step["kind"] == "verb"]
        assert len({step["call"] for step in verbs}) == len(verbs) == 4
        unknown = set()
        for step, path in zip([s for s in verbs if s["verb"] == "probe.hit"], ("one", "two"), strict=True):
            count = self.outside.counts[f"{name}-{path}"]
            if step["ok"]:
                assert count == 1
            else:
                assert step["error"]["code"] == "unknown_outcome" and count <= 1
                unknown.add(path)
        return unknown


async def ended(pid: int) -> None:
    """A fork of a fork: it is not ours to wait for, but it is there until it is not."""
    async with asyncio.timeout(30):
        while _alive(pid):
            await asyncio.sleep(0.02)


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"
