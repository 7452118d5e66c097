"""The three ways to delegate (seed 000 §C): to whom was approved, by asking each time, or at will below a threshold."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from hq.missions.types import Brief

By = Literal["pre_approved", "autonomous"]


@dataclass(frozen=True)
class DelegationVerdict:
    """Whether a part may be given out at once, by which rule, or why somebody has to be asked."""

    by: By | None
    why: str


def judge(
    brief: Brief, target: str, tokens: int | None, spent: int, *, standing: Collection[str] = ()
) -> DelegationVerdict:
    """`spent` is what was given to helpers before, `standing` whom it may always call on, by any rule. A part of unknown size is
    asked about where there is a limit."""
    named = target in brief.agents_approved or "*" in brief.agents_approved
    budget = brief.delegation_budget
    match brief.delegation_rules:
        case "request_approval" if target not in standing:
            return DelegationVerdict(None, "the brief says to ask each time")
        case _ if not named and target not in standing:
            return DelegationVerdict(None, f"{target} is not among the approved collaborators")
        case _ if budget is not None and (tokens is None or spent + tokens > budget):
            left = max(budget - spent, 0)
            return DelegationVerdict(None, f"of {budget:,} tokens for helpers {left:,} are left")
        case "autonomous":
            threshold = brief.escalation_threshold
            if threshold is not None and (tokens is None or tokens > threshold):
                return DelegationVerdict(None, f"it is above the threshold of {threshold:,} tokens")
            return DelegationVerdict("autonomous", "the team is its own to build")
        case _:
            return DelegationVerdict("pre_approved", f"{target} is approved, and within the budget for helpers")
