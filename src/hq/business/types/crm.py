"""Customers, the people at them, and the deals (seed 002 §9, CRM core)."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Edge, Moment, Name, Node, Relation, Share


class Entity(Node):
    """A person or an organisation: a customer, partner, prospect, supplier or own venture."""

    type = "entity"
    plural = "entities"
    redaction = "personal"
    columns = ("kind", "relationship", "temperature", "email")

    name: Name
    """What it is called."""
    kind: Literal["person", "org"] = "org"
    """Whether it is one person or an organisation."""
    relationship: Literal["prospect", "customer", "partner", "supplier", "own_venture"] = "prospect"
    """What it is to the company."""
    temperature: Literal["hot", "warm", "cool", "cold"] | None = None
    """How the relationship feels, as last observed."""
    email: str | None = None
    """Main e-mail address."""
    phone: str | None = None
    """Main telephone number, with country code."""
    website: str | None = None
    """Address of its website."""
    address: str | None = None
    """Postal address."""
    tax_id: str | None = None
    """Tax number used on invoices."""
    preferred_language: str | None = None
    """Language tag for everything written to it, such as `pt-PT`."""
    description_md: str | None = None
    """What to know about it, in markdown."""


class Contact(Node):
    """One human being who can be written to, met or held accountable; may work for several entities."""

    type = "contact"
    redaction = "personal"
    columns = ("email", "phone", "job_title")
    relations = {
        "entity": Relation("works_for", "Entity the person works for."),
        "manager": Relation("reports_to", "Contact the person reports to."),
    }

    name: Name
    """Full name."""
    email: str | None = None
    """Main e-mail address."""
    phone: str | None = None
    """Main telephone number, with country code; also used for messengers."""
    job_title: str | None = None
    """What the person does where they work."""
    preferred_language: str | None = None
    """Language tag for everything written to the person, such as `pt-PT`."""
    timezone: str | None = None
    """Time zone by its IANA name, such as `Europe/Lisbon`."""
    style_notes: str | None = None
    """How the person likes to be written to."""


class Engagement(Node):
    """One proposed deal with a customer, from discovery to delivery, or a partnership, or a refusal."""

    type = "engagement"
    state_field = "stage"
    moves = {
        "discovery": ("proposal", "partner", "declined"),
        "proposal": ("discovery", "contract", "partner", "declined"),
        "contract": ("proposal", "delivery", "declined"),
        "delivery": ("contract", "partner"),
        "partner": ("discovery", "proposal", "declined"),
        "declined": ("discovery",),
    }
    columns = ("price", "currency", "maintenance_months", "expected_close_at")
    relations = {"entity": Relation("covers", "Entity the deal is with.")}

    name: Name
    """What the deal is called."""
    stage: Literal["discovery", "proposal", "contract", "delivery", "partner", "declined"] = "discovery"
    """How far the deal has come."""
    description_md: str | None = None
    """What is offered, in markdown."""
    price: float | None = Field(default=None, ge=0)
    """Price of the whole deal."""
    currency: str = Field(default="EUR", pattern=r"^[A-Z]{3}$")
    """Currency of the price, by its ISO code."""
    maintenance_months: int | None = Field(default=None, ge=0)
    """Months of maintenance sold with it."""
    probability: Share | None = None
    """How likely it is to be won, for the forecast."""
    expected_close_at: Moment | None = None
    """When it is expected to be decided."""
    turnaround_sla_hours: int | None = Field(default=None, ge=1)
    """Hours within which a message of the customer is answered; its conversations inherit it."""


NODES: tuple[type[Node], ...] = (Entity, Contact, Engagement)

EDGES = (
    Edge(
        "owned_by",
        "The entity it belongs to.",
        {"contact": ("entity",)},
        cardinality="one",
        by_hand=True,
        upward="target",
    ),
    Edge("owned_by", "The entity it belongs to.", {"project": ("entity",)}, cardinality="one"),
    Edge("works_for", "The entity a person works for.", {"contact": ("entity",)}, inverse="employs", by_hand=True),
    Edge(
        "reports_to",
        "Who one reports to.",
        {"contact": ("contact",)},
        cardinality="one",
        inverse="manages",
        by_hand=True,
    ),
    Edge("covers", "The entity a deal is with.", {"engagement": ("entity",)}, cardinality="one", by_hand=True),
)
