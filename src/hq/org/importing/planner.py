"""Reads a document against the company: update by id, create without, keep what is not mentioned (seed 003 §1.4)."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from hq.graph.stored import Stored
from hq.ids import new_id
from hq.nearest import did_you_mean
from hq.org.checks import Place, flaws, oddities, same_title
from hq.org.document.shape import AUTHORITY, Document, Record
from hq.org.document.tree import Fault
from hq.org.importing.company import Company
from hq.org.importing.plan import Displaced, Plan, Step
from hq.org.types import Persona, Position

ORGANISATION = ("name", "purpose", "description", "status", "philosophy", "risk_tolerance")
POSITION = ("title", "level", "is_cross_cutting", "description")
AS_NEW = "--as-new takes no ids from the document and makes everything anew"


def plan(document: Document, company: Company, now: datetime, *, as_new: bool = False) -> Plan:
    planner = _Planner(company, now, as_new)
    planner.organisation(document.organisation)
    planner.roles(document.roles)
    planner.positions(document.positions)
    planner.check(document)
    found = planner.plan
    found.faults.sort(key=lambda fault: fault.line)
    return found


class _Planner:
    def __init__(self, company: Company, now: datetime, as_new: bool) -> None:
        self.company = company
        self.now = now
        self.as_new = as_new
        self.chart = None if as_new else company.chart
        self.plan = Plan()
        self._roles: dict[str, UUID] = {}
        self._role_names: dict[UUID, str] = {}
        self._records: dict[UUID, Record] = {}
        self._places: dict[UUID, Place] = {}
        self._titles: dict[str, UUID] = {}
        self._new_personas: dict[tuple[str, str], Step] = {}
        self._numbers: set[tuple[str, int]] = set()

    # ---- the organisation

    def organisation(self, record: Record) -> None:
        number = self._number(record, "organisation_id", "organisation")
        node = self.company.organisations.get(number) if number else None
        slug = None if self.as_new else record.get("slug")
        said = {name: record.said[name] for name in ORGANISATION if name in record.said}
        step = Step(
            "organisation", node.id if node else new_id(), str(record.get("name") or number), node, number, slug
        )
        if node is None:
            for needed in ("name", "purpose"):
                if needed not in said and not record.lines.get(needed):
                    self.plan.wrong(record.line, f"a new organisation needs a {needed}")
            self._fresh_slug(record, "slug", slug, number, "organisation_id")
            step.props = said
        else:
            if slug and slug != node.slug:
                self.plan.wrong(
                    record.line_of("slug"), f"organisation {number} here is {node.slug}, not {slug}; {AS_NEW}"
                )
            step.name, step.props = node.slug, _changes(node, said)
            step.restored = node.archived_at is not None
        if (intent := record.get("intent")) is not None:
            self.plan.intent = dict(intent.said)
        self.plan.organisation = step

    def _number(self, record: Record, key: str, what: str) -> int | None:
        """The id a record goes by; said twice in one document it is a mistake."""
        number = None if self.as_new else record.get(key)
        if number is None:
            return None
        if (what, number) in self._numbers:
            self.plan.wrong(record.line_of(key), f"{key} {number} is said twice")
        self._numbers.add((what, number))
        return number

    def _fresh_slug(self, record: Record, key: str, slug: str | None, number: int | None, id_key: str) -> None:
        """A slug that is asked for: it belongs to its number, and nothing else may have it."""
        if slug is None:
            return
        if number is None:
            self.plan.wrong(record.line_of(key), f"{key} goes with {id_key}; take it out, hq makes one")
        elif not slug.endswith(f"-{number}"):
            self.plan.wrong(record.line_of(key), f"{key} {slug} does not end with its number, -{number}")
        elif slug in self.company.slugs:
            self.plan.wrong(record.line_of(key), f"{slug} is already a {self.company.slugs[slug]} here; {AS_NEW}")

    # ---- roles

    def roles(self, records: list[Record]) -> None:
        for role in self.company.roles.values():
            if role.archived_at is None:
                self._call(role.id, role.props.name)
        for record in records:
            self._role(record)

    def _call(self, role: UUID, name: str) -> None:
        old = self._role_names.get(role)
        if old is not None and self._roles.get(old.casefold()) == role:
            del self._roles[old.casefold()]
        self._roles[name.casefold()] = role
        self._role_names[role] = name

    def _role(self, record: Record) -> None:
        number, name = self._number(record, "role_id", "role"), record.get("name")
        node = self.company.roles.get(number) if number else None
        if node is None and name is None:
            if "name" not in record.lines:
                self.plan.wrong(record.line, "a new role needs a name")
            return
        holder = self._roles.get(name.casefold()) if name else None
        if node is not None and holder not in (None, node.id):
            self.plan.wrong(
                record.line_of("role_id"),
                f"role {number} here is {node.props.name!r}, and {name!r} is another role; take role_id out",
            )
            return
        if node is None and holder is not None:
            if holder in self.plan.roles:
                self.plan.wrong(record.line_of("name"), f"the role {name!r} is said twice")
                return
            node = next(role for role in self.company.roles.values() if role.id == holder)
        said = {key: record.said[key] for key in ("name", "description") if key in record.said}
        step = Step("role", node.id if node else new_id(), name or (node.props.name if node else ""), node, number)
        if node is None:
            step.props = said
        else:
            step.props, step.restored = _changes(node, said), node.archived_at is not None
            if "name" in step.props and name:
                self._rename(node.props.name, name)
        self.plan.roles[step.id] = step
        self._call(step.id, name or step.name)

    def _rename(self, old: str, new: str) -> None:
        """Personas carry the name of their role with them."""
        for persona in self.company.personas.values():
            if persona.props.role == old:
                self._persona_step(persona).props["role"] = new

    # ---- seats

    def positions(self, records: list[Record]) -> None:
        if self.chart:
            for seat in self.chart.seats.values():
                self._places[seat.id] = seat.place
        steps = [step for record in records if (step := self._position(record))]
        self._titles = {same_title(place.title): place.id for place in reversed(self._places.values())}
        for step in steps:
            self._lines(step, self._records[step.id])
        for step in steps:
            self._assignment(step, self._records[step.id])

    def _position(self, record: Record) -> Step | None:
        number = self._number(record, "position_id", "position")
        node = self.company.positions.get(number) if number else None
        org = self.plan.organisation
        if node is not None and (org is None or self.company.homes.get(node.id) != org.id):
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
        step = Step("position", node.id if node else new_id(), title, node, number)
        if node is None:
            step.props = said
            step.links["in_organisation"] = org.id if org else None
        else:
            step.props, step.restored = _changes(node, said), node.archived_at is not None
        self._asked_role(step, record)
        before = self._places.get(step.id, Place(step.id, title))
        kept = node.props if node else Position(title=title)
        self._places[step.id] = Place(
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

    def _authority(self, record: Record) -> dict[str, Any]:
        if "authority" not in record.said:
            return {}
        said = record.said["authority"]
        if said is None:
            return {name: None for name in AUTHORITY if name != "currency"}
        return dict(said.said)

    def _asked_role(self, step: Step, record: Record) -> None:
        if "role" not in record.said:
            if step.node is None and "role" not in record.lines:
                self.plan.wrong(record.line, f"the new position {step.name!r} needs a role")
            return
        role = self._roles.get(record.said["role"].casefold())
        if role is None:
            near = did_you_mean(record.said["role"], self._role_names.values())
            self.plan.wrong(
                record.line_of("role"),
                f"there is no role {record.said['role']!r} in the document or the company{near}",
            )
            return
        seat = self.chart.seats.get(step.id) if self.chart else None
        if seat is None or seat.role is None or seat.role.id != role:
            step.links["has_role"] = role

    def _lines(self, step: Step, record: Record) -> None:
        place = self._places[step.id]
        ends = {}
        for field in ("reports_to", "escalates_to"):
            before = getattr(place, field)
            ends[field] = self._above(record, field, before)
            if ends[field] != before or step.restored:
                step.links[field] = ends[field]
        self._places[step.id] = Place(
            place.id, place.title, place.level, place.is_cross_cutting, ends["reports_to"], ends["escalates_to"]
        )

    def _above(self, record: Record, field: str, before: UUID | None) -> UUID | None:
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

    # ---- who sits where

    def _assignment(self, step: Step, record: Record) -> None:
        said: Record | None = record.get("assignment")
        if said is None:
            return
        persona = self._persona(step, said)
        if persona is None:
            return
        seat = self.chart.seats.get(step.id) if self.chart else None
        held = seat.holding if seat else None
        if held and held.persona.id == persona.id:
            at = said.get("assigned_at")
            if at and at != held.assignment.props.assigned_at:
                node = held.assignment
                self.plan.assignments.append(
                    Step("position_assignment", node.id, node.props.label, node, props={"assigned_at": at})
                )
            return
        if held:
            self.plan.displaced.append(
                Displaced(record.line_of("assignment"), step.name, held, persona.slug or persona.name)
            )
        self._seated(step, persona, said)

    def _seated(self, seat: Step, persona: Step, said: Record) -> None:
        number = None if self.as_new else said.get("persona_assignment_id")
        if number in self.company.assignments or ("assignment", number) in self._numbers:
            number = None  # that one is another's, or over: this is a new one
        if number:
            self._numbers.add(("assignment", number))
        self.plan.assignments.append(
            Step(
                "position_assignment",
                new_id(),
                f"{persona.name} as {seat.name}",
                number=number,
                props={"assigned_at": said.get("assigned_at") or self.now},
                links={"fills": seat.id, "held_by": persona.id},
            )
        )

    def _persona(self, seat: Step, said: Record) -> Step | None:
        """Whom an assignment means: by number, by slug, or somebody new by name."""
        node = self._known_persona(said)
        if node is not None:
            return self._same_persona(node, said)
        number = None if self.as_new else said.get("persona_id")
        name = said.get("persona_name")
        if name is None:
            if "persona_name" not in said.lines:
                self.plan.wrong(said.line, "a new persona needs a persona_name")
            return None
        role = self._persona_role(seat, said)
        if role is None:
            return None
        key = (f"#{number}" if number else same_title(name), "" if number else role.casefold())
        if key in self._new_personas:
            return self._new_personas[key]
        slug = None if self.as_new else said.get("persona_slug")
        self._fresh_slug(said, "persona_slug", slug, number, "persona_id")
        role_id = self._roles[role.casefold()]
        step = Step("persona", new_id(), name, number=number, slug=slug)
        step.props, step.links = {"name": name, "role": self._role_names[role_id]}, {"has_role": role_id}
        self._new_personas[key] = self.plan.personas[step.id] = step
        return step

    def _known_persona(self, said: Record) -> Stored[Persona] | None:
        slug = said.get("persona_slug")
        if slug and (self.as_new or said.get("persona_id") is None):
            found = next((each for each in self.company.personas.values() if each.slug == slug), None)
            if found is None and not self.as_new:
                self.plan.wrong(said.line_of("persona_slug"), f"there is no persona {slug!r} here")
            return found
        return None if self.as_new else self.company.personas.get(said.get("persona_id", 0))

    def _same_persona(self, node: Stored[Persona], said: Record) -> Step | None:
        slug = said.get("persona_slug")
        if slug and slug != node.slug:
            self.plan.wrong(
                said.line_of("persona_slug"), f"persona {node.number} here is {node.slug}, not {slug}; {AS_NEW}"
            )
            return None
        if node.props.status == "archived":
            self.plan.wrong(
                said.line, f"{node.slug} is archived; `hq org persona update --slug {node.slug} --status active` first"
            )
            return None
        step = self._persona_step(node)
        if (name := said.get("persona_name")) and name != node.props.name and not self.as_new:
            if step.props.get("name", name) != name:
                self.plan.wrong(said.line_of("persona_name"), f"{node.slug} is given two names")
            step.props["name"] = name
        if (role := said.get("persona_role")) and not self.as_new:
            found = self._roles.get(role.casefold())
            if found is None:
                self.plan.wrong(said.line_of("persona_role"), f"there is no role {role!r}")
            elif self._role_names[found] != step.props.get("role", node.props.role):
                step.props["role"], step.links["has_role"] = self._role_names[found], found
        return step

    def _persona_step(self, node: Stored[Persona]) -> Step:
        step = Step("persona", node.id, node.props.name, node, slug=node.slug, restored=node.archived_at is not None)
        return self.plan.personas.setdefault(node.id, step)

    def _persona_role(self, seat: Step, said: Record) -> str | None:
        """The role it is said to have, or the one its seat asks for."""
        if name := said.get("persona_role"):
            if name.casefold() not in self._roles:
                self.plan.wrong(said.line_of("persona_role"), f"there is no role {name!r}")
                return None
            return name
        role = seat.links.get("has_role")
        if role is None and self.chart and seat.id in self.chart.seats:
            known = self.chart.seats[seat.id].role
            role = known.id if known else None
        return self._role_names.get(role) if role else None

    # ---- the whole

    def check(self, document: Document) -> None:
        line = document.organisation.line
        places = list(self._places.values())
        for flaw in flaws(places):
            parts = [record for id in (flaw.id, *flaw.others) if (record := self._records.get(id))]
            saying = next((record for record in parts if flaw.field in record.lines), parts[0] if parts else None)
            self.plan.wrong(saying.line_of(flaw.field) if saying else line, flaw.message)
        for flaw in oddities(places):
            if record := self._records.get(flaw.id):
                self.plan.warnings.append(Fault(record.line_of(flaw.field), flaw.message))


def _changes(node: Stored[Any], said: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if getattr(node.props, name) != value}
