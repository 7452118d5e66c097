"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass

from hq.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class OpenProposalRow:
    """Proposals of a kind that wait for a decision."""

    slug: str
    props: JsonObject
