"""Pages of agents: who works here, how each is and why, and what one of them did, session by session."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hq.agents.control import AgentStatusItem
from hq.chat.status import waits
from hq.engine.sessions.life import BUSY, OVER
from hq.engine.sessions.steps import WaitStep
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
State = Literal["working", "waiting", "ready", "asleep", "stopped"]


@dataclass(frozen=True)
class AgentStatus:
    """How an agent is, and why: what the pip beside its name shows."""

    state: State
    why: str
    session: str | None = None


@dataclass(frozen=True)
class Member:
    """One agent on a page."""

    slug: str
    name: str
    role: str
    kind: str
    standing: AgentStatus | None = None
    """How it is; nobody knows that of the past."""


async def everybody(reader: PageReader) -> list[Member]:
    """The agents that are not retired, the CEO first."""
    listed, stands, talk = await asyncio.gather(
        reader.read("agent.list", limit=200), _stands(reader), reader.now.read("chat.status")
    )
    if found := stands.get(talk["agent"]):
        stands[talk["agent"]] = _or_talking(found, talk)
    here = [each for each in listed["items"] if each["status"] not in Agent.over]
    members = [_member(each, stands.get(each["slug"])) for each in here]
    return sorted(members, key=lambda member: (member.kind != "ceo", member.kind != "operator", member.name.lower()))


async def _stands(reader: PageReader, agent: str | None = None) -> dict[str, AgentStatus]:
    """By what their sessions do, and where those rest, by the conversations they are in."""
    if reader.at:
        return {}
    who = {"agent": agent} if agent else {}
    listed, *talks = await asyncio.gather(
        reader.read("agent.status", **who),
        *(reader.read("session.list", state=state, limit=200, **who) for state in BUSY),
    )
    found = {each["agent"]: _standing(each) for each in listed["items"]}
    for each in (session for talk in talks for session in talk["items"]):
        if each["agent"] in found and found[each["agent"]].state in ("ready", "asleep"):
            why = "in a conversation" if each["kind"] == "thread" else "has a helper at work"
            found[each["agent"]] = AgentStatus("working", why, each["session"])
    return found


def _standing(status: AgentStatusItem) -> AgentStatus:
    session = status.get("session")
    if status["status"] != "active":
        return AgentStatus("stopped", f"is {status['status']}", session)
    if status["running"]:
        return AgentStatus("working", "at work", session)
    if status["queued"]:
        return AgentStatus("working", "about to begin", session)
    if status["waiting"]:
        return AgentStatus("waiting", "waits for something", session)
    if status["presence"] == "cooldown":
        return AgentStatus("ready", "has just finished", session)
    return AgentStatus("asleep", "asleep until something wakes it", session)


def _member(agent: NodeItem, standing: AgentStatus | None) -> Member:
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
    return Profile(_member(node, stands), node["props"].get("description", ""), missions, cost, rows, more)


async def _around(
    reader: PageReader, agent: str
) -> tuple[AgentStatus | None, list[NodeItem], str | None, tuple[list[SessionItem], str | None]]:
    """What is told of an agent beside itself, asked at once."""
    return await asyncio.gather(
        _how(reader, agent),
        _missions(reader, agent),
        _cost(reader, agent),
        sessions(reader, agent),
    )


async def _how(reader: PageReader, agent: str) -> AgentStatus | None:
    """At work in a session of its own, or else in a conversation with the founder; and what it waits for."""
    if reader.at:
        return None
    own, talk = await asyncio.gather(_stands(reader, agent), reader.read("chat.status", agent=agent))
    found = own[agent]
    if found.state == "waiting" and found.session:
        things = (await reader.read("session.show", id=found.session)).get("waits_for")
        return AgentStatus("waiting", waits(WaitStep(things=things), None).why if things else found.why, found.session)
    return _or_talking(found, talk)


def _or_talking(found: AgentStatus, talk: CallResult) -> AgentStatus:
    """Where it is not at work: as it stands in its conversation with the founder, if they have one."""
    rests = found.state in ("ready", "asleep")
    return AgentStatus(talk["state"], talk["why"], talk["session"]) if rests and talk.get("session") else found


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
