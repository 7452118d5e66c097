"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AskedBudgetRow:
    """What was asked about a limit since its period began, newest first."""

    id: UUID
    slug: str
    status: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class MindCallRow:
    """Model calls, newest first."""

    id: int
    agent_id: str
    session_id: UUID | None
    step: int | None
    model: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    cost_usd: Decimal | None
    priced: bool
    estimated: bool
    latency_ms: int | None
    error: str | None
    purpose: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class CostRow:
    """What the models cost, by agent, mission, model or day."""

    who: str
    calls: int
    failed: int
    unpriced: int
    estimated: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    cost_usd: Decimal


@dataclass(frozen=True, slots=True)
class PastCostRow:
    """What one of a kind cost before."""

    who: str
    cost_usd: Decimal
    calls: int
    unpriced: int
    tokens: int
    days: int

    @property
    def priced(self) -> bool:
        """Whether anybody knows what it cost: calls that failed show nothing of the price of those that have none."""
        return bool(self.cost_usd or (self.tokens and not self.unpriced))


@dataclass(frozen=True, slots=True)
class BudgetLimitRow:
    """One limit as it is now; of a limit on runs, what this session has used."""

    scope: str
    period: str
    usd_soft: Decimal | None
    usd_hard: Decimal | None
    tokens_soft: Decimal | None
    tokens_hard: Decimal | None
    heavy_soft: Decimal | None
    heavy_hard: Decimal | None
    usd: Decimal
    tokens: Decimal
    heavy: Decimal
    reserved_usd: Decimal
    reserved_tokens: Decimal
    reserved_heavy: Decimal
    began_at: datetime | None
    turns_at: datetime | None


@dataclass(frozen=True, slots=True)
class BudgetStateRow(BudgetLimitRow):
    """Every limit that binds somebody, or those of one scope, with what is used of it."""

    budget: str | None


@dataclass(frozen=True, slots=True)
class BudgetStopRow:
    """Where agents stopped, and whether that limit would still be in their way."""

    agent: str
    scope: str
    period: str
    stands: bool


@dataclass(frozen=True, slots=True)
class FreezeRow:
    """Freezes in force then."""

    scope: str
    reason: str
    until: datetime | None
    created_at: datetime
    created_by: str


@dataclass(frozen=True, slots=True)
class HomeRow:
    """These nodes, what these calls wrote, and everything that belongs to, upward."""

    type: str
    slug: str


@dataclass(frozen=True, slots=True)
class SealedSecretRow:
    """A secret, still encrypted."""

    name: str
    version: int
    key_id: str
    nonce: bytes
    ciphertext: bytes


@dataclass(frozen=True, slots=True)
class SecretRow(SealedSecretRow):
    """One secret, still encrypted."""

    created_at: datetime
    created_by: str


@dataclass(frozen=True, slots=True)
class ListedSecretRow:
    """The names of the secrets."""

    name: str
    version: int
    key_id: str
    created_at: datetime
    created_by: str
