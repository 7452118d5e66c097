"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class SearchOpeningRow:
    """What a search begins with: what is called so (with `by_prefix` also what begins so), the model that serves, who of those
    who speak here is named, and the words in every language that is written here."""

    ids: list[UUID]
    model: int | None
    model_name: str | None
    names: list[str]
    speakers: list[UUID]
    terms: list[list[Any]] | None
