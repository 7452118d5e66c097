"""`hq mission import`: an OpenSpec `tasks.md` becomes missions, and imported again it changes those it made.

## 1. Backend                    a mission, part of the one that is imported into
- [ ] 1.1 Create the table       a mission, part of that
- [x] 1.2 Write the API          one that is done, where a person says so
  - with pagination              a line of its description

Nothing of it begins by itself: what was imported rests until somebody says so (`start_offer`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypedDict

from pydantic import Field

from hq.door.access import STAFF, Touch
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.missions.checks import ACCEPTED
from hq.missions.creation import MissionCreateArgs, make
from hq.missions.evidence import CheckOutcomeArgs, keep
from hq.missions.start_offer import WHY, ask_start
from hq.missions.types import Mission

SOURCE = "openspec"
LARGEST = 200_000
MOST = 200
TITLE = re.compile(r"^#\s+(?:tasks?\s*:\s*)?(?P<title>.+?)\s*$", re.IGNORECASE)
SECTION = re.compile(r"^##\s+(?:(?P<number>\d+(?:\.\d+)*)\.?\s+)?(?P<title>.+?)\s*$")
TASK = re.compile(r"^[-*]\s+\[(?P<mark>[ xX])\]\s+(?:(?P<number>\d+(?:\.\d+)*)\.?\s+)?(?P<title>.+?)\s*$")
EXAMPLE = "# Tasks: Add login\n\n## 1. Backend\n- [ ] 1.1 Create the table\n- [ ] 1.2 Write the API\n"


@dataclass
class Item:
    line: int
    number: str
    title: str
    done: bool = False
    notes: list[str] = field(default_factory=list)
    tasks: list[Item] = field(default_factory=list)


@dataclass
class TaskList:
    title: str | None = None
    sections: list[Item] = field(default_factory=list)


def read(text: str) -> TaskList:
    """A task list, or what is wrong with it and in which line. Prose between the tasks is left out."""
    found = TaskList()
    task: Item | None = None
    for n, line in enumerate(text.splitlines(), 1):
        if section := SECTION.match(line):
            number = section["number"] or str(len(found.sections) + 1)
            found.sections.append(Item(n, number, section["title"][:500]))
            task = None
        elif item := TASK.match(line):
            if not found.sections:
                raise Refused.invalid(f"line {n}: a task before the first section; begin with `## 1. …`")
            here = found.sections[-1]
            number = item["number"] or f"{here.number}.{len(here.tasks) + 1}"
            task = Item(n, number, item["title"][:500], item["mark"] != " ")
            here.tasks.append(task)
        elif (title := TITLE.match(line)) and found.title is None:
            found.title = title["title"][:500]
        elif task is not None and line.startswith((" ", "\t")) and line.strip():
            task.notes.append(line.strip())
        elif re.match(r"^[-*]\s+\[", line):
            raise Refused.invalid(f"line {n}: a task looks like `- [ ] 1.1 Do this`, not {line.strip()[:60]!r}")
    items = [item for section in found.sections for item in (section, *section.tasks)]
    if not any(section.tasks for section in found.sections):
        raise Refused.invalid("there is no task in it; a task list has sections `## 1. …` and tasks `- [ ] 1.1 …`")
    if len(items) > MOST:
        raise Refused.invalid(f"{len(items)} tasks are too many at once; {MOST} are the most")
    seen: dict[str, int] = {}
    for item in items:
        if item.number in seen:
            raise Refused.invalid(f"line {item.line}: {item.number} was used in line {seen[item.number]} already")
        seen[item.number] = item.line
    return found


class MissionImportArgs(Args):
    """What to import, and into what."""

    document: str = Field(min_length=1, max_length=LARGEST)
    """The text of a tasks.md."""
    spec_ref: str = Field("tasks.md", min_length=1, max_length=200)
    """Where it comes from, such as openspec/changes/add-login; imported again under the same name, it is updated."""
    parent: Ref | None = None
    """The mission its sections become parts of; left out, one is made of its title."""
    in_order: bool = False
    """Whether each section waits for the one before."""


class ImportedItem(TypedDict):
    """A task of the list, and its mission."""

    number: str
    slug: str
    title: str
    status: str | None


class MissionsImported(Result):
    slug: str
    id: str
    created: int
    updated: int
    closed: int = 0
    """Tasks that were ticked, and are done by the word of the person who imported them."""
    ticked: list[str] = Field(default_factory=list)
    """Tasks that were ticked and stay open, because no person imported them."""
    items: AsJson[list[ImportedItem]] = Field(default_factory=list)


@dataclass
class Importer:
    tx: Tx
    spec_ref: str
    told: MissionsImported
    resting: bool = False
    """Whether something was made that rests until somebody lets it begin."""

    async def put(
        self, item: Item, key: str, parent: Stored[Mission] | None, after: str | None = None, *, rests: bool = False
    ) -> Stored[Mission]:
        external = (SOURCE, f"{self.spec_ref}#{key}")
        found = await self.tx.find(NodeFilter(types=[Mission.type], external=external, archived=True, limit=1))
        description = "\n".join(item.notes) or None
        if found:
            mission: Stored[Mission] = found[0]
            changes = {"title": item.title, "description": description}
            if any(getattr(mission.props, name) != value for name, value in changes.items()):
                mission = await self.tx.change(mission, changes)
                self.told.updated += 1
        else:
            args = MissionCreateArgs.model_validate(
                {
                    "title": item.title,
                    "description": description,
                    "parent": str(parent.id) if parent else None,
                    "spec_ref": f"{self.spec_ref} {item.number}".strip(),
                    "depends_on": [after] if after else [],
                }
            )
            mission = await make(self.tx, args, external=external)
            self.told.created += 1
            if rests and not (item.done and self.tx.caller.in_person):
                mission = await self.tx.move(mission, "paused", status_reason=WHY)
                self.resting = True
        if item.done and not mission.over:
            mission = await self._ticked(mission)
        self.told.items.append(
            {"number": item.number, "slug": mission.slug, "title": item.title, "status": mission.status}
        )
        return mission

    async def _ticked(self, mission: Stored[Mission]) -> Stored[Mission]:
        """A tick is a person's word, if a person brings it; otherwise it proves nothing."""
        if not self.tx.caller.in_person:
            self.told.ticked.append(mission.slug)
            return mission
        if mission.status == "backlog":
            seen = CheckOutcomeArgs(check=ACCEPTED.text, kind="person", passed=True, seen="ticked in the task list")
            await keep(self.tx, mission, seen)
            for step in ("planning", "in_progress", "review"):
                mission = await self.tx.move(mission, step)
            mission = await self.tx.move(mission, "done", completed_at=self.tx.now)
            self.told.closed += 1
        return mission


@verb(
    "mission.import",
    "write",
    for_=STAFF,
    touches=(
        Touch("parent", "party", agent="led", operator="own", optional=True),
        Touch("spec_ref", "imported", operator="own"),
    ),
    undo="exact",
    emits="mission.imported",
    examples=[{"document": EXAMPLE, "spec_ref": "openspec/changes/add-login"}],
    text="imported into {slug}: {created} made, {updated} changed",
)
async def import_(tx: Tx, args: MissionImportArgs) -> MissionsImported:
    """Make missions of an OpenSpec task list: one for each section, one for each task; all of them or none. The tasks rest
    until the founder, who is asked, or who imported them says that work begins: `mission resume` of the whole, or `assign`
    of one."""
    listed = read(args.document)
    into = Importer(tx, args.spec_ref, MissionsImported(slug="", id="", created=0, updated=0))
    if args.parent:
        top = await tx.get(args.parent, Mission)
    else:
        top = await into.put(Item(0, "", listed.title or args.spec_ref.rpartition("/")[2]), "", None)
    before: str | None = None
    for section in listed.sections:
        after = before if args.in_order else None
        part = await into.put(section, section.number, top, after, rests=not section.tasks)
        for task in section.tasks:
            await into.put(task, task.number, part, rests=True)
        before = str(part.id)
    if into.resting:
        await ask_start(tx, top)
    tx.target = top
    into.told.slug, into.told.id = top.slug, str(top.id)
    return into.told


VERBS = (import_,)
