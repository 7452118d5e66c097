"""The shape of an organisation's document, key by key, and how it is read. Every fault has its line; none stops the
next."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from hq.json_types import YamlFields
from hq.org.document.yaml_tree import Branch, Fault, Scalar, YamlRows, YamlTable, grow
from hq.org.intent import HEADINGS, one_line
from hq.outside_yaml import YamlSyntaxError
from hq.suggestion import did_you_mean

LARGEST = 4 * 1024 * 1024
_NUMBER = re.compile(r"^[-+]?\d{1,10}$")
_AMOUNT = re.compile(r"^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$")
_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")
RUNTIME = {"agents", "active_agents", "agent", "agent_state", "state", "session", "sessions", "current_command",
           "context_usage", "priority_score", "priority_scores", "runtime"}  # fmt: skip


class WrongValue(Exception):
    """A value that is not what its key takes."""


@dataclass(frozen=True)
class DocumentRecord:
    """One thing the document speaks of: only the keys that are there, each with its line."""

    line: int
    said: YamlFields = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def get(self, key: str, otherwise: Any = None) -> Any:
        return self.said.get(key, otherwise)

    def line_of(self, key: str) -> int:
        return self.lines.get(key, self.line)


@dataclass(frozen=True)
class OrgDocument:
    """A document that could be read; whether it makes sense is another question."""

    organisation: DocumentRecord
    roles: list[DocumentRecord]
    positions: list[DocumentRecord]


Kind = Callable[[Branch], Any]


def _scalar(branch: Branch, wanted: str) -> Scalar:
    if not isinstance(branch, Scalar):
        raise WrongValue(f"takes {wanted}, not {'a list' if isinstance(branch, YamlRows) else 'a table'}")
    return branch


def text(branch: Branch) -> str:
    return _scalar(branch, "a text").text


def name(branch: Branch) -> str:
    said = text(branch).strip()
    if not 1 <= len(said) <= 500:
        raise WrongValue("takes a name of 1 to 500 characters")
    return said


def short(branch: Branch) -> str:
    said = text(branch).strip()
    if not 1 <= len(said) <= 64:
        raise WrongValue("takes 1 to 64 characters")
    return said


def slug(branch: Branch) -> str:
    said = text(branch)
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,199}", said):
        raise WrongValue(f"takes lower-case words with hyphens between, not {said[:40]!r}")
    return said


def number(branch: Branch) -> int:
    said = _scalar(branch, "a number").text
    if not _NUMBER.match(said) or not 1 <= int(said) <= 2**31 - 1:
        raise WrongValue(f"takes a whole number from 1 on, not {said[:40]!r}")
    return int(said)


def amount(branch: Branch) -> float:
    said = _scalar(branch, "a number").text
    if not _AMOUNT.match(said) or not math.isfinite(float(said)):
        raise WrongValue(f"takes a number, not {said[:40]!r}")
    return float(said)


def at_least_zero(branch: Branch) -> float:
    if (found := amount(branch)) < 0:
        raise WrongValue("takes a number from 0 on")
    return found


def flag(branch: Branch) -> bool:
    said = _scalar(branch, "true or false").text.lower()
    if said not in (*_YES, *_NO):
        raise WrongValue(f"takes true or false, not {said[:40]!r}")
    return said in _YES


def moment(branch: Branch) -> datetime:
    said = _scalar(branch, "a time").text
    try:
        found = datetime.fromisoformat(said)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise WrongValue(f"takes a time such as 2026-02-15T10:00:00Z, not {said[:40]!r}") from None
    if not 1900 <= found.year <= 2200:
        raise WrongValue("takes a time between the years 1900 and 2200")
    return found


def one_of(*choices: str) -> Kind:
    def read(branch: Branch) -> str:
        said = _scalar(branch, "a word").text
        if said not in choices:
            raise WrongValue(f"takes {', '.join(choices)}, not {said[:40]!r}{did_you_mean(said[:60], choices)}")
        return said

    return read


def currency(branch: Branch) -> str:
    said = text(branch)
    if not re.fullmatch(r"[A-Z]{3}", said):
        raise WrongValue(f"takes an ISO code such as USD, not {said[:40]!r}")
    return said


def items(branch: Branch) -> list[str]:
    if not isinstance(branch, YamlRows):
        raise WrongValue("takes a list")
    found = [one_line(text(item)) for item in branch.items]
    if not all(found):
        raise WrongValue("has an empty item; write it or take it out")
    return found


INTENT: Mapping[str, Kind] = dict.fromkeys(HEADINGS, items)
AUTHORITY: Mapping[str, Kind] = {
    "spend_per_transaction": at_least_zero,
    "spend_per_session": at_least_zero,
    "hard_stop_below": amount,
    "currency": currency,
}
ASSIGNMENT: Mapping[str, Kind] = {
    "persona_assignment_id": number,
    "persona_id": number,
    "persona_slug": slug,
    "persona_name": name,
    "persona_role": short,
    "assigned_at": moment,
    "skill_file": text,
    "experience_file": text,
}
ORGANISATION: Mapping[str, Kind] = {
    "organisation_id": number,
    "name": name,
    "purpose": short,
    "slug": slug,
    "description": text,
    "status": one_of("active", "dormant", "archived"),
    "philosophy": text,
    "risk_tolerance": one_of("cautious", "balanced", "aggressive"),
}
ROLE: Mapping[str, Kind] = {"role_id": number, "name": short, "description": text}
POSITION: Mapping[str, Kind] = {
    "position_id": number,
    "title": name,
    "role": short,
    "level": number,
    "reports_to": name,
    "escalates_to": name,
    "is_cross_cutting": flag,
    "description": text,
}
TABLES: Mapping[str, Mapping[str, Kind]] = {"intent": INTENT, "authority": AUTHORITY, "assignment": ASSIGNMENT}
EMPTY = ("description", "philosophy", "reports_to", "escalates_to", "assignment", "intent", "authority",
         "spend_per_transaction", "spend_per_session", "hard_stop_below", *HEADINGS)  # fmt: skip
"""Keys that may be said to be nothing; an id or an assignment's detail that is nothing is as if it were not said."""
UNSAID = ("organisation_id", "role_id", "position_id", "slug", *ASSIGNMENT)


def read(source: str) -> tuple[OrgDocument | None, list[Fault]]:
    """The document and what is wrong with it. Without faults there is a document."""
    if len(source) > LARGEST:
        return None, [Fault(0, f"the document is larger than {LARGEST // 1024} KB")]
    try:
        tree = grow(source)
    except YamlSyntaxError as broken:
        return None, [Fault(broken.line, str(broken))]
    reader = _Reader()
    document = reader.document(tree)
    return document, sorted(reader.faults, key=lambda fault: fault.line)


class _Reader:
    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def document(self, tree: Branch) -> OrgDocument | None:
        top = ("organisation", "roles", "positions")
        if not isinstance(tree, YamlTable):
            self._wrong(tree.line, "the document is a table with organisation, roles and positions")
            return None
        for key, (line, _) in tree.entries.items():
            if key not in top:
                self._unknown(line, "the document", key, top)
        if "organisation" not in tree.entries:
            self._wrong(tree.line, "there is no organisation; the document begins with `organisation:`")
            return None
        _, branch = tree.entries["organisation"]
        organisation = self._record(branch, "organisation", ORGANISATION, ("intent",))
        roles = self._records(tree, "roles", "role", ROLE, ())
        positions = self._records(tree, "positions", "position", POSITION, ("authority", "assignment"))
        return OrgDocument(organisation, roles, positions)

    def _records(
        self, tree: YamlTable, key: str, what: str, shape: Mapping[str, Kind], tables: tuple[str, ...]
    ) -> list[DocumentRecord]:
        line, branch = tree.entries.get(key, (tree.line, YamlRows(tree.line)))
        if isinstance(branch, Scalar) and branch.nothing:
            return []
        if not isinstance(branch, YamlRows):
            self._wrong(line, f"{key} takes a list")
            return []
        return [self._record(item, what, shape, tables) for item in branch.items]

    def _record(
        self, branch: Branch, what: str, shape: Mapping[str, Kind], tables: tuple[str, ...] = ()
    ) -> DocumentRecord:
        record = DocumentRecord(branch.line)
        if not isinstance(branch, YamlTable):
            self._wrong(branch.line, f"{what} takes a table of keys and values")
            return record
        for key, (line, value) in branch.entries.items():
            if key in tables or key in shape:
                self._said(record, key, line, value, shape, key in tables)
            else:
                self._unknown(line, what, key, (*shape, *tables))
        return record

    def _said(
        self, record: DocumentRecord, key: str, line: int, value: Branch, shape: Mapping[str, Kind], table: bool
    ) -> None:
        record.lines[key] = line
        if isinstance(value, Scalar) and value.nothing:
            if key in EMPTY:
                record.said[key] = [] if key in HEADINGS else None
            elif key not in UNSAID:
                self._wrong(line, f"{key} cannot be empty")
            return
        if table:
            record.said[key] = self._record(value, key, TABLES[key])
            return
        try:
            record.said[key] = shape[key](value)
        except WrongValue as unfit:
            self._wrong(line, f"{key} {unfit}")

    def _unknown(self, line: int, what: str, key: str, known: tuple[str, ...]) -> None:
        if key in RUNTIME:
            self._wrong(line, f"{key[:60]} is runtime state, which is never imported; take it out")
        else:
            self._wrong(
                line, f"{what} has no key {key[:60]!r}{did_you_mean(key[:60], known)}; it takes {', '.join(known)}"
            )

    def _wrong(self, line: int, message: str) -> None:
        self.faults.append(Fault(line, message))
