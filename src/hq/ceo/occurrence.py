"""An occurrence: one thing that the CEO noticed, as the rules get it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypedDict

from hq.ceo.facts import F
from hq.ceo.quiet_hours import Severity
from hq.json_types import ModelJson


class SeenItem(TypedDict):
    """Something noticed, as it is told."""

    trigger: str
    severity: Severity
    key: str
    facts: ModelJson


@dataclass(frozen=True)
class Occurrence(Generic[F]):
    trigger: str
    subject: str
    n: int
    severity: Severity
    facts: F
    taint: frozenset[str] = frozenset()
    """Where words in the facts came from, if from outside."""

    @property
    def key(self) -> str:
        return f"{self.trigger}:{self.subject}:{self.n}"

    def as_json(self) -> SeenItem:
        facts = self.facts.as_json()
        return {"trigger": self.trigger, "severity": self.severity, "key": self.key, "facts": facts}


Seen = Sequence[Occurrence[F]]
