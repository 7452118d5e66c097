"""Common parts of an import's plan: the company, the plan so far, and which numbers and slugs are spoken for."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from hq.graph.records import Stored
from hq.json_types import Props
from hq.org.document.shape import DocumentRecord
from hq.org.importer.current_state import CurrentState
from hq.org.importer.plan import ImportPlan, ImportStep
from hq.org.types import Persona

AS_NEW = "--as-new takes no ids from the document and makes everything anew"


class ImportContext:
    """A document being read against a company."""

    def __init__(self, company: CurrentState, now: datetime, as_new: bool) -> None:
        self.company = company
        self.now = now
        self.as_new = as_new
        self.chart = None if as_new else company.chart
        self.plan = ImportPlan()
        self._numbers: set[tuple[str, int]] = set()
        self._slugs = dict(company.slugs)

    def number(self, record: DocumentRecord, key: str, what: str) -> int | None:
        """The id a record goes by; said twice in one document it is a mistake."""
        number = None if self.as_new else record.get(key)
        if number is not None and not self.take(what, number):
            self.plan.wrong(record.line_of(key), f"{key} {number} is said twice")
        return number

    def take(self, what: str, number: int) -> bool:
        """Whether a number of this kind was still free in the document."""
        free = (what, number) not in self._numbers
        self._numbers.add((what, number))
        return free

    def fresh_slug(self, record: DocumentRecord, key: str, number: int | None, id_key: str) -> str | None:
        """A slug that is asked for: it belongs to its number, and nothing else may have it."""
        slug = None if self.as_new else record.get(key)
        if slug is None:
            return None
        line = record.line_of(key)
        if number is None:
            self.plan.wrong(line, f"{key} goes with {id_key}; take it out, hq makes one")
        elif not slug.endswith(f"-{number}"):
            self.plan.wrong(line, f"{key} {slug} does not end with its number, -{number}")
        elif slug in self._slugs:
            self.plan.wrong(line, f"{slug} is already a {self._slugs[slug]} here; {AS_NEW}")
        self._slugs.setdefault(slug, id_key.removesuffix("_id"))
        return slug

    def persona_step(self, node: Stored[Persona]) -> ImportStep:
        """What becomes of a persona that is there; every part of the plan speaks of the same step."""
        step = ImportStep(
            "persona", node.id, node.props.name, node, slug=node.slug, restored=node.archived_at is not None
        )
        return self.plan.personas.setdefault(node.id, step)


def changes(node: Stored[Any], said: Props) -> Props:
    """Of what is said of a node, what is not so already."""
    return {name: value for name, value in said.items() if getattr(node.props, name) != value}
