"""Types of signals: interactions, intents, expectations, turns, alerts, and who said so.

Seed 002 §9 (communication, signal and value layer), §11 and §12.
"""

from __future__ import annotations

from hq.graph.types import Node
from hq.signals.types.alert import Alert
from hq.signals.types.conversation import Channel, Conversation, Interaction, TurnState
from hq.signals.types.edges import EDGES
from hq.signals.types.obligation import Expectation, Intent, Urgency
from hq.signals.types.triage import TriageDecision, TriageValues

NODES: tuple[type[Node], ...] = (
    Interaction,
    Conversation,
    Intent,
    Expectation,
    TurnState,
    TriageDecision,
    Alert,
)

__all__ = [
    "EDGES",
    "NODES",
    "Alert",
    "Channel",
    "Conversation",
    "Expectation",
    "Intent",
    "Interaction",
    "TriageDecision",
    "TriageValues",
    "TurnState",
    "Urgency",
]
