"""Items of what `hq mind list` and `hq mind test` tell: tiers, minds, and what came of asking one."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from hq.minds.mind import Tier


class TierItem(TypedDict):
    """Who answers for a tier."""

    tier: Tier
    answers: str
    then: str
    """Who is asked when that one cannot answer, in order."""
    why: str


class BaseUrl(TypedDict, total=False):
    """Where a mind's server is, if that was said."""

    base_url: str


class MindItem(BaseUrl):
    """A mind that is set or was found."""

    name: str
    provider: str
    model: str
    tiers: str
    rank: int
    key: str
    state: str


class LackingMind(TypedDict):
    """Who was set and cannot be asked."""

    name: str
    says: str


class TriedMind(TypedDict):
    """What came of asking a mind something small."""

    name: str
    model: str
    ok: bool
    state: str
    said: str
    hint: NotRequired[str | None]
    """Of one that did not answer."""
    latency_ms: NotRequired[float]
    tokens_in: NotRequired[int]
    tokens_out: NotRequired[int]
    cost: NotRequired[str]
