"""A worker that dies on demand: runs one session, and kills itself at a given trip to the database or to the outside.

`python dying.py <database> <home> <outside>` loads everything once and then obeys lines of JSON, each in a fork of its
own: {"die": …}, where trips are counted when each is over and 0 lets it live; or {"stop": true}, to be left alone.
Answers with {"trips": …, "killed": …} when it is over, or at once with {"pid": …}.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

from hq import app
from hq.agents.session_services import SessionServices
from hq.database.address import Address
from hq.door.access import EVERYONE
from hq.door.caller import Caller
from hq.door.toolset import may_use, tools_of
from hq.door.tx import Tx
from hq.door.verb import Args, Registry, Result, first, verb
from hq.engine.sessions.leases import Leases
from hq.minds.mind import Reply, TokenUsage
from hq.minds.policy import TierDecision
from hq.sessions.config import AgentConfig
from hq.sessions.reservation import NoReservation
from hq.sessions.runner import Runner

URL, HOME, OUTSIDE = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
DONE = '<task-complete reason="done"/>'
PATIENCE = 60.0


class Hit(Args):
    """Where."""

    path: str = first(max_length=200)
    """Which counter."""


class Struck(Result):
    count: str


@verb("probe.hit", "effect", for_=EVERYONE, gate="internal", examples=[{"path": "x"}])
async def hit(tx: Tx, args: Hit) -> Struck:
    """Count one up, outside."""
    at_boundary()
    answer = await asyncio.to_thread(_post, args.path)
    at_boundary()
    return Struck(count=answer)


def _post(path: str) -> str:
    conn = http.client.HTTPConnection(OUTSIDE, timeout=60)
    conn.request("POST", f"/{path}")
    return conn.getresponse().read().decode()


class Trips:
    made = 0
    die_at = 0


def at_boundary() -> None:
    Trips.made += 1
    if Trips.made == Trips.die_at:
        os.kill(os.getpid(), signal.SIGKILL)


class Mind:
    """Makes a task, reaches outside twice, looks, and is done. Like any mind it knows only what was said."""

    name = "told"

    async def answer(self, ask: Any, *, on_text: Any = None) -> Reply:
        turn = sum(isinstance(message, ModelResponse) for message in ask.messages)
        name = str(ask.messages[0].parts[0].content).partition("<message>")[2].partition("<")[0]
        lines: list[Any] = [
            [("hq_task", {"action": "create", "title": name})],
            [
                ("hq_probe", {"action": "hit", "path": f"{name}-one"}),
                ("hq_probe", {"action": "hit", "path": f"{name}-two"}),
            ],
            [("hq_task", {"action": "list", "limit": 1})],
            DONE,
        ]
        says = lines[min(turn, len(lines) - 1)]
        parts: list[Any] = (
            [TextPart(content=says)]
            if isinstance(says, str)
            else [ToolCallPart(tool_name=t, args=a, tool_call_id=f"call-{turn}-{n}") for n, (t, a) in enumerate(says)]
        )
        at_boundary()
        return Reply(ModelResponse(parts=parts), self.name, TokenUsage(100, 10), None, 1.0)


class House(SessionServices):
    async def config(self, claimed: Any) -> AgentConfig:
        return AgentConfig(claimed.agent, "You are a test.", remembers=False)

    async def tier(self, claimed: Any, config: Any) -> TierDecision:
        return TierDecision("default", "a test")

    async def mind(self, claimed: Any, ask: Any) -> Any:
        return Mind()

    async def budget(self, claimed: Any, ask: Any, config: Any) -> Any:
        return NoReservation()


async def run() -> None:
    async with app.open_door(Address(URL), vault_file=HOME / "vault.key", pool_size=3) as door:
        leases = Leases(door.pool, door.clock)
        runner = Runner(House(door, None), door.pool.conninfo, leases, room=1)  # type: ignore[arg-type]
        beating = asyncio.create_task(runner._beat())
        await runner.run_once()
        beating.cancel()


def in_a_fork(order: dict[str, Any]) -> dict[str, Any]:
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        Trips.made, Trips.die_at = 0, order.get("die", 0)
        wait = psycopg.AsyncConnection.wait

        async def counted(self: Any, *args: Any, **more: Any) -> Any:
            found = await wait(self, *args, **more)
            at_boundary()  # what was done on the other side by now is done; before the next trip nothing else is
            return found

        psycopg.AsyncConnection.wait = counted  # type: ignore[method-assign]
        try:
            asyncio.run(run())
        finally:
            os.write(into, str(Trips.made).encode())
            os._exit(0)
    os.close(into)
    if order.get("stop"):
        return {"pid": child}
    status = _ended(child)
    told = os.read(out, 100).decode()
    os.close(out)
    return {"trips": int(told or 0), "killed": os.WIFSIGNALED(status)}


def _ended(child: int) -> int:
    """Its wait status. One that hangs is ended, and this process with it, so that no test waits for either."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise TimeoutError(f"a session was not over after {PATIENCE:.0f} s")


def main() -> None:
    known = Registry([*app.registry(), hit], {**app.registry().nouns, hit.noun: "What is hit."})
    types = app.catalogue()
    app.registry, app.catalogue = lambda: known, lambda: types  # type: ignore[assignment]
    nobody, scopes = UUID(int=0), frozenset({"read", "write", "effect", "session.close", "incident.raise"})
    agent = Caller(nobody, nobody, nobody, "agent", "agent:scout", scopes, None, None, "balanced", False)
    tools_of(known, may_use(known, agent))  # made once here, not in every fork
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what is logged does not belong among the answers
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(in_a_fork(json.loads(line))), file=answers, flush=True)


main()
