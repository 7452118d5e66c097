"""Missions, and what is learned during one (seed 000 B to E, seed 003 §3)."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Moment, Name, Node, Part, Relation
from hq.missions.life import CALLED_OFF, IN_HAND, OVER, TAKEN_BACK, MissionStatus


class Counter(Part):
    """Other terms an agent would take a mission on."""

    note: str = Field(min_length=1)
    """Why, in words for the commander."""
    token_budget: int | None = Field(default=None, ge=0)
    """Tokens it would need."""
    cost_limit: float | None = Field(default=None, ge=0)
    """Money it would need, in US dollars."""
    deadline: Moment | None = None
    """When it could be done."""
    deliverables: list[str] = Field(default_factory=list)
    """What it would bring instead; none named means what was asked for."""


class DecidedPoint(Part):
    """Something that was decided half-way, and what was seen of it in the result."""

    question: str = Field(min_length=1)
    """What was asked."""
    answer: str
    """What was decided."""
    by: str
    """Who decided it."""
    check: str | None = None
    """What shows that the result keeps to it, such as `command:python3 -m unittest -k decided`; nothing where no check does."""
    passed: bool | None = None
    """Whether it did, when it was last looked at."""
    seen: str | None = None
    """What was seen then."""
    overruled: str | None = None
    """What held when it was handed in, where the founder decided otherwise since."""

    @property
    def line(self) -> str:
        """As the brief holds the agent to it."""
        return f"Decided: {self.question} → {self.answer}"

    @property
    def result(self) -> str:
        """What the result goes by, for a report; never as binding."""
        return f"{self.overruled} (overruled: {self.answer})" if self.overruled else self.answer

    @property
    def told(self) -> str:
        """For a report."""
        if self.overruled:
            return "decided otherwise since it was handed in"
        if self.check is None:
            return "no check shows it; look for yourself"
        return f"checked by {self.check}" + (f" ({self.seen})" if self.seen else "")


class Mission(Node):
    """A unit of delegated work, nested, with a brief, a workspace and evidence."""

    type = "mission"
    means = "work"
    holds_back = ("paused",)
    over = OVER
    in_hand = IN_HAND
    title_field = "title"
    drawn = ("assigned_to", "commanded_by", "parent_mission", "fulfilled_by", "continues")
    moves = {
        "backlog": ("planning", "assigned", "paused", "failed"),
        "planning": ("backlog", "assigned", "in_progress", "paused", "failed"),
        "assigned": ("backlog", "planning", "in_progress", "paused", "failed"),
        "in_progress": ("backlog", "planning", "assigned", "review", "paused", "failed"),
        "review": ("in_progress", "done", "paused", "failed"),
        "done": ("in_progress", "taken_back"),
        "failed": ("backlog", "planning", "assigned", "taken_back"),
        "taken_back": (),
        "paused": ("backlog", "planning", "assigned", "in_progress", "review", "failed"),
    }
    columns = ("category", "deadline", "token_budget", "cost_limit")
    relations = {
        "assignee": Relation("assigned_to", "Who works on it."),
        "commander": Relation("commanded_by", "Who gave it and accepts the result."),
        "parent": Relation("parent_mission", "Mission it is a part of."),
        "objective": Relation("serves", "Objective it serves."),
        "organisation": Relation("in_organisation", "Organisation it is done in."),
        "about": Relation("about", "What it concerns."),
        "depends_on": Relation("depends_on", "What has to be finished first.", many=True),
        "continues": Relation("continues", "Mission whose work it goes on with, on the same files."),
    }

    title: Name
    """What is to be done, in one line."""
    description: str | None = None
    """What is to be done, at length."""
    status: MissionStatus = "backlog"
    """Where the mission stands; it is done when its evidence has been accepted, and `taken_back` when its change of the files was undone."""
    priority: Literal["low", "medium", "high", "critical"] = "medium"
    """How much it matters."""
    category: str | None = None
    """What sort of work it is, such as `coding/webapp`; its workspace is sorted by it."""
    context_notes: str | None = None
    """The CEO's notes about it."""
    acceptance_criteria: list[str] = Field(default_factory=list)
    """What must be true for it to be accepted."""
    plan: list[str] = Field(default_factory=list)
    """Steps the agent intends to take; work of three or more starts by stating them."""
    plan_accepted_at: Moment | None = None
    """When the commander let the plan go ahead."""
    spec_ref: str | None = None
    """Specification it was taken from, such as a change directory or a line of a task list."""
    skills: list[str] = Field(default_factory=list)
    """Skills it needs, by slug: whoever works on it has them for that long."""
    token_budget: int | None = Field(default=None, ge=0)
    """Tokens it may use."""
    cost_limit: float | None = Field(default=None, ge=0)
    """Money it may cost, in US dollars."""
    deadline: Moment | None = None
    """When it has to be done."""
    deliverables: list[str] = Field(default_factory=list)
    """What it has to bring, each with how that is checked: `file:…`, `command:…`, `url:…`, or words a person accepts."""
    decided: list[DecidedPoint] = Field(default_factory=list)
    """What was decided half-way; the brief says it, and the evidence looks for it."""
    counter: Counter | None = None
    """Other terms the assignee asks for; nothing once they were answered."""
    failed_checks: int = Field(default=0, ge=0)
    """How often it was handed in and the evidence was not there."""
    outcome_summary: str | None = None
    """What came out."""
    lessons_learned: str | None = None
    """What to do differently next time; feeds the company's memory."""
    status_reason: str | None = None
    """Why it is paused, failed or back in the backlog."""
    called_off: bool = False
    """Of one that is `failed`: whoever gave it, or leads them, wanted it no longer. Nobody failed."""
    workspace_path: str | None = None
    """Directory it is worked on in, such as `missions/coding/webapp/app1`."""
    files_at: str | None = None
    """Where what was made is, on the machine of hq; nothing before it was handed in."""
    start_with: str | None = None
    """The command that starts what was made, among its files; it listens on the port in PORT."""
    began_with: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    """The snapshot of the files it goes on with, where there were any."""
    brought: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    """The snapshot that was handed in."""
    started_at: Moment | None = None
    """When work began."""
    completed_at: Moment | None = None
    """When it was accepted."""

    @property
    def became(self) -> str:
        """Its state, in the word for people: ended by who wanted it no longer, it has not failed."""
        if self.status == "taken_back":
            return TAKEN_BACK
        return CALLED_OFF if self.status == "failed" and self.called_off else self.status


class MissionMemory(Node):
    """Something learned during one mission: a note, a decision, a blocker, a finding or a question."""

    type = "mission_memory"
    plural = "mission_memories"
    title_field = "content"
    columns = ("kind", "author")
    relations = {"mission": Relation("for_mission", "Mission it is for.")}

    content: str = Field(min_length=1)
    """What was learned."""
    kind: Literal["note", "decision", "blocker", "finding", "question"] = "note"
    """What sort of memory it is."""
    author: str = Field(pattern=r"^(founder|ceo|system|agent:.+)$")
    """Who wrote it: `founder`, `ceo`, `agent:<slug>` or `system`."""
