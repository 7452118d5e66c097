"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass

from hq.asks.types import Proposal


@dataclass(frozen=True, slots=True)
class OpenProposalRow:
    """Proposals of a kind that wait for a decision."""

    slug: str
    props: Proposal
