"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ViewColumnRow:
    """Every view and its columns."""

    view: str
    column: str
    type: str
