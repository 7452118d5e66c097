"""How a session comes to be: an agent is woken by a beat, an event, a message, a mission, or another agent."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from psycopg.types.json import Jsonb

from hq.agents.types import Agent
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.door.verbs.auth import ensure_principal
from hq.errors import Refused
from hq.graph.stored import Stored
from hq.ids import new_id

SQL = beside(__file__)
Trigger = Literal["beat", "outbox", "dm", "mission", "spawn"]


async def open_session(
    tx: Tx,
    agent: str,
    trigger_kind: Trigger,
    trigger: dict[str, Any],
    *,
    kind: Literal["agent", "worker", "thread"] = "agent",
    parent: UUID | None = None,
    task: UUID | None = None,
) -> UUID:
    """Queue a session. It acts with the agent's own rights, whoever woke it; a worker has a principal of its own."""
    principal = await ensure_principal(tx, "worker" if kind == "worker" else "agent", agent)
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
            "trigger": Jsonb(trigger),
            "taint": sorted(tx.taint),
            "now": tx.now,
        },
    )
    tx.emit("session.queued", session=str(session), agent=agent, trigger=trigger_kind)
    return session


async def working_agent(tx: Tx, ref: str) -> Stored[Agent]:
    """The agent, if it may work now."""
    agent = await tx.get(ref, Agent)
    if agent.props.status != "active":
        raise Refused.conflict(
            f"{agent.slug} is {agent.props.status}", hint=f"`hq agent resume {agent.slug}` lets it work again"
        )
    return agent
