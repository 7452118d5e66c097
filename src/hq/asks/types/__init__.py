"""Asks: whatever waits for somebody's word. Approvals and the grants they leave, proposals, reviews, escalations, questions.

Each type keeps the seeds' own words for its states (seed 000 E, seed 002 §33 to §37, seed 003 §4 and §6) and says where each
of them stands in the one life that they share: open, then answered, withdrawn or expired.
"""

from __future__ import annotations

from hq.asks.ask import ActingOption, Ask, Option
from hq.asks.types.approval import Approval, Grant
from hq.asks.types.edges import EDGES
from hq.asks.types.escalation import Escalation
from hq.asks.types.proposal import Proposal
from hq.asks.types.question import Question
from hq.asks.types.review import Review
from hq.graph.types import Node

ASKS: tuple[type[Ask], ...] = (Approval, Proposal, Review, Escalation, Question)
NODES: tuple[type[Node], ...] = (Question, Approval, Grant, Review, Proposal, Escalation)

__all__ = [
    "ASKS",
    "EDGES",
    "NODES",
    "ActingOption",
    "Approval",
    "Ask",
    "Escalation",
    "Grant",
    "Option",
    "Proposal",
    "Question",
    "Review",
]
