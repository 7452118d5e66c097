"""A mind that says what a test tells it to, and a worker that runs sessions on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart

from hq.agents.session_services import SessionServices
from hq.engine.announcer import Announcer
from hq.engine.session_waker import SessionWaker
from hq.engine.sessions.leases import Leases
from hq.minds.mind import MindRequest, Reply, TokenUsage
from hq.minds.policy import TierDecision
from hq.sessions.config import AgentConfig
from hq.sessions.loop.record import SessionEnded
from hq.sessions.reservation import NoReservation
from hq.sessions.runner import Runner
from tests.support.company import Hq
from tests.support.message_order import REFUSED, wrong_in
from tests.support.supervised import Supervised

DONE = '<task-complete reason="done"/>'
Says = str | tuple[str, dict[str, Any]] | list[tuple[str, dict[str, Any]]] | Exception


@dataclass
class Told:
    """Answers with the n-th of its lines, n being how often it has answered: like any mind, it sees only messages."""

    lines: Sequence[Says] | Callable[[MindRequest], Says]
    name: str = "told"
    asked: list[MindRequest] = field(default_factory=list)

    async def answer(self, ask: MindRequest, *, on_text: Any = None) -> Reply:
        self.asked.append(ask)
        if ask.messages and (wrong := wrong_in(ask.messages)):
            REFUSED.append(wrong)
        turn = sum(isinstance(message, ModelResponse) for message in ask.messages)
        says = self.lines(ask) if callable(self.lines) else self.lines[min(turn, len(self.lines) - 1)]
        if isinstance(says, Exception):
            raise says
        return Reply(ModelResponse(parts=_parts(says, turn)), self.name, TokenUsage(100, 10), None, 1.0)


def _parts(says: Says, turn: int) -> list[Any]:
    if isinstance(says, str):
        return [TextPart(content=says)]
    calls = says if isinstance(says, list) else [says]
    return [
        ToolCallPart(tool_name=name, args=args, tool_call_id=f"call-{turn}-{n}") for n, (name, args) in enumerate(calls)
    ]


class Stage(SessionServices):
    """Staff whose mind is the test's."""

    def __init__(self, hq, mind: Told, **config: Any) -> None:
        super().__init__(hq.door, None)  # type: ignore[arg-type]
        self.told = mind
        self.more = config

    async def config(self, claimed):
        return AgentConfig(claimed.agent, "You are a test.", **{"remembers": False, **self.more})

    async def tier(self, claimed, config):
        return TierDecision("default", "a test")

    async def mind(self, claimed, ask):
        return self.told

    async def budget(self, claimed, ask, config):
        return NoReservation()


@dataclass
class Play:
    """Runs an agent's sessions to their next rest."""

    hq: Any
    ended: dict[str, SessionEnded] = field(default_factory=dict)

    async def agent(self, name: str = "scout") -> str:
        return (await self.hq.do("agent.create", name=name, role="Scout"))["slug"]

    def runner(self, lines: Any, **config: Any) -> Runner:
        runner = Runner(
            Stage(self.hq, lines if hasattr(lines, "answer") else Told(lines), **config),
            self.hq.address.app_url,
            Leases(self.hq.door.pool, self.hq.clock),
        )
        runner.ended = lambda claimed, ended: self.ended.__setitem__(str(claimed.id), ended)
        return runner

    async def run(self, lines: Any, text: str = "go", agent: str = "scout", **config: Any) -> tuple[str, SessionEnded]:
        session = (await self.hq.do("agent.send", agent=agent, text=text))["session"]
        await self.runner(lines, **config).run_once()
        return session, self.ended[session]


@pytest.fixture
async def play(own_hq) -> Play:
    made = Play(own_hq)
    await made.agent()
    return made


def texts(messages: Sequence[ModelMessage]) -> list[str]:
    return [str(getattr(part, "content", "")) for message in messages for part in message.parts]


@pytest.fixture
async def house(own_hq) -> Supervised:
    """The shipped agents at work in a company."""
    made = Supervised(own_hq)
    await own_hq.do("agent.load")
    await made.settle()
    return made


@pytest.fixture
def stage() -> Callable[..., Runner]:
    """A worker whose mind says what the test tells it."""
    return lambda house, lines, **config: Play(house.hq).runner(lines, **config)


@pytest.fixture
def told() -> Told:
    """A mind that is done at once."""
    return Told(['<task-complete reason="done" memory_entry_count="0"/>'])


async def route(hq: Hq) -> None:
    """What the leader does after every announcement."""
    async with await psycopg.AsyncConnection.connect(hq.address.app_url, autocommit=True) as conn:
        announcer = Announcer(hq.address.app_url, hq.clock)
        await announcer.run_once(conn)
        while announcer.unsettled:
            await announcer.run_once(conn)
        await SessionWaker(hq.address.app_url, hq.clock).run_once(conn)
