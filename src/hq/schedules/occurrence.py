"""An occurrence of a schedule: what the house starts when one is due, and what it says where that cannot be."""

from __future__ import annotations

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import HOUSE
from hq.door.noun_args import RefArgs
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.engine.sessions.trigger import SessionTrigger
from hq.graph.records import Stored
from hq.jobs.clock_stop import clock_stop
from hq.json_types import CallArgs
from hq.org.agent import Agent
from hq.org.ceo_agent import ceo
from hq.schedules.types import Schedule
from hq.sessions.session_start import open_session

SQL = beside(__file__)
ASK = (
    "\n\nEnd with a line `severity: info`, `severity: warning` or `severity: critical`: how much the founder should care "
    "about what you found."
)


class ScheduleRunArgs(Args):
    """Which schedule is due."""

    ref: str = Field(max_length=60)
    """Its id."""
    failed: str | None = Field(None, max_length=2000)
    """Why the call it makes could not be made."""
    by_hand: bool = False
    """Somebody wants it now; its own times stay as they are."""


class ScheduleStarted(Result):
    slug: str
    session: str | None = None
    """The session that it opened; none where it makes a call, or whoever does it is not there."""


@verb("schedule.run", "write", for_=HOUSE, internal=True, emits="schedule.started")
async def run(tx: Tx, args: ScheduleRunArgs) -> ScheduleStarted:
    """A schedule is due: start it."""
    schedule = await tx.get(args.ref, Schedule)
    terms = schedule.props
    tx.target = schedule
    if schedule.status != "active" and not args.by_hand:
        return ScheduleStarted(slug=schedule.slug)
    if terms.cron is None and not args.by_hand:
        schedule = await tx.move(schedule, to="ended")
    agent = await assignee(tx, schedule)
    works = not await clock_stop(tx, schedule, agent)
    if terms.verb and (works or not args.failed):
        if args.failed:
            _fail(tx, schedule, agent, args.failed)
        return ScheduleStarted(slug=schedule.slug)
    if not works:
        await _not_started(tx, schedule, agent)
        return ScheduleStarted(slug=schedule.slug)
    trigger = SessionTrigger(
        summary=f"schedule {schedule.slug}"[:200],
        text=terms.task + ASK,
        sender="schedule",
        schedule=terms.name,
        notify=terms.notify,
    )
    return ScheduleStarted(slug=schedule.slug, session=str(await open_session(tx, agent.slug, "beat", trigger)))


def _fail(tx: Tx, schedule: Stored[Schedule], agent: Stored[Agent], why: str) -> None:
    terms = schedule.props
    tx.emit(
        "schedule.failed",
        id=str(schedule.id),
        slug=schedule.slug,
        schedule=terms.name,
        agent=agent.slug,
        notify=terms.notify,
        why=why,
    )


async def _not_started(tx: Tx, schedule: Stored[Schedule], agent: Stored[Agent]) -> None:
    """Who rests for a while misses a time, which whoever let it rest knows; what would never be done is said."""
    if agent.archived_at is not None:
        _fail(tx, schedule, agent, f"{agent.slug} is no longer here; it rests until another does it")
        if schedule.props.cron and schedule.status == "active":
            await tx.conn.execute(SQL["rest"], {"slug": schedule.slug})
            await tx.move(schedule, to="paused")
    elif schedule.props.cron is None:
        rests = agent.props.status if agent.props.status != "active" else "held back by what it belongs to"
        _fail(tx, schedule, agent, f"{agent.slug} is {rests}, and it was for this one time")


async def assignee(tx: Tx, schedule: Stored[Schedule]) -> Stored[Agent]:
    ends = await tx.targets([schedule.id], ("assigned_to",))
    return await tx.get(ends.get((schedule.id, "assigned_to")) or await ceo(tx), Agent)


class ScheduleTerms(Result):
    """What is to be called for it."""

    slug: str
    agent: str
    verb: str | None = None
    arguments: CallArgs = Field(default_factory=dict)


@verb("schedule.due", "read", for_=HOUSE, internal=True, past=False)
async def due_(tx: Tx, args: RefArgs) -> ScheduleTerms:
    """What a schedule would start."""
    schedule = await tx.get(args.ref, Schedule)
    return ScheduleTerms(
        slug=schedule.slug,
        agent=(await assignee(tx, schedule)).slug,
        verb=schedule.props.verb,
        arguments=schedule.props.arguments,
    )


VERBS = (run, due_)
