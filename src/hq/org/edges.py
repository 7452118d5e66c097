"""Links of the organisation: who sits where, what belongs to whom, what serves what."""

from __future__ import annotations

from hq.graph.types import Edge

EDGES = (
    Edge(
        "in_organisation",
        "The organisation it belongs to.",
        {"position": ("organisation",)},
        cardinality="one",
        upward="target",
        means="within",
    ),
    Edge(
        "in_organisation",
        "The organisation it belongs to.",
        {"objective": ("organisation",)},
        cardinality="one",
        by_hand=True,
    ),
    Edge("has_role", "The role it has.", {"position": ("role",), "persona": ("role",)}, cardinality="one"),
    Edge(
        "reports_to",
        "Who one reports to.",
        {"position": ("position",)},
        cardinality="one",
        inverse="manages",
    ),
    Edge("escalates_to", "The seat one escalates to.", {"position": ("position",)}, cardinality="one"),
    Edge(
        "fills",
        "The seat that is filled.",
        {"position_assignment": ("position",)},
        cardinality="exactly_one",
        upward="target",
        means="seat_of",
    ),
    Edge(
        "held_by",
        "The persona that sits there.",
        {"position_assignment": ("persona",)},
        cardinality="exactly_one",
        inverse="holds",
        upward="source",
        upward_while="active",
        means="holder",
    ),
    Edge("spent_by", "The seat on whose authority it was spent.", {"expense": ("position",)}, cardinality="one"),
    Edge("handed_over_by", "The agent that hands over.", {"handoff": ("agent",)}, cardinality="one"),
    Edge("handed_over_to", "The agent that takes over.", {"handoff": ("agent",)}, cardinality="one"),
    Edge(
        "serves",
        "The objective it serves.",
        {"objective": ("objective",)},
        evidence=True,
        upward="target",
        by_hand=True,
    ),
    Edge("authored_by", "Who or what wrote it.", {"handoff": ("agent", "agent_session")}, evidence=True),
)
