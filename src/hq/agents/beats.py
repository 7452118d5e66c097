"""Beats: when an agent wakes by itself. Cron in the company's own time zone, so that 07:00 is 07:00 all year."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict
from uuid import UUID

from pydantic import Field

from hq.agents.event_router import AgentRoom, at_work
from hq.agents.files.definition import Beat
from hq.agents.rows import AgentCompanyRow, BeatRow, ListedBeatRow
from hq.database.queries import beside
from hq.door.access import EVERYONE, HOUSE, STAFF
from hq.door.access_rule import Access
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.engine.sessions.trigger import SessionTrigger
from hq.errors import Refused
from hq.graph.records import Stored
from hq.jobs.clock_stop import clock_stop
from hq.jobs.cron import next_after
from hq.jobs.job import Job, JobResult, JobRow, OwnTime
from hq.jobs.run import JobRun
from hq.org.agent import Agent
from hq.sessions.session_start import known_agent, open_session

SQL = beside(__file__)


async def put_beats(tx: Tx, agent: str, beats: Sequence[Beat], zone: str) -> None:
    """The beats of an agent are these and no others."""
    for beat in beats:
        values = {"cron": beat.cron, "says": beat.says, "after_work": beat.after_work, "zone": zone}
        due = next_after(beat.cron, tx.now, zone)
        await tx.conn.execute(SQL["put_beat"], {"agent": agent, "now": tx.now, "due": due, "seq": tx.seq, **values})
    await tx.conn.execute(SQL["drop_beats"], {"agent": agent, "crons": [beat.cron for beat in beats]})


class BeatListArgs(Args):
    """Whose."""

    agent: Ref | None = None
    """Only of this agent."""


class BeatItem(TypedDict):
    """When an agent wakes by itself."""

    agent: str
    cron: str
    says: str
    after_work: bool
    on: bool
    next: str | None
    last: str | None


@verb("beat.list", "read", for_=EVERYONE, past=False, examples=[{}])
async def list_(tx: Tx, args: BeatListArgs) -> Listing[BeatItem]:
    """When the agents wake by themselves."""
    rows = await tx.rows(SQL["beats"], {"agent": args.agent}, into=ListedBeatRow)
    return Listing[BeatItem](
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
        ]
    )


class BeatSwitchArgs(Args):
    """Which beats."""

    agent: Ref = first()
    """Slug of the agent."""
    cron: str | None = Field(None, max_length=100)
    """Only this one of its beats; left out, all."""


class Switched(Result):
    agent: str
    beats: list[str]


@verb(
    "beat.off", "write", for_=STAFF, emits="beat.off", gate="system", while_frozen=HOUSE, examples=[{"agent": "chief"}]
)
async def off(tx: Tx, args: BeatSwitchArgs) -> Switched:
    """Let an agent's beats rest; events and messages still wake it."""
    return await _switch(tx, args, on=False)


@verb("beat.on", "write", for_=STAFF, emits="beat.on", gate="system", examples=[{"agent": "chief"}])
async def on(tx: Tx, args: BeatSwitchArgs) -> Switched:
    """Let an agent's beats wake it again, from the next occurrence on."""
    return await _switch(tx, args, on=True)


async def _switch(tx: Tx, args: BeatSwitchArgs, *, on: bool) -> Switched:
    agent = await known_agent(tx, args.agent)
    zone = (await tx.the_one(SQL["company"], into=AgentCompanyRow)).time_zone
    rows = await tx.rows(SQL["beats"], {"agent": agent.slug}, into=ListedBeatRow)
    chosen = [row for row in rows if args.cron in (None, row.cron)]
    for row in chosen:
        if not row.enabled:
            await tx.use(Access).check_rest(tx, f"beat {row.cron} of {agent.slug}", "off", row.paused_by)
    found = [row.cron for row in chosen]
    if not found:
        raise Refused.not_found(
            f"{agent.slug} has no such beat", hint=f"`hq beat list --agent {agent.slug}` shows them"
        )
    state, by = ("on", None) if on else ("paused", tx.caller.actor)
    for cron in found:
        values = {"agent": agent.slug, "cron": cron, "state": state, "by": by, "due": next_after(cron, tx.now, zone)}
        await tx.conn.execute(SQL["switch_beats"], values)
    return Switched(agent=agent.slug, beats=found)


class AgentBeatArgs(Args):
    """Which beat is due."""

    agent: str = Field(max_length=200)
    """Slug of the agent."""
    cron: str = Field(max_length=100)
    """Its cron expression."""
    wanted: bool = False
    """Somebody wants it now, whether anybody worked or not."""


class BeatWoken(Result):
    agent: str
    session: str | None = None
    """The session that it opened; none where there was nothing to open it for."""


@verb("agent.beat", "write", for_=HOUSE, internal=True)
async def beat(tx: Tx, args: AgentBeatArgs) -> BeatWoken:
    """A beat is due: open its session; one that is only for after work is passed over where nobody did anything since."""
    agent: Stored[Agent] | None = await tx.look_up(args.agent, Agent)
    which = {"agent": args.agent, "cron": args.cron}
    known = await tx.one(SQL["beat"], which, into=BeatRow)
    if known is None or agent is None or await clock_stop(tx, agent):
        return BeatWoken(agent=args.agent)
    worked = not known.after_work or args.wanted
    worked = worked or (await tx.the_scalar(SQL["worked"], {"seen": known.seen, "seq": tx.seq}, of=bool))
    await tx.conn.execute(SQL["note_beat"], {**which, "seq": tx.seq})
    if not worked:
        return BeatWoken(agent=args.agent)
    summary = f"beat {args.cron}: {known.says or 'look after what is yours'}"
    trigger = SessionTrigger(summary=summary, cron=args.cron)
    session = await open_session(tx, agent.slug, "beat", trigger)
    tx.target = agent
    return BeatWoken(agent=agent.slug, session=str(session))


async def _may_begin(run: JobRun) -> bool:
    """A beat waits while its agent is at work, while others fill the room, and while memory is short."""
    working = await at_work(run)
    return run.own_row.agent not in working and run.use(AgentRoom).free(working)


async def _beat(run: JobRun) -> JobResult | None:
    args = {"agent": run.own_row.agent, "cron": run.own_row.cron, "wanted": run.by_hand}
    session = (await run.must("agent.beat", args, run.key)).get("session")
    return JobResult(f"woke {run.own_row.agent}", session=UUID(session)) if session else None


async def _may_resume(tx: Tx, row: JobRow) -> None:
    """Who has a pause end sooner may end it."""
    agent = await known_agent(tx, str(row.agent))
    await tx.check_state(agent, agent.status)


async def _resume(run: JobRun) -> JobResult | None:
    await run.must("agent.resume", {"agent": run.own_row.agent}, run.key)
    return JobResult(f"{run.own_row.agent} works again")


VERBS = (list_, off, on, beat)
JOBS = (
    Job(name="beat", says="wakes an agent by the clock", on=(OwnTime(),), ready=_may_begin, work=_beat, timeout=60),
    Job(name="resume", says="ends an agent's pause", on=(OwnTime(),), by_hand=_may_resume, work=_resume, timeout=60),
)
