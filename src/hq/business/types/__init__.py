"""Types of a company's business: customers and deals, the work for them, the money, and what is known and decided."""

from __future__ import annotations

from hq.business.types import commerce, crm, execution, knowledge
from hq.business.types.commerce import CommerceLine, Expense, Invoice, Payment, Quote, ShopifyOrder
from hq.business.types.crm import Contact, Engagement, Entity
from hq.business.types.execution import Deliverable, Event, Feature, Project, Task
from hq.business.types.knowledge import Decision, Document, KbArticle, Memo, OpenQuestion, Risk
from hq.graph.types import Edge, Node

NODES: tuple[type[Node], ...] = crm.NODES + execution.NODES + commerce.NODES + knowledge.NODES
EDGES: tuple[Edge, ...] = crm.EDGES + execution.EDGES + commerce.EDGES + knowledge.EDGES

__all__ = [
    "EDGES",
    "NODES",
    "CommerceLine",
    "Contact",
    "Decision",
    "Deliverable",
    "Document",
    "Engagement",
    "Entity",
    "Event",
    "Expense",
    "Feature",
    "Invoice",
    "KbArticle",
    "Memo",
    "OpenQuestion",
    "Payment",
    "Project",
    "Quote",
    "Risk",
    "ShopifyOrder",
    "Task",
]
