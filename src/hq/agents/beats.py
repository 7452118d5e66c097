"""Beats: when an agent wakes by itself. Cron in the company's own time zone, so that 07:00 is 07:00 all year."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from cronsim import CronSim
from pydantic import Field

from hq.agents.files.definition import Beat
from hq.agents.opening import known_agent, open_session
from hq.agents.types import Agent
from hq.database.queries import beside
from hq.door.access import EVERYONE, HOUSE, STAFF
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.graph.stored import Stored

SQL = beside(__file__)
RESUME = "@resume"
"""Not a cron expression: the moment at which a pause ends by itself."""


def next_after(cron: str, moment: datetime, zone: str) -> datetime:
    """The next occurrence, strictly later. An hour that a change of clocks skips happens right after; none twice."""
    local = moment.astimezone(ZoneInfo(zone))
    return next(CronSim(cron, local)).astimezone(moment.tzinfo)


async def put_beats(tx: Tx, agent: str, beats: Sequence[Beat], zone: str) -> None:
    """The beats of an agent are these and no others."""
    for beat in beats:
        await put_beat(tx, agent, beat, next_after(beat.cron, tx.now, zone))
    await tx.conn.execute(SQL["drop_beats"], {"agent": agent, "crons": [*(beat.cron for beat in beats), RESUME]})


async def put_beat(tx: Tx, agent: str, beat: Beat, due: datetime) -> None:
    values = {"cron": beat.cron, "says": beat.says, "after_work": beat.after_work, "due": due}
    await tx.conn.execute(SQL["put_beat"], {"agent": agent, "now": tx.now, "seq": tx.seq, **values})


class ListBeats(Args):
    """Whose."""

    agent: Ref | None = None
    """Only of this agent."""


@verb("beat.list", "read", for_=EVERYONE, past=False, examples=[{}])
async def list_(tx: Tx, args: ListBeats) -> Listing:
    """When the agents wake by themselves."""
    rows = await tx.rows(SQL["beats"], {"agent": args.agent})
    return Listing(
        items=[
            {
                "agent": row.agent,
                "cron": row.cron,
                "says": row.says,
                "after_work": row.after_work,
                "on": row.enabled,
                "next": row.due_at.isoformat() if row.enabled else None,
                "last": row.last_at.isoformat() if row.last_at else None,
            }
            for row in rows
            if row.cron != RESUME
        ]
    )


class Switch(Args):
    """Which beats."""

    agent: Ref = first()
    """Slug of the agent."""
    cron: str | None = Field(None, max_length=100)
    """Only this one of its beats; left out, all."""


class Switched(Result):
    agent: str
    beats: list[str]


@verb(
    "beat.off", "write", for_=STAFF, emits="beat.off", gate="system", while_frozen=True, examples=[{"agent": "chief"}]
)
async def off(tx: Tx, args: Switch) -> Switched:
    """Let an agent's beats rest; events and messages still wake it."""
    return await _switch(tx, args, on=False)


@verb("beat.on", "write", for_=STAFF, emits="beat.on", gate="system", examples=[{"agent": "chief"}])
async def on(tx: Tx, args: Switch) -> Switched:
    """Let an agent's beats wake it again, from the next occurrence on."""
    return await _switch(tx, args, on=True)


async def _switch(tx: Tx, args: Switch, *, on: bool) -> Switched:
    agent = await known_agent(tx, args.agent)
    zone = (await tx.one(SQL["company"])).time_zone
    rows = [r for r in await tx.rows(SQL["beats"], {"agent": agent.slug}) if args.cron in (None, r.cron)]
    found = [r.cron for r in rows if r.cron != RESUME]
    if not found:
        raise Refused.not_found(
            f"{agent.slug} has no such beat", hint=f"`hq beat list --agent {agent.slug}` shows them"
        )
    for cron in found:
        due = next_after(cron, tx.now, zone)
        await tx.conn.execute(SQL["switch_beats"], {"agent": agent.slug, "cron": cron, "on": on, "due": due})
    return Switched(agent=agent.slug, beats=found)


class Beaten(Args):
    """Which beat is due."""

    agent: str = Field(max_length=200)
    """Slug of the agent."""
    cron: str = Field(max_length=100)
    """Its cron expression."""


class Woken(Result):
    agent: str
    session: str | None = None
    """The session that it opened; none where there was nothing to open it for."""


@verb("agent.beat", "write", for_=HOUSE, hidden=True)
async def beat(tx: Tx, args: Beaten) -> Woken:
    """A beat is due: open its session, once for this occurrence and for those that were missed; one that is only for
    after work is passed over where nobody did anything since."""
    agent: Stored[Agent] | None = await tx.look_up(args.agent, Agent)
    zone = (await tx.one(SQL["company"])).time_zone
    which = {"agent": args.agent, "cron": args.cron}
    taken = await tx.one(SQL["take_beat"], {**which, "now": tx.now})
    if taken is None:
        return Woken(agent=args.agent)
    wanted = agent is not None and agent.props.status == "active" and not agent.archived_at
    if wanted and taken.after_work:
        wanted = (await tx.one(SQL["worked"], {"seen": taken.seen, "seq": tx.seq})).worked
    noted = {"opened": tx.now if wanted else None, "next": next_after(args.cron, tx.now, zone), "seq": tx.seq}
    await tx.conn.execute(SQL["note_beat"], {**which, **noted})
    if agent is None or not wanted:
        return Woken(agent=args.agent)
    trigger = {"summary": f"beat {args.cron}: {taken.says or 'look after what is yours'}", "cron": args.cron}
    session = await open_session(tx, agent.slug, "beat", trigger)
    tx.target = agent
    return Woken(agent=agent.slug, session=str(session))


VERBS = (list_, off, on, beat)
