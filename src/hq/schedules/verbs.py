"""`hq schedule add|list|show|next|pause|resume|remove`: work that starts by the clock, and what came of it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, TypedDict
from zoneinfo import available_timezones

from pydantic import Field, JsonValue

from hq.database.queries import beside
from hq.door.access import EVERYONE, STAFF, Touch
from hq.door.access_rule import check_for
from hq.door.door import parse
from hq.door.noun_args import RefArgs
from hq.door.nouns import nouns
from hq.door.results import Listing, Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, CostForecast, Ref, first, verb
from hq.door.verbs.credentials import ensure_principal
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.graph.view import NodeFilter
from hq.guard.forecast import of_session
from hq.jobs.cron import next_after
from hq.json_types import CallArgs
from hq.org.ceo_agent import ceo
from hq.schedules.phrases import parse_when
from hq.schedules.types import Schedule
from hq.sessions.session_start import known_agent
from hq.suggestion import did_you_mean

SQL = beside(__file__)
MOST_STARTS = 10_000
"""In a month, counted for what they will cost."""


class ScheduleAddArgs(Args):
    """What, and when."""

    task: str = first(default="", max_length=8000)
    """What is to be done, for the agent that does it."""
    when: str = Field(min_length=1, max_length=100)
    """Such as "every weekday at 7", "tomorrow at 9", or cron."""
    name: str | None = Field(None, min_length=1, max_length=100)
    """What it is called; made from the task if left out."""
    agent: Ref | None = None
    """Who does it; the CEO unless said."""
    verb: str | None = Field(None, max_length=60)
    """A verb to call instead, in that agent's name and with its rights."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    """Its arguments."""
    timezone: str | None = Field(None, max_length=60)
    """By whose clocks, such as Europe/Lisbon; left out, the company's."""
    notify: Literal["nobody", "digest", "warnings", "always"] = "warnings"
    """When you are told what came of it."""


class Added(Row):
    when: str
    """As it was understood: cron, or a moment."""
    timezone: str
    starts: str
    """When it starts first."""


async def _cost(tx: Tx, args: ScheduleAddArgs) -> CostForecast:
    """What its starts in a month come to."""
    if args.verb:
        return CostForecast("free: a call by the clock asks no model")
    zone = args.timezone or (await tx.the_scalar(SQL["zone"], of=str))
    when = parse_when(args.when, tx.now, zone)
    if not when.cron:
        return await of_session(tx, "beat")
    at, times, end = tx.now, 0, tx.now + timedelta(days=30)
    while times < MOST_STARTS and (at := next_after(when.cron, at, zone)) <= end:
        times += 1
    return await of_session(tx, "beat", times=times)


@verb(
    "schedule.add",
    "write",
    forecast=_cost,
    shows=("task", "agent", "notify"),
    for_=STAFF,
    # What starts by the clock is done with its agent's rights, so nobody but who leads has others do it.
    touches=Touch("agent", "agent_or_ceo", operator="own"),
    undo="compensating",
    undo_by=lambda _input, output: ("schedule.remove", {"ref": output["slug"]}),
    emits="schedule.added",
    examples=[{"task": "See that the shop answers.", "when": "every weekday at 7", "name": "Shop check"}],
)
async def add(tx: Tx, args: ScheduleAddArgs) -> Added:
    """Have something done by the clock, once or again and again."""
    if not args.task and not args.verb:
        raise Refused.invalid("say what is to be done, in words; or --verb with --arguments")
    zone = args.timezone or (await tx.the_scalar(SQL["zone"], of=str))
    if zone not in available_timezones():
        raise Refused.invalid(f"there is no time zone {zone!r}{did_you_mean(zone, available_timezones())}")
    when = parse_when(args.when, tx.now, zone)
    agent = await known_agent(tx, args.agent or await ceo(tx))
    if args.verb:
        _check_call(tx, args.verb, args.arguments)
    await ensure_principal(tx, "agent", agent.slug)
    schedule = await tx.create(
        Schedule(
            name=args.name or (args.task or args.verb or "")[:100],
            task=args.task,
            cron=when.cron,
            once_at=when.once,
            timezone=zone,
            verb=args.verb,
            arguments=args.arguments,
            notify=args.notify,
        ),
        links=[NewLink("assigned_to", agent)],
    )
    tx.target = schedule
    due = upcoming(schedule.props, tx.now)
    assert due is not None
    await _put_due(tx, schedule, due)
    told = {"when": when.cron or due.isoformat(), "timezone": zone, "starts": due.isoformat()}
    return Added.model_validate(schedule.brief() | told)


def _check_call(tx: Tx, name: str, args: CallArgs) -> None:
    """Nothing that who schedules it could not call now."""
    called = tx.door.registry.get(name)
    if called.secret or called.scope in ("founder", "install"):
        raise Refused.invalid(f"{name} is the founder's own to call; a schedule cannot")
    if called.answers:
        raise Refused.invalid(f"{name} is somebody's own word; the clock has none")
    tx.caller.check(called)
    check_for(tx.caller, called, in_session=False)
    parse(called, args)


def upcoming(schedule: Schedule, now: datetime) -> datetime | None:
    """The next start after this moment, if there is one."""
    if schedule.cron:
        return next_after(schedule.cron, now, schedule.timezone)
    return schedule.once_at if schedule.once_at and schedule.once_at > now else None


OWN = Touch("ref", "schedule", operator="own")
ENDS = (OWN, Touch("ref", "founders_schedule", agent="mission", ceo="mission", operator="mission", beyond="ask"))
"""What a person set by the clock, others let rest or end only with a yes."""


@verb(
    "schedule.pause",
    "write",
    on_card=True,
    for_=STAFF,
    touches=ENDS,
    undo="compensating",
    undo_by=lambda _input, output: ("schedule.resume", {"ref": output["slug"]}),
    emits="schedule.paused",
    target="ref",
)
async def pause(tx: Tx, args: RefArgs) -> Row:
    """Let a schedule rest; what falls into that time is not made up for."""
    schedule = await tx.move(await tx.get(args.ref, Schedule), to="paused")
    await tx.conn.execute(SQL["rest"], {"slug": schedule.slug})
    tx.target = schedule
    return row(schedule)


@verb(
    "schedule.resume",
    "write",
    for_=STAFF,
    touches=OWN,
    undo="compensating",
    undo_by=lambda _input, output: ("schedule.pause", {"ref": output["slug"]}),
    emits="schedule.resumed",
    target="ref",
)
async def resume(tx: Tx, args: RefArgs) -> Row:
    """Let a schedule start things again, from its next time on."""
    schedule = await tx.get(args.ref, Schedule)
    due = upcoming(schedule.props, tx.now)
    if due is None:
        raise Refused.conflict(f"{schedule.slug} was for {schedule.props.once_at}, which is over; add another")
    if schedule.status == "ended":
        await tx.check_put_there(schedule, "ended")
    schedule = await tx.move(schedule, to="active")
    await _put_due(tx, schedule, due)
    tx.target = schedule
    return row(schedule)


async def _put_due(tx: Tx, schedule: Stored[Schedule], due: datetime) -> None:
    terms = schedule.props
    clock = {"cron": terms.cron, "zone": terms.timezone, "says": terms.name, "due": due}
    await tx.conn.execute(SQL["put_due"], {"slug": schedule.slug, "id": schedule.id, **clock})


@verb(
    "schedule.remove",
    "write",
    for_=STAFF,
    touches=ENDS,
    undo="compensating",
    undo_by=lambda _input, output: ("schedule.resume", {"ref": output["slug"]}),
    emits="schedule.removed",
    target="ref",
)
async def remove(tx: Tx, args: RefArgs) -> Row:
    """End a schedule for good; it stays on the record."""
    schedule = await tx.move(await tx.get(args.ref, Schedule), to="ended")
    await tx.conn.execute(SQL["drop_due"], {"slug": schedule.slug})
    tx.target = schedule
    return row(schedule)


class ScheduleNextArgs(Args):
    """How far to look ahead."""

    ref: Ref | None = Field(None, json_schema_extra={"positional": True})
    """Only this schedule."""
    count: int = Field(5, ge=1, le=50)
    """How many starts of each."""


class ScheduleStart(TypedDict):
    """A time at which something starts."""

    at: str
    schedule: str
    name: str


@verb("schedule.next", "read", for_=EVERYONE, past=False, examples=[{}])
async def next_(tx: Tx, args: ScheduleNextArgs) -> Listing[ScheduleStart]:
    """When what starts next, soonest first."""
    found = [await tx.get(args.ref, Schedule)] if args.ref else await active(tx)
    starts: list[ScheduleStart] = [
        {"at": at.isoformat(), "schedule": each.slug, "name": each.props.name}
        for each in found
        if each.status == "active"
        for at in starts_of(each.props, tx.now, args.count)
    ]
    return Listing[ScheduleStart](items=sorted(starts, key=lambda start: start["at"]))


async def active(tx: Tx) -> list[Stored[Schedule]]:
    return await tx.find(NodeFilter(types=[Schedule.type], status="active", limit=200))


def starts_of(schedule: Schedule, now: datetime, count: int) -> list[datetime]:
    found: list[datetime] = []
    while len(found) < count and (at := upcoming(schedule, found[-1] if found else now)):
        found.append(at)
    return found


VERBS = (
    add,
    pause,
    resume,
    remove,
    next_,
    *nouns(Schedule, without=("create", "update", "archive", "restore")),
)
