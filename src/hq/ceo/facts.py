"""Facts of what the CEO noticed, one model for what a trigger's query in triggers.sql says and its rule goes by.

An occurrence may be of an earlier release, or an event as it was told: what it lacks has its default, and what it says besides
is kept, for a mind is told all of it.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from hq.door.json_shape import AsJson
from hq.json_types import CallArgs, ModelJson
from hq.missions.progress import EvidenceShown


class Facts(BaseModel):
    """Facts about nothing in particular, such as that it is quiet."""

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True, defer_build=True)

    def as_json(self) -> ModelJson:
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


F = TypeVar("F", bound=Facts, covariant=True)


class MessageFacts(Facts):
    """The founder's message that nobody works on."""

    why: str | None = None


class MissionFacts(Facts):
    """A mission that came back."""

    mission: str
    id: str
    title: str
    status: str
    agent: str | None = None
    outcome: str | None = None
    why: str | None = None
    files: str | None = None
    start: str | None = None
    signs: str | None = None
    """Which agent signs it off; nobody where the founder does."""
    called_off: bool = False
    """Whoever gave it wanted it no longer."""
    signed: str | None = None
    """Who did."""
    tokens: int = 0
    cached: int = 0
    """Of these, those read from a provider's cache."""
    cost_usd: float | None = 0.0
    unpriced: int = 0
    """Calls without a price."""
    estimated: int = 0
    """Calls of which it is not known exactly what they cost."""
    evidence: AsJson[list[EvidenceShown]] = []
    parts: int = 0


class LeftMissionFacts(MissionFacts):
    """A mission that was left lying."""

    ended: str | None = None
    """How the last session on it did."""
    progress: str | None = None
    """How many of its parts are done."""


class AskFacts(Facts):
    """An ask that waits, or was answered."""

    slug: str = ""
    approval: str | None = None
    verb: str = ""
    by: str | None = None
    why: str | None = None
    hours: int = 0
    became: str | None = None


class OptionFacts(BaseModel):
    """An option of a question, as far as it is told: what it does is looked up with the question."""

    label: str


class DecidedFacts(Facts):
    """A question of an agent's that another agent answered, or what it does about something that the house found."""

    ask: str
    type: str
    title: str
    found: bool = False
    """Nobody asked: the house found it."""
    answer: str
    by: str
    agent: str | None = None
    because: list[str] | None = None
    """What the answer rests on, in words."""
    options: list[OptionFacts] | None = None


class BacklogFacts(Facts):
    """A mission that nobody was given."""

    mission: str
    priority: str | None = None
    deadline: datetime | None = None
    overdue: bool = False


class OverloadFacts(Facts):
    """More work than hands."""

    agents: int
    backlog: int
    titles: list[str] | None = None
    taken: list[str] | None = None
    """Names that somebody has."""


class SkillFacts(Facts):
    """A skill that would be of use, and is off or not given to who would use it."""

    skill: str
    title: str
    state: str = "disabled"
    says: str | None = None
    for_: str = Field(validation_alias="for", serialization_alias="for")
    """What it would be of use for."""
    agent: str | None = None
    """Who would use it, where somebody has the mission."""


class BudgetFacts(Facts):
    """A limit that is near, or reached."""

    reached: bool
    on: str = ""
    period: str = ""
    measure: str = ""
    hard: int | float | None = None
    says: str = ""
    working: list[str] | None = None
    raise_to: CallArgs | None = None
    """What would let it go on, as arguments of `budget.raise`."""


class ScheduleFacts(Facts):
    """What came of a schedule."""

    state: str
    schedule: str = ""
    agent: str = ""
    session: str | None = None
    notify: str | None = None
    why: str | None = None
    text: str | None = None


class AwayMindFacts(Facts):
    """A provider that does not answer, or whose quota is used up, and who waits for it."""

    why: str
    until: str | None = None
    """When it is tried again; nothing where it is just now."""
    since: str
    waiting: list[str] = []
    """Agents."""
    others: list[str] = []
    """Minds that are set for something else."""
    scripted: bool = False
    """Whether the script answers already where nobody else can."""


class JobFacts(Facts):
    """A job that failed."""

    job: str = ""
    error: str | None = None


class FounderFacts(Facts):
    """Somebody waits for the founder: by an ask, or by a message that is none."""

    ask: str = ""
    message: str = ""
    title: str
    agent: str | None = None
    mission: str | None = None
    says: str | None = None
    taint: list[str] = []
