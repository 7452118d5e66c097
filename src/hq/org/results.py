"""Results of the organisation's verbs: with ids that say what they are the id of (seed 003 §1.3)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from hq.door.verb import Result
from hq.graph.records import Stored
from hq.json_types import JsonObject
from hq.org.chart import Chart, Seat
from hq.org.types import Organisation, Persona, Role


class OrgListing(Result):
    """Some of them, each whole."""

    items: list[JsonObject] = Field(default_factory=list)


class OrgChanged(Result):
    """What a change left behind."""

    slug: str
    id: str
    label: str | None = None
    """Of an assignment: who, as what."""
    agents: list[str] | None = None
    """Agents that have no seat now."""


def org_changed(node: Stored[Any], **more: Any) -> OrgChanged:
    return OrgChanged.model_validate({"slug": node.slug, "id": str(node.id), f"{node.type}_id": node.number, **more})


def organisation(org: Stored[Organisation]) -> JsonObject:
    props = org.props
    return {
        "organisation_id": org.number,
        "slug": org.slug,
        "name": props.name,
        "purpose": props.purpose,
        "status": props.status,
        "description": props.description,
    }


def role(node: Stored[Role]) -> JsonObject:
    return {"role_id": node.number, "slug": node.slug, "name": node.props.name, "description": node.props.description}


def persona(node: Stored[Persona]) -> JsonObject:
    props = node.props
    return {
        "persona_id": node.number,
        "slug": node.slug,
        "name": props.name,
        "role": props.role,
        "status": props.status,
        "description": props.description,
    }


def seat(chart: Chart, found: Seat) -> JsonObject:
    props = found.position.props
    holder = found.holding.persona if found.holding else None
    return {
        "position_id": found.position.number,
        "slug": found.position.slug,
        "title": props.title,
        "role": found.role.props.name if found.role else None,
        "level": props.level,
        "reports_to": chart.title(found.reports_to),
        "escalates_to": chart.title(found.escalates_to),
        "is_cross_cutting": props.is_cross_cutting,
        "persona_slug": holder.slug if holder else None,
    }
