"""`hq agent status`: how the agents are, and why: at work, waiting, ready to talk, asleep, or stopped."""

from __future__ import annotations

from collections.abc import Sequence

from hq.agents.control import AgentActivity, AgentActivityItem, activities
from hq.chat.rows import ConversationStateRow
from hq.chat.status import ChatStatus, Standing, standing, waits
from hq.database.queries import beside
from hq.door.access import EVERYONE
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.engine.sessions.steps import WaitStep
from hq.minds.service import Minds
from hq.sessions.thread import thread_name

SQL = beside(__file__)
BESIDES = {"thread": "in a conversation", "worker": "has a helper at work"}


class AgentStatusArgs(Args):
    """Which agents."""

    agent: Ref | None = first(default=None)
    """Slug of the agent; left out, all that work here."""


class AgentStatusItem(AgentActivityItem):
    """How an agent is."""

    state: Standing
    why: str


@verb("agent.status", "read", for_=EVERYONE, past=False, examples=[{}])
async def status(tx: Tx, args: AgentStatusArgs) -> Listing[AgentStatusItem]:
    """How the agents are, and why: present or not, at work on what, what waits for them, when they wake."""
    found = await activities(tx, args.agent)
    talks = await conversations(tx, [each.item["agent"] for each in found])
    lacking = await tx.use(Minds).lacking(tx.caller.tenant_id, tx.conn)
    stands = [_stands(each, standing(talks[each.item["agent"]], tx.now, lacking)) for each in found]
    told: list[AgentStatusItem] = [
        {**each.item, "state": state, "why": why} for each, (state, why) in zip(found, stands, strict=True)
    ]
    return Listing[AgentStatusItem](items=told)


async def conversations(tx: Tx, agents: Sequence[str]) -> dict[str, ConversationStateRow]:
    """The newest thread of the caller's conversation with each of these agents."""
    about = {"agents": [*agents], "names": [thread_name(tx, each) for each in agents], "now": tx.now}
    return {row.agent: row for row in await tx.rows(SQL["standing"], about, into=ConversationStateRow)}


def _stands(found: AgentActivity, talk: ChatStatus) -> tuple[Standing, str]:
    """By its own work before all; where that rests, as it is in the conversation."""
    item = found.item
    if talk.frozen or item["status"] != "active":
        return talk.state, talk.why
    if item["running"]:
        return "working", "at work"
    if item["queued"]:
        return "working", "about to begin"
    if item["waiting"]:
        waiting = waits(WaitStep.model_validate(found.wait or {}), None)
        return "waiting", waiting.why if waiting.state == "waiting" else "waits for something"
    if found.beside:
        return "working", BESIDES[found.beside]
    if talk.session:
        return talk.state, talk.why
    if item["presence"] == "cooldown":
        return "ready", "has just finished"
    return "asleep", "asleep until something wakes it"


VERBS = (status,)
