"""Pages of agents: who works here, how each is and why, and what one of them did, session by session."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from hq.chat.agent_status import AgentStatusItem
from hq.engine.sessions.life import OVER
from hq.engine.sessions.trigger import SessionTrigger
from hq.errors import HqError
from hq.json_types import CallResult, NodeItem
from hq.missions.life import GIVEN
from hq.org.agent import Agent
from hq.sessions.session_verbs import SessionItem, StepItem
from hq.web.inbox import InboxCard, of_conversation
from hq.web.page_reads import PageReader
from hq.web.session_view import Item, SessionView, ToolCallView

SESSIONS = 20
STEPS = 60


@dataclass(frozen=True)
class Member:
    """One agent on a page."""

    slug: str
    name: str
    role: str
    kind: str
    standing: AgentStatusItem | None = None
    """How it is; nobody knows that of the past."""


async def everybody(reader: PageReader) -> list[Member]:
    """The agents that are not retired, the CEO first."""
    listed, stands = await asyncio.gather(reader.read("agent.list", limit=200), _stands(reader))
    here = [each for each in listed["items"] if each["status"] not in Agent.over]
    members = [_member(each, stands.get(each["slug"])) for each in here]
    return sorted(members, key=lambda member: (member.kind != "ceo", member.kind != "operator", member.name.lower()))


async def _stands(reader: PageReader, agent: str | None = None) -> dict[str, AgentStatusItem]:
    if reader.at:
        return {}
    listed = await reader.read("agent.status", **({"agent": agent} if agent else {}))
    return {each["agent"]: each for each in listed["items"]}


def _member(agent: NodeItem, standing: AgentStatusItem | None) -> Member:
    about = agent.get("props") or agent
    return Member(agent["slug"], agent["title"], about.get("role", ""), about.get("kind", ""), standing)


@dataclass(frozen=True)
class Profile:
    member: Member
    description: str
    missions: list[NodeItem]
    cost: str | None
    """What it cost today, in words; the past is asked for by day elsewhere."""
    sessions: list[SessionItem]
    more: str | None


async def profile(reader: PageReader, agent: str) -> Profile:
    node, around = await asyncio.gather(
        reader.read("agent.show", ref=agent), _around(reader, agent), return_exceptions=True
    )
    if isinstance(node, BaseException):  # before all else: it says best that there is none
        raise node
    if isinstance(around, BaseException):
        raise around
    stands, missions, cost, (rows, more) = around
    return Profile(
        _member(node, stands.get(node["slug"])), node["props"].get("description", ""), missions, cost, rows, more
    )


async def _around(
    reader: PageReader, agent: str
) -> tuple[dict[str, AgentStatusItem], list[NodeItem], str | None, tuple[list[SessionItem], str | None]]:
    """What is told of an agent beside itself, asked at once."""
    return await asyncio.gather(
        _stands(reader, agent),
        _missions(reader, agent),
        _cost(reader, agent),
        sessions(reader, agent),
    )


async def _missions(reader: PageReader, agent: str) -> list[NodeItem]:
    listed = await asyncio.gather(
        *(reader.read("mission.list", assignee=agent, status=status, limit=50) for status in GIVEN)
    )
    return [each for found in listed for each in found["items"]]


async def _cost(reader: PageReader, agent: str) -> str | None:
    if reader.at:
        return None
    today = reader.door.clock.now().date().isoformat()
    return (await reader.read("cost.show", agent=agent, since=today))["total"]


async def sessions(reader: PageReader, agent: str, after: str | None = None) -> tuple[list[SessionItem], str | None]:
    """Newest first, and where there are more."""
    more = {"after": after} if after else {}
    found = await reader.read("session.list", agent=agent, limit=SESSIONS, **more)
    return found["items"], found.get("next")


@dataclass(frozen=True)
class SessionPage:
    """Some steps of a session as a conversation."""

    shown: CallResult
    items: Sequence[Item]
    earlier: int
    """The step up to which there is more before these; 0 where there is none, or where it is on the page already."""
    last: bool
    """These are the last steps there are."""
    state: str

    @property
    def over(self) -> bool:
        return self.shown["state"] in OVER

    @property
    def tail(self) -> int:
        """The step behind which something may still come or change: a call that runs gets its outcome."""
        running = [
            item.step for item in self.items if isinstance(item, ToolCallView) and item.state in ("running", "waits")
        ]
        return min(running, default=self.shown["steps"] + 1) - 1


async def session(reader: PageReader, id: str, after: int | None = None, upto: int | None = None) -> SessionPage:
    """The last steps of a session; or those behind one, or those up to another."""
    shown = await reader.read("session.show", id=id)
    end = shown["steps"] if upto is None else min(upto, shown["steps"])
    first = max(end - STEPS, 0) if after is None else after
    steps: list[StepItem] = []
    if first < end:
        steps = (await reader.read("session.replay", id=id, after=first, limit=min(end - first, 1000)))["items"]
    cards = {str(step["payload"]["card"]) for step in steps if step["kind"] == "note" and "card" in step["payload"]}
    drawn = await asyncio.gather(*(_card(reader, card) for card in cards))
    talk = SessionView(
        shown["agent"], SessionTrigger.model_validate(shown["trigger"]), {card.slug: card for card in drawn if card}
    )
    # A conversation between two messages waits for nothing but the next one.
    rests = shown["state"] == "waiting" and bool(steps) and "rests" in steps[-1]["payload"]
    state = "at rest" if rests else shown["state"]
    return SessionPage(shown, talk.read(steps), first if after is None else 0, upto is None, state)


async def _card(reader: PageReader, id: str) -> InboxCard | None:
    try:
        return of_conversation(await reader.now.read("card.show", card=id))
    except HqError:
        return None  # it was put into the journal's words as well
