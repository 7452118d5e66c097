"""Results of the organisation's verbs: with ids that say what they are the id of (seed 003 §1.3)."""

from __future__ import annotations

from typing import Any, TypedDict, TypeVar

from hq.door.results import Listing
from hq.door.verb import Result
from hq.graph.records import Stored
from hq.org.chart import Chart, Seat
from hq.org.types import Organisation, Persona, Role

T = TypeVar("T")


class OrganisationItem(TypedDict):
    organisation_id: int | None
    slug: str
    name: str
    purpose: str | None
    status: str
    description: str | None


class RoleItem(TypedDict):
    role_id: int | None
    slug: str
    name: str
    description: str | None


class PersonaItem(TypedDict):
    persona_id: int | None
    slug: str
    name: str
    role: str
    status: str
    description: str | None


class SeatItem(TypedDict):
    """A seat of a chart, with its lines upward and who sits there."""

    position_id: int | None
    slug: str
    title: str
    role: str | None
    level: int | None
    reports_to: str | None
    escalates_to: str | None
    is_cross_cutting: bool
    persona_slug: str | None


class OrgListing(Listing[T]):
    """Some of them, each whole."""


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


def organisation(org: Stored[Organisation]) -> OrganisationItem:
    props = org.props
    return {
        "organisation_id": org.number,
        "slug": org.slug,
        "name": props.name,
        "purpose": props.purpose,
        "status": props.status,
        "description": props.description,
    }


def role(node: Stored[Role]) -> RoleItem:
    return {"role_id": node.number, "slug": node.slug, "name": node.props.name, "description": node.props.description}


def persona(node: Stored[Persona]) -> PersonaItem:
    props = node.props
    return {
        "persona_id": node.number,
        "slug": node.slug,
        "name": props.name,
        "role": props.role,
        "status": props.status,
        "description": props.description,
    }


def seat(chart: Chart, found: Seat) -> SeatItem:
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
