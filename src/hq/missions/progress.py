"""`hq mission tree`: a mission with everything below it, how far each has come and what it all cost."""

from __future__ import annotations

from decimal import Decimal
from typing import TypedDict

from pydantic import Field

from hq.business.types import Deliverable
from hq.database.queries import beside
from hq.door.access import EVERYONE
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.graph.moment import parse_moment
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.missions.budget import left
from hq.missions.life import OVER
from hq.missions.rows import MissionBelowRow
from hq.missions.types import Mission

SQL = beside(__file__)


class MissionTreeArgs(Args):
    """Which mission."""

    ref: Ref = first()
    """Slug of the mission."""


class EvidenceShown(TypedDict):
    """What a mission has to bring, and what was found."""

    deliverable: str
    status: str | None
    seen: str | None


class MissionPart(TypedDict):
    """A mission of a tree, indented by how deep it lies."""

    slug: str
    title: str
    status: str
    tokens: int
    cost_usd: float | None
    deadline: str | None
    outcome: str | None
    """What came of it."""


class MissionTree(Result):
    slug: str
    status: str
    progress: str
    """How many of the parts are done, or of the mission itself if it has none."""
    states: dict[str, int] = Field(default_factory=dict)
    """How many of the whole are in each state."""
    tokens: int
    cached: int = 0
    """Of these, those read from a provider's cache."""
    cost_usd: float | None
    """What all of it cost; calls without a price are counted in `unpriced`. Nothing where no call has one."""
    unpriced: int = 0
    estimated: int = 0
    """Calls of which it is not known exactly what they cost, such as one that was broken off."""
    tokens_left: int | None = None
    usd_left: float | None = None
    overdue: list[str] = Field(default_factory=list)
    evidence: AsJson[list[EvidenceShown]] = Field(default_factory=list)
    """What the mission itself has to bring, and what was found."""
    items: AsJson[list[MissionPart]] = Field(default_factory=list)


@verb("mission.tree", "read", for_=EVERYONE, past=False, target="ref", examples=[{"ref": "flight-tracker"}])
async def tree(tx: Tx, args: MissionTreeArgs) -> MissionTree:
    """A mission rolled up: its parts to any depth, their states, evidence, cost and what is left to spend."""
    return await rolled_up(tx, args.ref)


async def rolled_up(tx: Tx, ref: str) -> MissionTree:
    mission = await tx.get(ref, Mission)
    tx.target = mission
    rows = await tx.rows(SQL["below"], {"id": mission.id}, into=MissionBelowRow)
    tx.taint |= {mark for each in rows if each.outcome for mark in each.taint}
    counted = rows[1:] or rows
    done = sum(each.status == "done" for each in counted)
    states: dict[str, int] = {}
    for each in rows:
        states[each.status] = states.get(each.status, 0) + 1
    there = await left(tx, mission.id)
    unpriced = int(sum(each.unpriced for each in rows))
    return MissionTree(
        slug=mission.slug,
        status=mission.status or "",
        progress=f"{done} of {len(counted)} done",
        states=states,
        tokens=int(sum(each.tokens for each in rows)),
        cached=int(sum(each.cached for each in rows)),
        cost_usd=_known(sum((each.usd for each in rows), Decimal(0)), unpriced),
        unpriced=unpriced,
        estimated=int(sum(each.estimated for each in rows)),
        tokens_left=there.tokens,
        usd_left=there.usd,
        overdue=[each.slug for each in rows if _overdue(tx, each)],
        evidence=await evidence_shown(tx, mission),
        items=[
            {
                "slug": each.slug,
                "title": "  " * each.depth + each.title,
                "status": each.status,
                "tokens": int(each.tokens),
                "cost_usd": _known(each.usd, int(each.unpriced)),
                "deadline": each.deadline,
                "outcome": each.outcome,
            }
            for each in rows
        ],
    )


def _known(usd: Decimal, unpriced: int) -> float | None:
    return float(usd) if usd or not unpriced else None


def _overdue(tx: Tx, row: MissionBelowRow) -> bool:
    return bool(row.deadline) and row.status not in OVER and parse_moment(row.deadline, tx.now) < tx.now


async def evidence_of(tx: Tx, mission: Stored[Mission]) -> dict[str, Stored[Deliverable]]:
    """What was found for each deliverable, by how the mission names it."""
    related = [EdgeFilter("fulfilled_by", mission.id, inward=True)]
    found = await tx.find(NodeFilter(types=[Deliverable.type], related=related, limit=200))
    return {each.props.check: each for each in found if each.props.check and each.external_source == "evidence"}


async def evidence_shown(tx: Tx, mission: Stored[Mission]) -> list[EvidenceShown]:
    found = await evidence_of(tx, mission)
    brought: list[EvidenceShown] = [
        {
            "deliverable": text,
            "status": found[text].status if text in found else "open",
            "seen": found[text].props.seen if text in found else None,
        }
        for text in mission.props.deliverables
    ]
    return brought + decided_shown(mission.props)


def decided_shown(mission: Mission) -> list[EvidenceShown]:
    """As a report has them, beside the deliverables."""
    status = {True: "accepted", False: "rejected", None: "open"}
    return [
        {"deliverable": f"decided: {point.result}", "status": status[point.passed], "seen": point.told}
        for point in mission.decided
    ]


async def used_below(tx: Tx, mission: Stored[Mission]) -> int:
    """Tokens that a mission and its parts used."""
    return int(sum(each.tokens for each in await tx.rows(SQL["below"], {"id": mission.id}, into=MissionBelowRow)))


async def open_parts(tx: Tx, mission: Stored[Mission]) -> list[str]:
    """Direct parts that are not over."""
    related = [EdgeFilter("parent_mission", mission.id)]
    parts = await tx.find(NodeFilter(types=[Mission.type], related=related, limit=1000))
    return [each.slug for each in parts if not each.over]


VERBS = (tree,)
