"""Edges of signals: who said what to whom, what it concerns, what came of it."""

from __future__ import annotations

from hq.graph.types import ANY, Edge

_SPEAKERS = ("contact", "entity", "agent", "persona")
_SUBJECTS = ("entity", "contact", "engagement", "project", "feature", "task", "invoice", "document", "mission", "agent")
_PROOF = ("interaction", "document", "event", "task", "deliverable", "memo")

EDGES = (
    Edge("from", "Who said it.", {"interaction": _SPEAKERS}, cardinality="one", by_hand=True, means="said_by"),
    Edge("to", "Who it was said to.", {"interaction": _SPEAKERS}, by_hand=True),
    Edge("cc", "Who got a copy.", {"interaction": _SPEAKERS}, by_hand=True),
    Edge("has_participant", "Who took part.", {"interaction": _SPEAKERS, "conversation": _SPEAKERS}, by_hand=True),
    Edge("has_attachment", "A file that came with it.", {"interaction": ("document",)}, by_hand=True),
    Edge(
        "part_of", "The larger whole it happened in.", {"interaction": ("conversation",)}, by_hand=True, means="said_in"
    ),
    Edge(
        "about",
        "What it concerns.",
        {
            **dict.fromkeys(("interaction", "conversation", "intent", "expectation"), _SUBJECTS),
            "alert": ("agent", "producer", "project", "mission", "schedule", "organisation"),
        },
        by_hand=True,
    ),
    Edge(
        "extracted_from",
        "What it was read from.",
        {"intent": ("interaction",), "expectation": ("interaction", "document")},
        evidence=True,
        by_hand=True,
    ),
    Edge("addressed_to", "Who is asked.", {"intent": ("contact", "agent", "persona")}, by_hand=True),
    Edge(
        "fulfilled_by",
        "What proves that it was met.",
        {"intent": _PROOF, "expectation": _PROOF},
        evidence=True,
        inverse="fulfils",
        by_hand=True,
    ),
    Edge(
        "spawned",
        "Work that came out of it.",
        dict.fromkeys(("intent", "interaction", "alert"), ("task", "mission")),
        inverse="spawned_from",
        by_hand=True,
    ),
    Edge(
        "spawned_from",
        "What it came out of.",
        {
            "expectation": ("intent", "event", "interaction"),
            "triage_decision": ("interaction", "intent"),
            "alert": ("schedule", "agent_run"),
        },
        evidence=True,
        inverse="spawned",
        by_hand=True,
    ),
    Edge("owed_by", "Who owes it.", {"expectation": ("contact", "entity", "agent")}, by_hand=True),
    Edge("owed_to", "Who it is owed to.", {"expectation": ("contact", "entity", "agent")}, by_hand=True),
    Edge(
        "supersedes",
        "What it replaces.",
        {"expectation": ("expectation",), "intent": ("intent",)},
        evidence=True,
        inverse="superseded_by",
        by_hand=True,
    ),
    Edge(
        "superseded_by",
        "What replaced it.",
        {"expectation": ("expectation",), "intent": ("intent",)},
        inverse="supersedes",
        by_hand=True,
    ),
    Edge("turn_of", "The conversation whose turn it is.", {"turn_state": ("conversation",)}, cardinality="exactly_one"),
    Edge("last_turn_by", "Who spoke last.", {"turn_state": _SPEAKERS}, cardinality="one"),
    Edge("decided", "What was written because of it.", {"triage_decision": (ANY,)}, inverse="decided_by"),
)
