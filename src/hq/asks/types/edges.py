"""Edges of asks: who asks whom, about what, and what it came out of."""

from __future__ import annotations

from hq.graph.types import ANY, Edge

_ASKED = ("agent", "persona", "position", "contact")

EDGES = (
    Edge(
        "for_mission",
        "The mission it is for.",
        dict.fromkeys(("question", "approval", "escalation", "proposal"), ("mission",)),
        cardinality="one",
        evidence=True,
    ),
    Edge(
        "requested_by",
        "Who asks for it.",
        dict.fromkeys(("question", "approval", "proposal", "escalation", "grant"), ("agent", "persona", "contact")),
        cardinality="one",
    ),
    Edge(
        "addressed_to",
        "Who is asked.",
        dict.fromkeys(("approval", "proposal", "review", "escalation", "question"), _ASKED),
    ),
    Edge(
        "resolved_by",
        "Who or what resolved it.",
        dict.fromkeys(("review", "escalation", "question"), ("contact", "agent", "agent_run")),
        evidence=True,
    ),
    Edge(
        "about",
        "What it concerns.",
        dict.fromkeys(("question", "approval", "review", "proposal", "escalation"), (ANY,)),
    ),
    Edge(
        "spawned_from",
        "What it came out of.",
        {
            "grant": ("approval", "decision", "proposal"),
            "review": (
                "proposal",
                "reasoning_trace",
                "interaction",
                "agent_incident",
                "memory_entry",
                "triage_decision",
            ),
            "proposal": ("agent_incident", "review", "reasoning_trace", "agent_run", "lesson", "success_example"),
            "escalation": ("question", "agent_incident", "mission_memory", "approval"),
            "question": ("mission_memory", "agent_run", "agent_session"),
            "approval": ("agent_run", "agent_session", "proposal", "interaction"),
        },
        evidence=True,
        inverse="spawned",
    ),
    Edge("supersedes", "What it replaces.", {"proposal": ("proposal",)}, evidence=True, inverse="superseded_by"),
    Edge("superseded_by", "What replaced it.", {"proposal": ("proposal",)}, inverse="supersedes"),
    Edge(
        "blocks",
        "What it keeps from going on.",
        {"question": ("mission",), "approval": ("mission",)},
        inverse="blocked_by",
    ),
)
