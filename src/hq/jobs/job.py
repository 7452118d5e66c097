"""A job, declared once by its room: what it is, what sets it off, how what is due is found, and the work itself.

Looking is SQL and free; only where something is due it runs, and only a run that did something leaves a row.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, LiteralString, Protocol
from uuid import UUID

from pydantic import JsonValue

from hq.door.door import Door
from hq.engine.tenancy import rows
from hq.stream.topics import Topics

if TYPE_CHECKING:
    from hq.door.tx import Tx
    from hq.jobs.run import JobRun

HOUSE_KIND = "house"
"""The kind of those that are declared here whole; any other kind has rows of its own."""


@dataclass(frozen=True)
class Cron:
    """At times of the company's own day or week: once, and once for all that were missed."""

    expression: str

    def __str__(self) -> str:
        return self.expression


@dataclass(frozen=True)
class Every:
    """Again and again, in seconds of machine time."""

    seconds: float

    def __str__(self) -> str:
        return f"every {self.seconds:g} s"


class Topic:
    """When an event of these topics was announced; where many come, at most one look in so many seconds."""

    def __init__(self, *patterns: str, pause: float = 0.05) -> None:
        self.patterns = patterns
        self.pause = pause
        self._topics = Topics(patterns)

    def match(self, topic: str) -> bool:
        return self._topics.match(topic)

    def __str__(self) -> str:
        return "news" if self.patterns == ("*",) else " ".join(self.patterns)


@dataclass(frozen=True)
class OwnTime:
    """Each of this kind has a row with its own cron expression or moment: an agent's beats, the founder's schedules."""

    def __str__(self) -> str:
        return "its own time"


JobTrigger = Cron | Every | Topic | OwnTime


@dataclass(frozen=True)
class JobDue:
    """Something to do in a company: now, or where it says when, then."""

    tenant: UUID
    item: str | None = None
    """Which of several things there; each is a run of its own, beside the others."""
    at: datetime | None = None
    facts: object = None
    """What was seen of it, for the work: the row that it was found by."""


@dataclass(frozen=True)
class JobResult:
    """What a run did. A run that did nothing has none."""

    did: str
    many: int = 1
    result: JsonValue = None
    session: UUID | None = None
    """The session it opened; what that costs is read there."""
    tokens: int | None = None
    cost_usd: Decimal | None = None


@dataclass(frozen=True, slots=True)
class JobRow:
    """The jobs of this company that have a row, or one of them."""

    name: str
    kind: str
    node_id: UUID | None
    agent: str | None
    cron: str | None
    zone: str | None
    says: str
    state: str
    next_at: datetime | None
    taken: datetime | None
    tries: int
    last_at: datetime | None
    paused_by: str | None


@dataclass(frozen=True, slots=True)
class TenantDueRow:
    """A company in which a job has something to do."""

    tenant_id: UUID


@dataclass(frozen=True, slots=True)
class TenantRow:
    """A company, by its name, and where it is."""

    tenant_id: UUID
    slug: str
    time_zone: str


class DueRow(Protocol):
    """What a question for something due gives at least."""

    @property
    def tenant_id(self) -> UUID: ...


Look = Callable[[Door, datetime], Awaitable[Sequence[JobDue]]]
Work = Callable[["JobRun"], Awaitable[JobResult | None]]


@dataclass(frozen=True, kw_only=True)
class Job:
    name: str
    says: str
    """What it does, in one line."""
    on: tuple[JobTrigger, ...]
    work: Work
    """Resumable: everything it must know to go on is in the database. Its calls carry the run's key."""
    due: Look | None = None
    """Where there is something to do. None: in every company, whenever it is set off."""
    ready: Callable[[JobRun], Awaitable[bool]] | None = None
    """Whether an occurrence may begin now; one that may not stays due."""
    by_hand: Callable[[Tx, JobRow], Awaitable[None]] | None = None
    """Asked before somebody has it run by hand: the house does it for them, with more rights than theirs. It may refuse."""
    switched: Callable[[Tx, JobRow, bool], Awaitable[None]] | None = None
    """What pausing and resuming one with a row of its own does beside it."""
    timeout: float = 300.0
    """Seconds after which a run has failed."""
    overlap: int = 1
    """How many runs for the same thing may go on at once."""
    together: int = 16
    """How many of its runs one process has at once."""
    while_frozen: bool = False
    """Also in a company that is frozen."""
    outlives: bool = False
    """A run goes on where its process no longer leads: what it works on is held in another way."""

    def __post_init__(self) -> None:
        if any(isinstance(trigger, Topic) for trigger in self.on) and self.due is None:
            raise TypeError(f"job {self.name}: what news set off has to say where something is due")

    @property
    def own_times(self) -> bool:
        return any(isinstance(trigger, OwnTime) for trigger in self.on)

    @property
    def cron(self) -> str | None:
        return next((trigger.expression for trigger in self.on if isinstance(trigger, Cron)), None)

    @property
    def every(self) -> float | None:
        return next((trigger.seconds for trigger in self.on if isinstance(trigger, Every)), None)

    @property
    def topic(self) -> Topic | None:
        return next((trigger for trigger in self.on if isinstance(trigger, Topic)), None)

    @property
    def triggers(self) -> str:
        return ", ".join(map(str, self.on))


class JobRegistry:
    """Every job by name; put together at composition."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self.jobs: dict[str, Job] = {}
        for each in jobs:
            if each.name in self.jobs:
                raise TypeError(f"job {each.name!r} is declared twice")
            self.jobs[each.name] = each

    def __iter__(self) -> Iterator[Job]:
        return iter(self.jobs.values())

    @property
    def of_house(self) -> list[Job]:
        return [job for job in self if not job.own_times]


def found_by(question: LiteralString, *, into: type[DueRow] = TenantDueRow, **values: Any) -> Look:
    """What a question to the database names, asked with the moment as `now`: `tenant_id`, and where there are several
    things in a company `item`, and `at` where one is for later."""

    async def look(door: Door, now: datetime) -> list[JobDue]:
        found = await rows(door.pool, question, {"now": now, **values}, into=into)
        return [JobDue(row.tenant_id, getattr(row, "item", None), getattr(row, "at", None), row) for row in found]

    return look


every_company: Look = found_by("select * from ops.companies()", into=TenantRow)
