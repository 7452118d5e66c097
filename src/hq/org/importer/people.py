"""People in an import: personas that are meant or made, seats they take, and whom they displace."""

from __future__ import annotations

from hq.graph.records import Stored
from hq.ids import new_id
from hq.org.checks import same_title
from hq.org.document.shape import DocumentRecord
from hq.org.importer.common import AS_NEW, ImportContext
from hq.org.importer.plan import Displaced, ImportStep
from hq.org.importer.vocabulary import RoleVocabulary
from hq.org.types import Persona


class People:
    def __init__(self, reading: ImportContext, roles: RoleVocabulary) -> None:
        self.reading = reading
        self.roles = roles
        self._new: dict[tuple[str, str], ImportStep] = {}

    def read(self, step: ImportStep, record: DocumentRecord) -> None:
        said: DocumentRecord | None = record.get("assignment")
        if said is None:
            return
        persona = self._persona(step, said)
        if persona is None:
            return
        seat = self.reading.chart.seats.get(step.id) if self.reading.chart else None
        held = seat.holding if seat else None
        if held and held.persona.id == persona.id:
            at = said.get("assigned_at")
            if at and at != held.assignment.props.assigned_at:
                node = held.assignment
                self.reading.plan.assignments.append(
                    ImportStep("position_assignment", node.id, node.props.label, node, props={"assigned_at": at})
                )
            return
        if held:
            self.reading.plan.displaced.append(
                Displaced(record.line_of("assignment"), step.name, held, persona.slug or persona.name)
            )
        self._seated(step, persona, said)

    def _seated(self, seat: ImportStep, persona: ImportStep, said: DocumentRecord) -> None:
        number = None if self.reading.as_new else said.get("persona_assignment_id")
        if number in self.reading.company.assignments or (number and not self.reading.take("assignment", number)):
            number = None  # that one is another's, or over: this is a new one
        self.reading.plan.assignments.append(
            ImportStep(
                "position_assignment",
                new_id(),
                f"{persona.name} as {seat.name}",
                number=number,
                props={"assigned_at": said.get("assigned_at") or self.reading.now},
                links={"fills": seat.id, "held_by": persona.id},
            )
        )

    def _persona(self, seat: ImportStep, said: DocumentRecord) -> ImportStep | None:
        """Whom an assignment means: by number, by slug, or somebody new by name."""
        node = self._known_persona(said)
        if node is not None:
            return self._same_persona(node, said)
        number = None if self.reading.as_new else said.get("persona_id")
        name = said.get("persona_name")
        if name is None:
            if "persona_name" not in said.lines:
                self.reading.plan.wrong(said.line, "a new persona needs a persona_name")
            return None
        role = self._persona_role(seat, said)
        if role is None:
            return None
        key = (f"#{number}" if number else same_title(name), "" if number else role.casefold())
        if key in self._new:
            if self._new[key].name != name:
                self.reading.plan.wrong(said.line_of("persona_name"), f"persona_id {number} is given two names")
            return self._new[key]
        slug = self.reading.fresh_slug(said, "persona_slug", number, "persona_id")
        role_id = self.roles.ids[role.casefold()]
        step = ImportStep("persona", new_id(), name, number=number, slug=slug)
        step.props, step.links = {"name": name, "role": self.roles.names[role_id]}, {"has_role": role_id}
        self._new[key] = self.reading.plan.personas[step.id] = step
        return step

    def _known_persona(self, said: DocumentRecord) -> Stored[Persona] | None:
        slug = said.get("persona_slug")
        if slug and (self.reading.as_new or said.get("persona_id") is None):
            found = next((each for each in self.reading.company.personas.values() if each.slug == slug), None)
            if found is None and not self.reading.as_new:
                self.reading.plan.wrong(said.line_of("persona_slug"), f"there is no persona {slug!r} here")
            return found
        return None if self.reading.as_new else self.reading.company.personas.get(said.get("persona_id", 0))

    def _same_persona(self, node: Stored[Persona], said: DocumentRecord) -> ImportStep | None:
        slug = said.get("persona_slug")
        if slug and slug != node.slug:
            self.reading.plan.wrong(
                said.line_of("persona_slug"), f"persona {node.number} here is {node.slug}, not {slug}; {AS_NEW}"
            )
            return None
        if node.props.status == "archived":
            self.reading.plan.wrong(
                said.line, f"{node.slug} is archived; `hq org persona update --slug {node.slug} --status active` first"
            )
            return None
        step = self.reading.persona_step(node)
        if (name := said.get("persona_name")) and name != node.props.name and not self.reading.as_new:
            if step.props.get("name", name) != name:
                self.reading.plan.wrong(said.line_of("persona_name"), f"{node.slug} is given two names")
            step.props["name"] = name
        if (role := said.get("persona_role")) and not self.reading.as_new:
            found = self.roles.find(role)
            if found is None:
                self.reading.plan.wrong(said.line_of("persona_role"), f"there is no role {role!r}")
            elif self.roles.names[found] != step.props.get("role", node.props.role):
                step.props["role"], step.links["has_role"] = self.roles.names[found], found
        return step

    def _persona_role(self, seat: ImportStep, said: DocumentRecord) -> str | None:
        """The role it is said to have, or the one its seat asks for."""
        if name := said.get("persona_role"):
            if self.roles.find(name) is None:
                self.reading.plan.wrong(said.line_of("persona_role"), f"there is no role {name!r}")
                return None
            return name
        role = seat.links.get("has_role")
        if role is None and self.reading.chart and seat.id in self.reading.chart.seats:
            known = self.reading.chart.seats[seat.id].role
            role = known.id if known else None
        return self.roles.names.get(role) if role else None
