"""The roles of an import: the company's vocabulary, with what the document adds and renames."""

from __future__ import annotations

from uuid import UUID

from hq.graph.records import Stored
from hq.ids import new_id
from hq.org.document.shape import DocumentRecord
from hq.org.importer.common import ImportContext, changes
from hq.org.importer.plan import ImportStep
from hq.org.types import Role
from hq.suggestion import did_you_mean


class RoleVocabulary:
    """Roles by name, as they will be."""

    def __init__(self, reading: ImportContext) -> None:
        self.reading = reading
        self.ids: dict[str, UUID] = {}
        self.names: dict[UUID, str] = {}
        for role in reading.company.roles.values():
            if role.archived_at is None:
                self._call(role.id, role.props.name)

    def find(self, name: str) -> UUID | None:
        return self.ids.get(name.casefold())

    def near(self, name: str) -> str:
        return did_you_mean(name, self.names.values())

    def read(self, record: DocumentRecord) -> None:
        number, name = self.reading.number(record, "role_id", "role"), record.get("name")
        node = self.reading.company.roles.get(number) if number else None
        if node is None and name is None:
            if "name" not in record.lines:
                self.reading.plan.wrong(record.line, "a new role needs a name")
            return
        holder = self.find(name) if name else None
        if node is not None and holder not in (None, node.id):
            self.reading.plan.wrong(
                record.line_of("role_id"),
                f"role {number} here is {node.props.name!r}, and {name!r} is another role; take role_id out",
            )
            return
        if node is None and holder is not None:
            if holder in self.reading.plan.roles:
                self.reading.plan.wrong(record.line_of("name"), f"the role {name!r} is said twice")
                return
            node = next(role for role in self.reading.company.roles.values() if role.id == holder)
        self._plan(record, number, node)

    def _plan(self, record: DocumentRecord, number: int | None, node: Stored[Role] | None) -> None:
        said = {key: record.said[key] for key in ("name", "description") if key in record.said}
        name: str = said.get("name") or (node.props.name if node else "")
        step = ImportStep("role", node.id if node else new_id(), name, node, number)
        if node is None:
            step.props = said
        else:
            step.props, step.restored = changes(node, said), node.archived_at is not None
            if "name" in step.props:
                self._rename(node.props.name, name)
        self.reading.plan.roles[step.id] = step
        self._call(step.id, name)

    def _call(self, role: UUID, name: str) -> None:
        old = self.names.get(role)
        if old is not None and self.ids.get(old.casefold()) == role:
            del self.ids[old.casefold()]
        self.ids[name.casefold()] = role
        self.names[role] = name

    def _rename(self, old: str, new: str) -> None:
        """Personas carry the name of their role with them."""
        for persona in self.reading.company.personas.values():
            if persona.props.role == old:
                self.reading.persona_step(persona).props["role"] = new
