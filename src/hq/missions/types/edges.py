"""Edges of missions: who works on one and who gave it, what it serves, waits for and came out of."""

from __future__ import annotations

from hq.graph.types import Edge

_WORKERS = ("agent", "persona", "position", "contact")
_SUBJECTS = (
    "entity",
    "contact",
    "engagement",
    "project",
    "feature",
    "task",
    "deliverable",
    "document",
    "organisation",
    "position",
    "persona",
    "agent",
    "skill",
)

EDGES = (
    Edge(
        "assigned_to",
        "Who is to do it.",
        {"mission": _WORKERS, "brief": _WORKERS, "schedule": ("agent", "persona", "position")},
        cardinality="one",
        inverse="works_at",
        means="does",
    ),
    Edge(
        "commanded_by", "Who gave it and accepts the result.", {"mission": _WORKERS}, cardinality="one", means="gives"
    ),
    Edge(
        "parent_mission",
        "The mission it is a part of.",
        {"mission": ("mission",)},
        cardinality="one",
        evidence=True,
        inverse="sub_missions",
        upward="target",
        means="part",
    ),
    Edge(
        "for_mission",
        "The mission it is for.",
        dict.fromkeys(("mission_memory", "brief", "delegation", "workspace"), ("mission",)),
        cardinality="one",
        evidence=True,
    ),
    # Who works on one works on the files of the other, so nobody draws it by hand.
    Edge(
        "continues",
        "The mission whose work it goes on with, on the same files.",
        {"mission": ("mission",)},
        cardinality="one",
        evidence=True,
        means="resumes",
    ),
    Edge("serves", "The objective it serves.", {"mission": ("objective",)}, evidence=True),
    Edge(
        "in_organisation",
        "The organisation it belongs to.",
        {"mission": ("organisation",), "schedule": ("organisation",)},
        cardinality="one",
    ),
    Edge("about", "What it concerns.", {"mission": _SUBJECTS}),
    Edge(
        "discussed_in",
        "The conversation it is talked about in.",
        {"mission": ("conversation",), "brief": ("conversation",)},
        by_hand=True,
    ),
    Edge(
        "parent_brief",
        "The brief that is delegated from.",
        {"delegation": ("brief",)},
        cardinality="one",
        evidence=True,
    ),
    Edge("child_brief", "The narrowed brief of the helper.", {"delegation": ("brief",)}, cardinality="one"),
    Edge("delegated_to", "The agent that is to help.", {"delegation": ("agent",)}, cardinality="one"),
    Edge("requested_by", "Who asks for it.", {"delegation": ("agent",)}, cardinality="one"),
    Edge(
        "authored_by",
        "Who or what wrote it.",
        dict.fromkeys(("mission_memory", "brief"), ("agent", "contact", "agent_run", "agent_session")),
        evidence=True,
    ),
    Edge(
        "blocked_by",
        "What keeps it from going on.",
        {
            "mission": (
                "mission",
                "project",
                "feature",
                "task",
                "question",
                "approval",
                "review",
                "risk",
                "open_question",
                "decision",
            )
        },
        inverse="blocks",
        by_hand=True,
    ),
    Edge(
        "blocks",
        "What it keeps from going on.",
        {"mission": ("mission", "project", "feature", "task")},
        inverse="blocked_by",
        by_hand=True,
    ),
    Edge(
        "depends_on",
        "What has to be finished first.",
        {"mission": ("mission", "project", "feature", "task", "deliverable", "decision")},
    ),
    Edge(
        "spawned",
        "Work that came out of it.",
        {"mission": ("task", "mission"), "schedule": ("task", "mission")},
        inverse="spawned_from",
        by_hand=True,
    ),
    Edge(
        "spawned_from",
        "What it came out of.",
        {
            "mission": (
                "intent",
                "event",
                "interaction",
                "conversation",
                "expectation",
                "alert",
                "schedule",
                "proposal",
                "mission",
            ),
        },
        evidence=True,
        inverse="spawned",
        by_hand=True,
    ),
    Edge(
        "fulfilled_by",
        "What proves that it was met.",
        {"mission": ("deliverable", "document", "memo", "event", "interaction", "task", "agent_run")},
        evidence=True,
        inverse="fulfils",
    ),
    Edge("supersedes", "What it replaces.", {"brief": ("brief",)}, evidence=True, inverse="superseded_by"),
    Edge("superseded_by", "What replaced it.", {"brief": ("brief",)}, inverse="supersedes"),
)
