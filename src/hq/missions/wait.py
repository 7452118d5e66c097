"""`hq mission wait`: until missions are over, or need a word. A session that waits costs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from pydantic import Field

from hq.door.access import STAFF
from hq.door.gate import DECIDED
from hq.door.json_shape import AsJson
from hq.door.results import Awaited
from hq.door.tx import Tx
from hq.door.verb import Args, first, verb
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.json_types import ModelJson
from hq.missions.life import OVER
from hq.missions.overview import GIVEN_OUT, MissionState, needs, pending_hires, stands
from hq.missions.types import Mission

_MOVED = (
    "accepted", "answered", "assigned", "checked", "closed", "countered", "declined", "done", "evidence", "failed", "given_up",
    "paused", "plan_settled", "planned", "resumed", "reverted", "revised", "signed_off", "status_changed", "submitted",
)  # fmt: skip
_QUIET = ("archived", "changed", "created", "imported", "noted", "restored", "updated", "woken")
_SETTLING = (
    "closed",
    "countered",
    "declined",
    "done",
    "evidence",
    "failed",
    "planned",
    "resumed",
    "revised",
    "status_changed",
)
MOVED = tuple(f"mission.{event}" for event in _MOVED)
"""Events after which somebody who waits for an answer about a mission may have it."""
SETTLING = tuple(f"mission.{event}" for event in _SETTLING)
"""Of these, the ones that can leave a mission over, or in need of a word: the others wake nobody who waits for that."""
ENDED = ("approval.cancelled", "approval.expired")
"""How a hire that somebody waits for may come to nothing, beside the ways in which it is decided."""
QUIET = tuple(f"mission.{event}" for event in _QUIET)
"""Events that are nothing to them."""


class MissionWaitArgs(Args):
    """For which."""

    missions: list[str] = first(min_length=1, max_length=200)
    """Slugs of missions."""
    first_of: bool = False
    """Go on as soon as one of them is settled, instead of all."""


class SettledMission(TypedDict):
    """What came of a mission; what there is not is left out."""

    mission: str
    status: str
    needs: NotRequired[str]
    outcome: NotRequired[str]
    why: NotRequired[str]
    opens: NotRequired[str]
    cost: NotRequired[str]
    plan: NotRequired[str]
    counter: NotRequired[ModelJson]


class Settled(Awaited):
    items: AsJson[list[SettledMission]] = Field(default_factory=list)
    """What came of each: its state, its outcome, or what its agent asks for."""
    missions: list[str] | None = None
    first_of: bool | None = None
    expires_at: str | None = None
    """When to look again, whatever happens."""


async def _settled(tx: Tx, earlier: Mapping[str, Any]) -> Settled:
    return await _look(tx, list(earlier["missions"]), bool(earlier.get("first_of")))


@verb("mission.wait", "wait", for_=STAFF, result_of_wait=_settled, examples=[{"missions": ["flight-tracker"]}])
async def wait(tx: Tx, args: MissionWaitArgs) -> Settled:
    """Wait until missions are done, failed or given back, or their agent asks for other terms, a plan's yes or a sign-off."""
    return await _look(tx, args.missions, args.first_of)


async def _look(tx: Tx, refs: list[str], first_of: bool) -> Settled:
    # Before the missions: what is settled now is in what is seen of them. Counted from further back, an event that
    # was seen already would end the wait at once, again and again.
    settled = await tx.the_scalar("select chained from ops.announcer", of=int)
    missions = [await _awaited(tx, await tx.get(ref, Mission)) for ref in refs]
    under_way = [each for each in missions if each.needs is None]
    if under_way and not (first_of and len(under_way) < len(missions)):
        # One that needs a word wakes whoever waits even while others are under way: they may wait for it themselves.
        asking = [each for each in missions if each.needs and not each.mission.over]
        if not asking:
            return Settled(
                waits_for=list(dict.fromkeys(thing for each in under_way for thing in each.things)),
                waits_on=[*SETTLING, *DECIDED, *ENDED],
                waits_since=max(settled, min(each.mission.seq for each in under_way)),
                expires_at=(tx.now + GIVEN_OUT).isoformat() if any(each.hired for each in under_way) else None,
                missions=refs,
                first_of=first_of,
            )
    return Settled(items=[await _told(tx, each) for each in missions])


@dataclass(frozen=True)
class AwaitedMission:
    """A mission that somebody waits for."""

    mission: Stored[Mission]
    needs: str | None
    """Why it is no use to wait on; nothing while it is."""
    things: list[str]
    """By whose events it moves on."""
    hired: bool = False
    """Somebody was hired for it, and is about to be given it."""


async def _awaited(tx: Tx, mission: Stored[Mission]) -> AwaitedMission:
    """One that nobody was given moves on by the hire that waits for a yes, or by its parts, as long as none of them needs a word."""
    need, things, hired = needs(mission), [f"mission:{mission.id}"], False
    if mission.status == "backlog":
        hires = await pending_hires(tx, mission)
        things += [f"approval:{each.id}" for each in hires]
        hired = any(each.status == "done" for each in hires)
        related = [EdgeFilter("parent_mission", mission.id)]
        found = await tx.find(NodeFilter(types=[Mission.type], related=related, limit=200))
        parts = [await _awaited(tx, part) for part in found if part.status not in OVER]
        things += [thing for part in parts for thing in part.things]
        if len(things) > 1:
            need = next((f"{part.mission.slug}: {part.needs}" for part in parts if part.needs), None)
        hired = hired or any(part.hired for part in parts)
    return AwaitedMission(mission, need, things, hired)


async def _told(tx: Tx, awaited: AwaitedMission) -> SettledMission:
    """What came of it, with all that a report of it needs."""
    mission = awaited.mission
    props, now = mission.props, await stands(tx, mission) if mission.status in (*OVER, "review") else MissionState()
    told = {
        "mission": mission.slug,
        "status": props.status,
        "needs": awaited.needs,
        "outcome": props.outcome_summary,
        "why": props.status_reason,
        "opens": now.get("opens"),
        "cost": now.get("cost"),
        "plan": props.plan if props.status == "planning" else None,
        "counter": props.counter.model_dump(mode="json", exclude_none=True) if props.counter else None,
    }
    return SettledMission(**{name: value for name, value in told.items() if value is not None})


VERBS = (wait,)
