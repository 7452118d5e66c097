"""Rows of the completions' queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from hq.json_types import JsonSchema, StepJson


@dataclass(frozen=True, slots=True)
class CompletionRow:
    """A completion as it is: what was asked, how its session is, and what that is saying just now."""

    id: UUID
    agent: str
    state: str
    closed_as: str | None
    exit_code: int | None
    created_at: datetime
    ended_at: datetime | None
    client: str | None
    said: str | None
    format: JsonSchema | None
    draft: str | None
    draft_step: int | None


@dataclass(frozen=True, slots=True)
class ToldStepRow:
    """What was said in a completion, where it lay down and why it was given up."""

    step: int
    kind: str
    payload: StepJson


@dataclass(frozen=True, slots=True)
class CompletionCostRow:
    """What a completion cost, and how much of what went in came from a provider's cache."""

    cached: int
    cost: Decimal | None


@dataclass(frozen=True, slots=True)
class ListedCompletionRow:
    """The newest completions."""

    id: UUID
    agent: str
    state: str
    closed_as: str | None
    created_at: datetime
    client: str | None
    said: str | None
