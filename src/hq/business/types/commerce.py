"""Commerce: offered, invoiced, paid and spent (seed 002 §9, commercial flow)."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Edge, Moment, Name, Node, Part, Relation, Share


class CommerceLine(Part):
    """One line of a quote, an invoice or an order."""

    description: str
    """What is sold."""
    quantity: float = Field(default=1, ge=0)
    """How many."""
    unit_price: float = 0
    """Price of one, before tax."""
    tax_rate: Share | None = None
    """Tax on it, as a fraction."""


class Quote(Node):
    """A priced proposal, before an engagement becomes a contract."""

    type = "quote"
    title_field = "title"
    moves = {
        "draft": ("sent", "declined"),
        "sent": ("draft", "accepted", "declined", "expired"),
        "accepted": (),
        "declined": ("draft",),
        "expired": ("draft",),
    }
    columns = ("amount", "currency", "valid_until")
    relations = {"engagement": Relation("proposes", "Engagement the quote is for.")}

    title: Name
    """What is proposed."""
    status: Literal["draft", "sent", "accepted", "declined", "expired"] = "draft"
    """Where the quote stands."""
    amount: float | None = Field(default=None, ge=0)
    """Total before tax."""
    currency: str = Field(default="EUR", pattern=r"^[A-Z]{3}$")
    """Currency of the amount, by its ISO code."""
    lines: list[CommerceLine] = Field(default_factory=list)
    """What the amount is made of."""
    body_md: str | None = None
    """The proposal's text, in markdown."""
    sent_at: Moment | None = None
    """When it was sent."""
    valid_until: Moment | None = None
    """Until when it holds."""


class Invoice(Node):
    """A bill to a customer, mirrored from the invoicing system, which stays the source of truth."""

    type = "invoice"
    timed = True
    title_field = "invoice_number"
    moves = {
        "draft": ("issued", "void"),
        "issued": ("partially_paid", "paid", "overdue", "void"),
        "partially_paid": ("paid", "overdue", "void"),
        "overdue": ("partially_paid", "paid", "void"),
        "paid": ("partially_paid",),
        "void": (),
    }
    occurred = "issued_at"
    columns = ("amount", "currency", "due_at")
    relations = {
        "entity": Relation("billed_to", "Entity that pays."),
        "work": Relation("for_work", "Engagement, project or feature it is for."),
    }

    invoice_number: Name
    """Number on the invoice."""
    status: Literal["draft", "issued", "partially_paid", "paid", "overdue", "void"] = "draft"
    """Where the invoice stands."""
    amount: float = Field(ge=0)
    """Total to pay, with tax."""
    tax_amount: float | None = Field(default=None, ge=0)
    """How much of it is tax."""
    currency: str = Field(default="EUR", pattern=r"^[A-Z]{3}$")
    """Currency of the amount, by its ISO code."""
    lines: list[CommerceLine] = Field(default_factory=list)
    """What the amount is made of."""
    issued_at: Moment | None = None
    """When it was issued."""
    due_at: Moment | None = None
    """When it has to be paid."""


class Payment(Node):
    """Money received, or credited, against an invoice."""

    type = "payment"
    timed = True
    title_field = "reference"
    occurred = "paid_at"
    columns = ("kind", "amount", "currency", "paid_at")
    relations = {"invoice": Relation("settles", "Invoice it settles.")}

    reference: Name
    """What the bank or the invoicing system calls it."""
    kind: Literal["partial", "full", "credit_note"] = "full"
    """Whether it settles the invoice in part, in full, or by a credit note."""
    amount: float = Field(ge=0)
    """How much was paid or credited."""
    currency: str = Field(default="EUR", pattern=r"^[A-Z]{3}$")
    """Currency of the amount, by its ISO code."""
    method: str | None = None
    """How it was paid, such as `transfer`."""
    paid_at: Moment | None = None
    """When it was paid."""


class Expense(Node):
    """Money spent, charged to an engagement or project."""

    type = "expense"
    title_field = "description"
    occurred = "incurred_at"
    columns = ("category", "amount", "currency", "incurred_at")
    relations = {"engagement": Relation("charged_to", "Engagement or project it is charged to.")}

    description: Name
    """What the money went for."""
    category: str | None = None
    """Group it is booked under."""
    amount: float = Field(ge=0)
    """How much was spent."""
    currency: str = Field(default="EUR", pattern=r"^[A-Z]{3}$")
    """Currency of the amount, by its ISO code."""
    vendor: str | None = None
    """Who was paid."""
    billable: bool = False
    """Whether the customer pays for it."""
    receipt_url: str | None = None
    """Where the receipt is."""
    incurred_at: Moment | None = None
    """When it was spent."""


class ShopifyOrder(Node):
    """An order in a web shop, imported from Shopify."""

    type = "shopify_order"
    title_field = "order_number"
    moves = {"open": ("closed", "cancelled"), "closed": ("open",), "cancelled": ()}
    occurred = "ordered_at"
    redaction = "personal"
    columns = ("shop", "total", "currency", "financial_status")
    relations = {"customer": Relation("billed_to", "Entity or contact that ordered.")}

    order_number: Name
    """Number of the order in the shop."""
    shop: str
    """Shop it was placed in."""
    status: Literal["open", "closed", "cancelled"] = "open"
    """Where the order stands."""
    financial_status: (
        Literal[
            "pending",
            "authorized",
            "partially_paid",
            "paid",
            "partially_refunded",
            "refunded",
            "voided",
        ]
        | None
    ) = None
    """Whether it is paid, in Shopify's words."""
    fulfillment_status: Literal["unfulfilled", "partial", "fulfilled", "restocked"] | None = None
    """Whether it is shipped, in Shopify's words."""
    total: float = Field(default=0, ge=0)
    """Total of the order."""
    currency: str = Field(default="EUR", pattern=r"^[A-Z]{3}$")
    """Currency of the total, by its ISO code."""
    lines: list[CommerceLine] = Field(default_factory=list)
    """What was ordered."""
    ordered_at: Moment | None = None
    """When it was placed."""


NODES: tuple[type[Node], ...] = (Quote, Invoice, Payment, Expense, ShopifyOrder)

EDGES = (
    Edge("proposes", "The engagement a quote is for.", {"quote": ("engagement",)}, cardinality="one", by_hand=True),
    Edge(
        "billed_to",
        "Who pays.",
        {"invoice": ("entity",), "shopify_order": ("entity", "contact")},
        cardinality="one",
        by_hand=True,
    ),
    Edge("for_work", "What an invoice is for.", {"invoice": ("engagement", "project", "feature")}, by_hand=True),
    Edge("settles", "The invoice a payment settles.", {"payment": ("invoice",)}, by_hand=True),
    Edge(
        "charged_to",
        "What an expense is charged to.",
        {"expense": ("engagement", "project")},
        cardinality="one",
        by_hand=True,
    ),
)
