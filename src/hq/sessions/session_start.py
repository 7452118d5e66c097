"""The start of a session: an agent is woken by a beat, an event, a message, a mission, or another agent."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from psycopg.types.json import Jsonb

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.door.verbs.credentials import ensure_principal
from hq.engine.sessions.trigger import SessionTrigger, TriggerKind
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.guard.stops import thaw_due
from hq.ids import new_id
from hq.org.agent import Agent
from hq.suggestion import did_you_mean

SQL = beside(__file__)


async def open_session(
    tx: Tx,
    agent: str,
    trigger_kind: TriggerKind,
    trigger: SessionTrigger,
    *,
    kind: Literal["agent", "worker", "thread"] = "agent",
    parent: UUID | None = None,
    task: UUID | None = None,
    acts_as: str | None = None,
) -> UUID:
    """Queue a session. It acts with the agent's own rights, whoever woke it; a worker has a principal of its own, by
    another name than its agent's where `acts_as` says one."""
    principal = await ensure_principal(tx, "worker" if kind == "worker" else "agent", acts_as or agent)
    session = new_id()
    await tx.conn.execute(
        SQL["open_session"],
        {
            "id": session,
            "kind": kind,
            "agent": agent,
            "principal": principal,
            "parent": parent,
            "task": task or tx.call.task_id or new_id(),
            "trigger_kind": trigger_kind,
            "trigger": Jsonb(trigger.as_json()),
            "taint": sorted(tx.taint),
            "now": tx.now,
        },
    )
    tx.emit("session.queued", session=str(session), agent=agent, trigger=trigger_kind)
    tx.queues_work = True
    return session


async def known_agent(tx: Tx, ref: str) -> Stored[Agent]:
    """The agent of that name; one that was mistyped is told the nearest."""
    found = await tx.look_up(ref, Agent)
    if found is None:
        known = [agent.slug for agent in await tx.find(NodeFilter(types=[Agent.type], limit=200))]
        raise Refused.not_found(
            f"there is no agent {ref!r}{did_you_mean(ref, known)}", hint="`hq agent list` shows who works here"
        )
    return found


async def working_agent(tx: Tx, ref: str) -> Stored[Agent]:
    """The agent, if it may work now."""
    agent = await listening_agent(tx, ref)
    if agent.props.status == "frozen":
        raise Refused.conflict(
            f"{agent.slug} is frozen: its budget is used up",
            hint=f"`hq budget show {agent.slug}` says how much, `hq budget raise` lets it go on",
        )
    return agent


async def listening_agent(tx: Tx, ref: str) -> Stored[Agent]:
    """The agent, if what is said to it gets there: who has used up a budget reads it once it may spend again."""
    agent = await known_agent(tx, ref)
    if agent.props.status == "frozen" and await thaw_due(tx, agent.slug):
        agent = await tx.get(ref, Agent)
    if agent.props.status not in ("active", "frozen"):
        raise Refused.conflict(
            f"{agent.slug} is {agent.props.status}", hint=f"`hq agent resume {agent.slug}` lets it work again"
        )
    return agent
