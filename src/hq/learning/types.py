"""Types of what was learned and can be used again: playbooks, examples that worked, lessons from what did not.

Seed 002 §39 and §40. Edits, grades and trajectories are rows of the machine; these are what is made of them.
"""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Edge, Moment, Name, Node, Part, Relation, Share

Grade = Literal["good", "bad", "missing", "unnecessary"]


class TrajectoryStep(Part):
    """One step of a trajectory, with the founder's grade."""

    action_type: str
    """What was done, as the verb or tool is called."""
    action_id: str | None = None
    """Row of the action in the ledger; none for a step that was missing."""
    summary: str = ""
    """What it looked at or did."""
    grade: Grade | None = None
    """What the founder thought of it."""
    note: str | None = None
    """What the founder said about it."""


class Playbook(Node):
    """A procedure the company has learned: tried on a few, kept if it helps, dropped if it does not."""

    type = "playbook"
    title_field = "title"
    moves = {
        "proposed": ("canary", "archived"),
        "canary": ("active", "archived"),
        "active": ("canary", "decayed", "archived"),
        "decayed": ("active", "archived"),
        "archived": ("proposed",),
    }
    columns = ("category", "measured_effect", "measured_uses")
    relations = {"supersedes": Relation("supersedes", "Playbook it replaces.")}

    title: Name
    """What the procedure is for."""
    category: str = "general"
    """Shelf it stands on."""
    body_md: str = Field(min_length=1, max_length=4096)
    """The procedure, in at most 4096 characters of plain markdown."""
    status: Literal["proposed", "canary", "active", "decayed", "archived"] = "proposed"
    """Whether it is proposed, tried, used, or out of use."""
    trigger: str | None = None
    """When to use it."""
    sensitive: list[Literal["financial", "legal", "compliance"]] = Field(default_factory=list)
    """Fields it touches in which it is never activated without a person."""
    canary_id: str | None = None
    """Mark on everything that ran under it while it was tried."""
    canary_fraction: Share = 0.2
    """Share of the traffic it is tried on."""
    canary_ends_at: Moment | None = None
    """When the trial is over."""
    measured_effect: float | None = None
    """Difference it made to success, as last measured."""
    measured_uses: int | None = Field(default=None, ge=0)
    """How many uses that measurement rests on."""
    measured_at: Moment | None = None
    """When it was last measured."""


class SuccessExample(Node):
    """Work the founder was content with, kept with the procedure that led to it, names taken out."""

    type = "success_example"
    title_field = "title"
    moves = {"active": ("decayed", "archived"), "decayed": ("active", "archived"), "archived": ("active",)}
    columns = ("action_type", "promotion", "diff_score")
    relations = {"agent": Relation("about", "Agent whose work it is.")}

    title: Name
    """What it is an example of."""
    action_type: str
    """What sort of work it is, such as `email_reply`."""
    promotion: Literal["auto_promoted", "auto_promoted_with_caveat", "pinned"] = "auto_promoted"
    """How it became an example; a pinned one never decays."""
    status: Literal["active", "decayed", "archived"] = "active"
    """Whether it is shown before similar work."""
    artifact_md: str
    """What was made, with personal data taken out."""
    situation_md: str | None = None
    """What was asked for, with personal data taken out."""
    trajectory_summary: str | None = None
    """How it was made, in short."""
    trajectory: list[TrajectoryStep] = Field(default_factory=list)
    """How it was made, step by step, with grades."""
    caveat: str | None = None
    """What to do as well the next time."""
    edit_type: Literal["accepted", "tweaked", "rewrote", "rejected", "abandoned"] = "accepted"
    """What the founder did with it."""
    diff_score: Share = 0
    """How far the founder's version is from the agent's, from 0 to 1."""
    task_id: str | None = None
    """Task whose actions are the trajectory."""
    promoted_at: Moment | None = None
    """When it became an example."""


class Lesson(Node):
    """What went wrong once and should not again, with the measured effect of knowing it."""

    type = "lesson"
    title_field = "title"
    moves = {"active": ("retired",), "retired": ("active",)}
    columns = ("action_type", "measured_effect")
    relations = {"agent": Relation("about", "Agent it was learned by.")}

    title: Name
    """What not to do, in one line."""
    action_type: str
    """What sort of work it is about, such as `email_reply`."""
    body_md: str = Field(max_length=4096)
    """What went wrong and what to do instead, in markdown."""
    status: Literal["active", "retired"] = "active"
    """Whether it is shown before similar work."""
    steps: list[TrajectoryStep] = Field(default_factory=list)
    """The steps that were graded bad or missing."""
    task_id: str | None = None
    """Task it was learned from."""
    measured_effect: float | None = None
    """Difference it made to success, as last measured; it is retired when it harms."""
    measured_uses: int | None = Field(default=None, ge=0)
    """How many uses that measurement rests on."""


NODES: tuple[type[Node], ...] = (Playbook, SuccessExample, Lesson)

_ORIGINS = ("agent_run", "agent_session", "interaction", "review", "agent_incident", "mission", "reasoning_trace")

EDGES = (
    Edge("applied_by", "A run that followed it.", {"playbook": ("agent_run",)}),
    Edge(
        "spawned_from",
        "What it came out of.",
        {
            "playbook": (*_ORIGINS, "proposal", "success_example"),
            "success_example": _ORIGINS,
            "lesson": _ORIGINS,
        },
        evidence=True,
        inverse="spawned",
    ),
    Edge("about", "What it concerns.", dict.fromkeys(("success_example", "lesson"), ("agent", "entity", "project"))),
    Edge("supersedes", "What it replaces.", {"playbook": ("playbook",)}, evidence=True, inverse="superseded_by"),
    Edge("superseded_by", "What replaced it.", {"playbook": ("playbook",)}, inverse="supersedes"),
)
