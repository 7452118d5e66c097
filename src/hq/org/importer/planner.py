"""Reads a document against the company: update by id, create without, keep what is not mentioned (seed 003 §1.4)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from hq.ids import new_id
from hq.json_types import Props
from hq.org.checks import ChartSeat, flaws, oddities, same_title
from hq.org.document.shape import AUTHORITY, DocumentRecord, OrgDocument
from hq.org.document.yaml_tree import Fault
from hq.org.importer.common import AS_NEW, ImportContext, changes
from hq.org.importer.current_state import CurrentState
from hq.org.importer.people import People
from hq.org.importer.plan import ImportPlan, ImportStep
from hq.org.importer.vocabulary import RoleVocabulary
from hq.org.types import Position
from hq.suggestion import did_you_mean

ORGANISATION = ("name", "purpose", "description", "status", "philosophy", "risk_tolerance")
POSITION = ("title", "level", "is_cross_cutting", "description")


def plan(document: OrgDocument, company: CurrentState, now: datetime, *, as_new: bool = False) -> ImportPlan:
    planner = _Planner(ImportContext(company, now, as_new))
    planner.organisation(document.organisation)
    for record in document.roles:
        planner.roles.read(record)
    planner.positions(document.positions)
    planner.check(document)
    found = planner.plan
    found.faults.sort(key=lambda fault: fault.line)
    return found


class _Planner:
    """The organisation and its seats."""

    def __init__(self, reading: ImportContext) -> None:
        self.reading = reading
        self.plan = reading.plan
        self.roles = RoleVocabulary(reading)
        self.people = People(reading, self.roles)
        self._records: dict[UUID, DocumentRecord] = {}
        self._places: dict[UUID, ChartSeat] = {}
        self._titles: dict[str, UUID] = {}

    def organisation(self, record: DocumentRecord) -> None:
        number = self.reading.number(record, "organisation_id", "organisation")
        node = self.reading.company.organisations.get(number) if number else None
        slug = None if self.reading.as_new else record.get("slug")
        said = {name: record.said[name] for name in ORGANISATION if name in record.said}
        step = ImportStep(
            "organisation", node.id if node else new_id(), str(record.get("name") or number), node, number, slug
        )
        if node is None:
            for needed in ("name", "purpose"):
                if needed not in said and not record.lines.get(needed):
                    self.plan.wrong(record.line, f"a new organisation needs a {needed}")
            self.reading.fresh_slug(record, "slug", number, "organisation_id")
            step.props = said
        else:
            if slug and slug != node.slug:
                self.plan.wrong(
                    record.line_of("slug"), f"organisation {number} here is {node.slug}, not {slug}; {AS_NEW}"
                )
            step.name, step.props = node.slug, changes(node, said)
            step.restored = node.archived_at is not None
        if (intent := record.get("intent")) is not None:
            self.plan.intent = dict(intent.said)
        self.plan.organisation = step

    def positions(self, records: list[DocumentRecord]) -> None:
        if self.reading.chart:
            for seat in self.reading.chart.seats.values():
                self._places[seat.id] = seat.place
        steps = [step for record in records if (step := self._position(record))]
        self._titles = {same_title(place.title): place.id for place in reversed(self._places.values())}
        for step in steps:
            self._lines(step, self._records[step.id])
        for step in steps:
            self.people.read(step, self._records[step.id])

    def _position(self, record: DocumentRecord) -> ImportStep | None:
        number = self.reading.number(record, "position_id", "position")
        node = self.reading.company.positions.get(number) if number else None
        org = self.plan.organisation
        if node is not None and (org is None or self.reading.company.homes.get(node.id) != org.id):
            self.plan.wrong(
                record.line_of("position_id"), f"position {number} is a seat of another organisation here; {AS_NEW}"
            )
            return None
        said = {key: record.said[key] for key in POSITION if key in record.said}
        said |= self._authority(record)
        title = said.get("title") or (node.props.title if node else "")
        if not title:
            if "title" not in record.lines:
                self.plan.wrong(record.line, "a new position needs a title")
            return None
        step = ImportStep("position", node.id if node else new_id(), title, node, number)
        if node is None:
            step.props = said
            step.links["in_organisation"] = org.id if org else None
        else:
            step.props, step.restored = changes(node, said), node.archived_at is not None
        self._asked_role(step, record)
        before = self._places.get(step.id, ChartSeat(step.id, title))
        kept = node.props if node else Position(title=title)
        self._places[step.id] = ChartSeat(
            step.id,
            title,
            said.get("level", kept.level),
            said.get("is_cross_cutting", kept.is_cross_cutting),
            before.reports_to,
            before.escalates_to,
        )
        self._records[step.id] = record
        self.plan.positions[step.id] = step
        return step

    def _authority(self, record: DocumentRecord) -> Props:
        if "authority" not in record.said:
            return {}
        said = record.said["authority"]
        if said is None:
            return {name: None for name in AUTHORITY if name != "currency"}
        return dict(said.said)

    def _asked_role(self, step: ImportStep, record: DocumentRecord) -> None:
        if "role" not in record.said:
            if step.node is None and "role" not in record.lines:
                self.plan.wrong(record.line, f"the new position {step.name!r} needs a role")
            return
        role = self.roles.find(record.said["role"])
        if role is None:
            near = self.roles.near(record.said["role"])
            self.plan.wrong(
                record.line_of("role"),
                f"there is no role {record.said['role']!r} in the document or the company{near}",
            )
            return
        seat = self.reading.chart.seats.get(step.id) if self.reading.chart else None
        if seat is None or seat.role is None or seat.role.id != role:
            step.links["has_role"] = role

    def _lines(self, step: ImportStep, record: DocumentRecord) -> None:
        place = self._places[step.id]
        ends = {}
        for field in ("reports_to", "escalates_to"):
            before = getattr(place, field)
            ends[field] = self._above(record, field, before)
            if ends[field] != before or step.restored:
                step.links[field] = ends[field]
        self._places[step.id] = ChartSeat(
            place.id, place.title, place.level, place.is_cross_cutting, ends["reports_to"], ends["escalates_to"]
        )

    def _above(self, record: DocumentRecord, field: str, before: UUID | None) -> UUID | None:
        if field not in record.said:
            return before
        title = record.said[field]
        if title is None:
            return None
        found = self._titles.get(same_title(title))
        if found is None:
            near = did_you_mean(title, [place.title for place in self._places.values()])
            self.plan.wrong(record.line_of(field), f"{field} names {title!r}, and there is no such seat{near}")
        return found

    def check(self, document: OrgDocument) -> None:
        line = document.organisation.line
        places = list(self._places.values())
        for flaw in flaws(places):
            parts = [record for id in (flaw.id, *flaw.others) if (record := self._records.get(id))]
            saying = next((record for record in parts if flaw.field in record.lines), parts[0] if parts else None)
            self.plan.wrong(saying.line_of(flaw.field) if saying else line, flaw.message)
        for flaw in oddities(places):
            if record := self._records.get(flaw.id):
                self.plan.warnings.append(Fault(record.line_of(flaw.field), flaw.message))
