"""`hq objective`: what the company wants to reach, what was done for it, what that cost, and what serves nothing (P14)."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from pydantic import Field

from hq.business.types import Deliverable
from hq.database.queries import beside
from hq.door.access import EVERYONE, STAFF, Touch, at_home, within_organisation
from hq.door.json_shape import AsJson
from hq.door.nouns import nouns
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.missions.life import OVER
from hq.missions.rows import MeasurementRow, MissionCostRow
from hq.missions.types import Mission
from hq.org.types import Objective

SQL = beside(__file__)
MANY = 1000
AIM = Touch("ref", "aim", agent="org")
NEW_AIM = Touch("organisation", "aim", agent="org", when=lambda args: args.organisation is None)
"""An objective of no organisation is the whole company's."""
SHOWN = 50


class ObjectiveMeasureArgs(Args):
    """Which objective, and its number."""

    ref: Ref = first()
    """Slug or id of the objective."""
    value: float = first()
    """What was measured."""


@verb(
    "objective.measure",
    "write",
    for_=STAFF,
    touches=(at_home(), AIM),
    undo="exact",
    emits="objective.measured",
    target="ref",
    examples=[{"ref": "ten-paying-customers", "value": 4}],
)
async def measure(tx: Tx, args: ObjectiveMeasureArgs) -> Row:
    """Note where an objective stands by its number; say where it comes from with --reason."""
    objective = await tx.get(args.ref, Objective)
    tx.target = await tx.change(objective, {"measured_value": args.value, "measured_at": tx.now.isoformat()})
    return row(tx.target)


class ObjectiveReportArgs(Args):
    """Which objective."""

    ref: Ref | None = first(default=None)
    """Slug or id of the objective; left out, all that are pursued, and the work that serves none."""


class ObjectiveItem(TypedDict):
    """An objective with its number, and what was done for it; what is not known is left out."""

    objective: str
    text: str
    metric: NotRequired[str]
    baseline: NotRequired[float]
    measured: NotRequired[float]
    target: NotRequired[float]
    reached: NotRequired[str]
    missions: int
    done: int
    cost_usd: NotRequired[float]
    tokens: int
    unpriced_calls: NotRequired[int]
    usd_per_mission_done: NotRequired[float]
    usd_per_unit: NotRequired[float]


class BroughtItem(TypedDict):
    """What was brought for an objective, or measured."""

    at: str
    mission: NotRequired[str]
    what: str
    seen: str | None


class ObjectiveReport(Result):
    items: AsJson[list[ObjectiveItem]] = Field(default_factory=list)
    """Each objective with its number, the missions that serve it, what they cost, and what one outcome cost."""
    evidence: AsJson[list[BroughtItem]] = Field(default_factory=list)
    """What was brought for it, the latest first."""
    serving_none: list[str] = Field(default_factory=list)
    """Open missions that trace to no objective."""


@verb(
    "objective.report",
    "read",
    for_=EVERYONE,
    touches=at_home(optional=True),
    past=False,
    examples=[{}, {"ref": "ten-paying-customers"}],
)
async def report(tx: Tx, args: ObjectiveReportArgs) -> ObjectiveReport:
    """What was done for objectives and what that cost: evidence, cost per outcome, and work that serves none of them."""
    if args.ref:
        tx.target = objective = await tx.get(args.ref, Objective)
        serving = await _serving(tx, objective)
        return ObjectiveReport(
            items=[await _item(tx, objective, serving)], evidence=await _feed(tx, objective, serving)
        )
    pursued = await tx.find(NodeFilter(types=[Objective.type], status="active", limit=200))
    return ObjectiveReport(
        items=[await _item(tx, each, await _serving(tx, each)) for each in pursued],
        serving_none=await tx.scalars(SQL["serving_none"], {"closed": list(OVER)}, of=str),
    )


async def _serving(tx: Tx, objective: Stored[Objective]) -> list[Stored[Mission]]:
    """Missions of the objective and of those that serve it in turn."""
    below = await tx.find(NodeFilter(types=[Objective.type], related=[EdgeFilter("serves", objective.id)], limit=200))
    found = await tx.find(NodeFilter(types=[Mission.type], related=[EdgeFilter("serves", objective.id)], limit=MANY))
    for each in below:
        if each.id != objective.id:
            found += await tx.find(
                NodeFilter(types=[Mission.type], related=[EdgeFilter("serves", each.id)], limit=MANY)
            )
    return list({each.id: each for each in found}.values())


async def _item(tx: Tx, objective: Stored[Objective], serving: list[Stored[Mission]]) -> ObjectiveItem:
    props = objective.props
    done = sum(each.status == "done" for each in serving)
    cost = await tx.the_one(SQL["cost_of"], {"missions": [str(each.id) for each in serving]}, into=MissionCostRow)
    usd = float(cost.usd)
    moved = props.measured_value - (props.baseline_value or 0) if props.measured_value is not None else None
    told = {
        "objective": objective.slug,
        "text": objective.title,
        "metric": props.metric,
        "baseline": props.baseline_value,
        "measured": props.measured_value,
        "target": props.target_value,
        "reached": _reached(props),
        "missions": len(serving),
        "done": done,
        "cost_usd": usd if usd or not cost.unpriced else None,
        "tokens": int(cost.tokens),
        "unpriced_calls": int(cost.unpriced) or None,
        "usd_per_mission_done": round(usd / done, 4) if done and (usd or not cost.unpriced) else None,
        "usd_per_unit": round(usd / moved, 4) if moved and moved > 0 and (usd or not cost.unpriced) else None,
    }
    return ObjectiveItem(**{name: value for name, value in told.items() if value is not None})


def _reached(props: Objective) -> str | None:
    if props.target_value is None or props.measured_value is None:
        return None
    start = props.baseline_value or 0
    way = props.target_value - start
    return f"{100 * (props.measured_value - start) / way:.0f} %" if way else None


async def _feed(tx: Tx, objective: Stored[Objective], serving: list[Stored[Mission]]) -> list[BroughtItem]:
    """Accepted deliverables and measurements, the latest first."""
    found: list[BroughtItem] = []
    for mission in serving:
        related = [EdgeFilter("fulfilled_by", mission.id, inward=True)]
        brought = await tx.find(NodeFilter(types=[Deliverable.type], status="accepted", related=related, limit=SHOWN))
        found += [
            BroughtItem(at=_when(each), mission=mission.slug, what=each.title, seen=each.props.seen) for each in brought
        ]
    for version in await tx.rows(SQL["measurements"], {"id": objective.id, "limit": SHOWN}, into=MeasurementRow):
        found.append(
            {"at": version.at.isoformat(), "what": f"measured {float(version.value):g}", "seen": version.reason or None}
        )
    return sorted(found, key=lambda each: each["at"], reverse=True)[:SHOWN]


def _when(each: Stored[Deliverable]) -> str:
    return (each.props.shipped_at or each.created_at).isoformat()


VERBS = (
    measure,
    report,
    *nouns(
        Objective,
        touches=(at_home(), AIM, within_organisation("organisation")),
        makes=(within_organisation("organisation"), NEW_AIM),
        looks=at_home(),
        for_=STAFF,
        kept=("measured_value", "measured_at"),
        examples={
            "create": [{"current_text": "Ten paying customers", "metric": "paying customers", "target_value": 10}]
        },
    ),
)
