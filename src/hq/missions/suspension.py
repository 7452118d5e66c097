"""`hq mission pause|resume|fail`: work is stopped, goes on, or is given up; its sessions with it."""

from __future__ import annotations

from pydantic import Field

from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.door.access import HOUSE, STAFF, Touch
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.engine.sessions.lookup import ask_to_stop
from hq.errors import Refused
from hq.graph.records import Stored
from hq.missions.briefs.prompt import prompt_of
from hq.missions.completion import brief_of, end, parts_of
from hq.missions.life import IN_HAND, OPEN
from hq.missions.parties import caller_node, check_open, parties
from hq.missions.start_offer import begin_parts, drop_ask
from hq.missions.types import Mission
from hq.missions.work_start import begin_work, live_sessions
from hq.org.agent import Agent

SQL = beside(__file__)
WHOLE = "`mission_show` has the whole of it, `mission_memory_list` what was learned so far."
LEARNED = "Go on from there; `mission_memory_list` has what was learned so far."


class MissionHaltArgs(Args):
    """Which mission, and why."""

    ref: Ref = first()
    """Slug of the mission."""
    why: str = Field(min_length=1, max_length=2000)
    """Why, for the record."""


@verb(
    "mission.pause",
    "write",
    on_card=True,
    for_=STAFF,
    touches=Touch("ref", "mission", operator="own", bars=True),
    emits="mission.paused",
    target="ref",
    while_frozen=HOUSE,
    examples=[{"ref": "flight-tracker", "why": "the founder is away"}],
)
async def pause(tx: Tx, args: MissionHaltArgs) -> Row:
    """Stop work on a mission for now; its sessions end at their next step."""
    who = await parties(tx, args.ref)
    check_open(who)
    mission = await tx.move(who.mission, "paused", status_reason=args.why)
    await stop_sessions(tx, mission, args.why)
    tx.target = mission
    return row(mission)


class MissionResumeArgs(Args):
    """Which mission."""

    ref: Ref = first()
    """Slug of the mission."""
    note: str = Field("", max_length=4000)
    """What the agent should know by now."""


@verb(
    "mission.resume",
    "write",
    on_card=True,
    for_=STAFF,
    touches=Touch("ref", "mission", operator="own", bars=True),
    emits="mission.resumed",
    target="ref",
    examples=[{"ref": "flight-tracker", "note": "go on"}],
)
async def resume(tx: Tx, args: MissionResumeArgs) -> Row:
    """Let a mission go on that was paused or that its agent left lying, in a new session of its agent; or let all its parts
    begin that were imported and rest."""
    who = await parties(tx, args.ref)
    begun = await begin_parts(tx, who.mission)
    if who.mission.status in IN_HAND and who.assignee is not None and not await live_sessions(tx, who.mission):
        await send_back(tx, who.mission, await tx.get(who.assignee, Agent), args.note or "It goes on.")
        tx.target = who.mission
        return row(who.mission)
    if begun and who.mission.status != "paused":
        tx.target = who.mission
        return row(who.mission)
    if who.mission.status != "paused":
        raise Refused.conflict(f"{who.mission.slug} is {who.mission.status}, not paused")
    started = who.mission.props.started_at is not None
    to = "in_progress" if started else "assigned" if who.assignee else "backlog"
    mission = await tx.move(who.mission, to, status_reason=None)
    if who.assignee is not None:
        await send_back(tx, mission, await tx.get(who.assignee, Agent), args.note or "It goes on.")
    await drop_ask(tx, mission)
    tx.target = mission
    return row(mission)


@verb(
    "mission.fail", "write", on_card=True, for_=STAFF, touches=Touch("ref", "party", operator="own"), emits="mission.given_up", target="ref", examples=[{"ref": "flight-tracker", "why": "no longer wanted"}]
)  # fmt: skip
async def fail(tx: Tx, args: MissionHaltArgs) -> Row:
    """Give a mission up, with the reason: by who does it, it has failed; by who gave it or leads them, it is called off."""
    who = await parties(tx, args.ref)
    check_open(who)
    caller = await caller_node(tx)
    called_off = caller is None or caller.id != who.assignee
    await _give_up_parts(tx, who.mission, f"{who.mission.slug} was given up: {args.why}"[:2000])
    mission = await end(tx, who, "failed", why=args.why, called_off=called_off)
    if called_off:
        await stop_sessions(tx, mission, args.why)
    tx.target = mission
    return row(mission)


async def _give_up_parts(tx: Tx, whole: Stored[Mission], why: str) -> None:
    """What was done for it alone is called off with it, from the smallest part up."""
    for part in await parts_of(tx, whole):
        if part.status in OPEN:
            await _give_up_parts(tx, part, why)
            ended = await end(tx, await parties(tx, part.id), "failed", why=why, called_off=True)
            await stop_sessions(tx, ended, why)


async def stop_sessions(tx: Tx, mission: Stored[Mission], why: str) -> None:
    """End the sessions that work on it, but not the one that says so."""
    for session in await live_sessions(tx, mission):
        if session.id == tx.call.session_id:
            continue
        was = await ask_to_stop(tx, session.id, why[:500])
        if was != "running":
            tx.emit(
                "session.closed", id=str(session.id), agent=session.agent, kind="agent", state="stopped", exit_code=3
            )


async def send_back(tx: Tx, mission: Stored[Mission], agent: Stored[Agent], note: str) -> None:
    """A new session of the agent that goes on with the mission, with its brief, and knows why."""
    now = f"This is yours already and is {mission.status}; what is there so far lies in your tree. {note}"
    brief = await brief_of(tx, mission)
    if brief is None:
        await begin_work(tx, mission, agent, f"Mission {mission.slug} ({mission.props.title}). {now}\n{WHOLE}")
        return
    text = await prompt_of(tx, mission, brief, agent, f"{now}\n{LEARNED}")
    await begin_work(tx, mission, agent, text, brief=brief.slug)


async def left_in_hand(reader: RowReader, mission: str, agent: str) -> bool:
    """Whether an agent that says it is done leaves a mission lying."""
    return await reader.the_scalar(SQL["left_in_hand"], {"mission": mission, "agent": agent}, of=bool)


VERBS = (pause, resume, fail)
