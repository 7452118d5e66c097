"""`hq mission revise`: the terms of a mission, which change only by who gave it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from pydantic import Field

from hq.door.access import STAFF, Touch
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.types import Moment
from hq.json_types import Props
from hq.missions import new_wish
from hq.missions.budget import allot
from hq.missions.checks import read_checks
from hq.missions.completion import follow
from hq.missions.parties import Parties, check_open, parties
from hq.missions.suspension import send_back
from hq.missions.types import Mission
from hq.org.agent import Agent


class MissionReviseArgs(Args):
    """The new terms; what is not named stays."""

    ref: Ref = first()
    """Slug of the mission."""
    token_budget: int | None = Field(None, ge=0)
    """Tokens it may use."""
    cost_limit: float | None = Field(None, ge=0)
    """Money it may cost, in US dollars."""
    deadline: Moment | None = None
    """When it has to be done."""
    deliverables: list[str] | None = Field(None, max_length=50)
    """What it has to bring, in place of what it had to."""


@verb(
    "mission.revise",
    "write",
    for_=STAFF,
    touches=Touch("ref", "mission", operator="own", bars=True),
    undo="exact",
    emits="mission.revised",
    target="ref",
    examples=[{"ref": "flight-tracker", "token_budget": 200_000, "deadline": "2027-01-31"}],
)
async def revise(tx: Tx, args: MissionReviseArgs) -> Row:
    """Change the terms of a mission: what it may use, when it is due, what it has to bring."""
    who = await parties(tx, args.ref)
    check_open(who)
    terms = args.model_dump(exclude={"ref"}, exclude_none=True)
    if not terms:
        raise Refused.invalid("nothing to change; say --token-budget, --cost-limit, --deadline or --deliverable")
    mission = await set_terms(tx, who.mission, who.parent, terms)
    if mission.status == "review" and mission.props.deliverables != who.mission.props.deliverables:
        mission = await _back_to_work(tx, who, mission)
    elif mission.props.deliverables != who.mission.props.deliverables:
        brings = ", ".join(mission.props.deliverables) or "the outcome, accepted by a person"
        await new_wish.told(tx, who, f"What {mission.slug} has to bring has changed: {brings}.")
    tx.target = mission
    return row(mission)


async def _back_to_work(tx: Tx, who: Parties, mission: Stored[Mission]) -> Stored[Mission]:
    """What was handed in was looked at for something else; nothing closes on that."""
    why = f"What it has to bring has changed: {', '.join(mission.props.deliverables) or 'the outcome, accepted by a person'}"
    mission = await tx.move(mission, "in_progress", status_reason=why[:2000])
    await follow(tx, mission, "in_progress")
    if who.assignee is not None:
        await send_back(tx, mission, await tx.get(who.assignee, Agent), f"{why}. Hand it in anew.")
    return mission


async def set_terms(
    tx: Tx, mission: Stored[Mission], parent: UUID | None, terms: Props, **more: Any
) -> Stored[Mission]:
    if "deliverables" in terms:
        terms = terms | {"deliverables": [check.text for check in read_checks(terms["deliverables"])]}
    if parent is not None:
        above = await tx.get(parent, Mission)
        await allot(tx, above, terms.get("token_budget"), terms.get("cost_limit"), part=mission.id)
    return await tx.change(mission, terms | more)


VERBS = (revise,)
