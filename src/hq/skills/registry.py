"""The registry: which skills there are, from where, enabled or not, and whose they are."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TypedDict

from pydantic import Field

from hq.artifacts.store import keep_bytes
from hq.door.access import EVERYONE, STAFF, Touch
from hq.door.caller import FOUNDER
from hq.door.json_shape import AsJson
from hq.door.results import Listing, Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.types import Part
from hq.graph.view import EdgeFilter, NodeFilter
from hq.json_types import ModelJson
from hq.org.agent import Agent
from hq.skills.folder import PAGE, Folder, read_folder
from hq.skills.held import LEADING, MANY, HeldSkill, held, holders
from hq.skills.shipped import is_shipped, shipped, shipped_folder
from hq.skills.types import Skill, SkillFile
from hq.suggestion import did_you_mean


class SkillListArgs(Args):
    """Which skills."""

    agent: Ref | None = None
    """Only those this agent has."""
    enabled: bool = False
    """Only those that are enabled."""


class SkillItem(TypedDict):
    """A skill in a line."""

    slug: str
    status: str
    category: str | None
    commands: list[str]
    description: str


@verb("skill.list", "read", for_=EVERYONE, past=False, examples=[{}])
async def list_(tx: Tx, args: SkillListArgs) -> Listing[SkillItem]:
    """Every skill: the company's own, and those that come with hq."""
    agent = await tx.get(args.agent, Agent) if args.agent else None
    related = [EdgeFilter("has_skill", agent.id, inward=True)] if agent else []
    nodes = await tx.find(NodeFilter(types=[Skill.type], related=related, limit=MANY))
    items = [_line(node.slug, node.props, node.props.status) for node in nodes]
    for name in sorted(shipped().keys() - {node.slug for node in nodes}):
        skill = await known(tx, name)
        if agent is None or (skill.looks and agent.props.kind in LEADING):
            items.append(_line(name, skill.skill, skill.status))
    return Listing[SkillItem](items=[item for item in items if item["status"] == "enabled" or not args.enabled])


class SkillRefArgs(Args):
    """Which skill."""

    skill: str = first(min_length=1, max_length=200)
    """As `hq skill list` shows it."""


class SkillShown(Result):
    slug: str
    title: str
    status: str
    description: str
    category: str | None = None
    requires: list[str] = Field(default_factory=list)
    compatibility: str | None = None
    license: str | None = None
    version: str | None = None
    commands: list[ModelJson] = Field(default_factory=list)
    files: list[str] = Field(default_factory=list)
    agents: list[str] = Field(default_factory=list)
    ours: bool
    """It is as it comes with hq, so it may run on this machine too."""
    instructions_md: str | None = None


@verb("skill.show", "read", for_=EVERYONE, past=False, target="skill", examples=[{"skill": "disk-health"}])
async def show(tx: Tx, args: SkillRefArgs) -> SkillShown:
    """A skill: what it is for, its commands and what they take, its files, and who has it."""
    found = await known(tx, args.skill)
    skill = found.skill
    return SkillShown(
        slug=found.slug,
        title=skill.title,
        status=found.status,
        description=skill.description,
        category=skill.category,
        requires=skill.cli_config.requires if skill.cli_config else [],
        compatibility=skill.compatibility,
        license=skill.license,
        version=skill.version,
        commands=[command.model_dump(mode="json", exclude_none=True) for command in skill.commands],
        files=sorted(await found.files(tx)),
        agents=sorted(await holders(tx, found) - {FOUNDER}),
        ours=found.ours,
        instructions_md=skill.instructions_md,
    )


class File(Part):
    """A file of a skill's folder."""

    path: str
    """Where it lies in the folder."""
    content: str
    """What it says."""
    base64: bool = False
    """That is given in base64, since it is no text."""
    executable: bool = False
    """It may be started as a program."""


class SkillImportArgs(Args):
    """A skill's folder, file by file; the command line reads it from disk."""

    name: str = first(min_length=1, max_length=64)
    """The folder's name, which is the skill's."""
    files: list[File] = Field(min_length=1, max_length=200)
    """What is in it; a SKILL.md must be."""


@verb("skill.import", "write", for_=STAFF, gate="system", undo="exact", emits="skill.imported", by_hash=["files"],
      examples=[{"name": "haiku", "files": [{"path": "SKILL.md",
                 "content": "---\nname: haiku\ndescription: Write a haiku. Use when a poem is asked for.\n---\nFive, seven, five.\n"}]}])  # fmt: skip
async def import_(tx: Tx, args: SkillImportArgs) -> Row:
    """Take in a skill's folder, checked against the standard. It stays disabled until somebody enables it."""
    files = {file.path: _content(file) for file in args.files}
    if len(files) != len(args.files):
        raise Refused.invalid("files: the same path is there twice")
    folder = read_folder(files)
    if folder.name != args.name:
        raise Refused.invalid(
            f"{PAGE}: the name is {folder.name!r} and the folder's {args.name!r}; they must be the same"
        )
    tx.taint.add(f"skill:{folder.name}")  # others wrote it, whoever brought it in
    node = await _store(tx, folder, files, {file.path for file in args.files if file.executable})
    tx.target = node
    return row(node)


class ExportedFile(TypedDict):
    """A file of a skill's folder, as it came in."""

    path: str
    content: str
    base64: bool
    executable: bool


class SkillExported(Result):
    name: str
    files: AsJson[list[ExportedFile]]


@verb("skill.export", "read", for_=EVERYONE, past=False, target="skill", examples=[{"skill": "disk-health"}])
async def export(tx: Tx, args: SkillRefArgs) -> SkillExported:
    """A skill's folder, file by file, as it came in; the command line writes it to disk."""
    skill = await known(tx, args.skill)
    runs = {file.path for file in skill.node.props.files if file.executable} if skill.node else set()
    contents = await skill.files(tx)
    return SkillExported(
        name=skill.slug, files=[_file(path, content, path in runs) for path, content in contents.items()]
    )


@verb("skill.enable", "write", on_card=True, for_=STAFF, gate="staffing", undo="exact", emits="skill.enabled", target="skill",
      examples=[{"skill": "disk-health"}])  # fmt: skip
async def enable(tx: Tx, args: SkillRefArgs) -> Row:
    """Let agents have a skill, as it is now. Asked by an agent, this asks the founder."""
    skill = await known(tx, args.skill)
    if skill.enabled:
        raise Refused.conflict(f"{skill.slug} is enabled already")
    node = await _enabled(tx, skill)
    tx.target = node
    return row(node)


@verb("skill.disable", "write", for_=STAFF, gate="staffing", undo="exact", emits="skill.disabled", target="skill")
async def disable(tx: Tx, args: SkillRefArgs) -> Row:
    """Take a skill from everybody; who has it keeps it for the day it is enabled again."""
    skill = await known(tx, args.skill)
    if not skill.enabled:
        raise Refused.conflict(f"{skill.slug} is disabled already")
    node = await tx.move(skill.node, to="disabled") if skill.node else await _stored(tx, skill)
    tx.target = node
    return row(node)


class SkillGrantArgs(SkillRefArgs):
    agent: Ref = first()
    """Who, as `hq agent list` shows it."""


class SkillGranted(Result):
    slug: str
    agent: str


@verb(
    "skill.grant",
    "write",
    on_card=True,
    for_=STAFF,
    touches=Touch("agent", "agent", agent="tenant", not_own=True),  # nobody gives itself a skill
    gate="staffing",
    undo="exact",
    emits="skill.granted",
    target="skill",
)
async def grant(tx: Tx, args: SkillGrantArgs) -> SkillGranted:
    """Give an agent a skill, and enable it where it is not."""
    skill = await known(tx, args.skill)
    agent = await tx.get(args.agent, Agent)
    node = await _granted(tx, skill, agent)
    tx.target = node
    return SkillGranted(slug=node.slug, agent=agent.slug)


@verb(
    "skill.revoke",
    "write",
    for_=STAFF,
    touches=Touch("agent", "agent", agent="led"),
    undo="exact",
    emits="skill.revoked",
    target="skill",
)
async def revoke(tx: Tx, args: SkillGrantArgs) -> SkillGranted:
    """Take a skill from an agent."""
    skill = await known(tx, args.skill)
    agent = await tx.get(args.agent, Agent)
    if skill.looks and agent.props.kind in LEADING and agent.slug not in await holders(tx, skill, elsewhere=True):
        raise Refused.conflict(
            f"{agent.slug} has {skill.slug} for this machine, as the {agent.props.kind}",
            hint=f"`hq skill disable {skill.slug}` takes it from everybody",
        )
    await tx.unlink(agent, "has_skill", await _stored(tx, skill))
    return SkillGranted(slug=skill.slug, agent=agent.slug)


async def known(tx: Tx, name: str) -> HeldSkill:
    """A skill of this company or one that comes with hq, enabled or not."""
    skill = await held(tx, name)
    if skill is None:
        raise Refused.not_found(f"there is no skill {name!r}{did_you_mean(name, shipped())}", hint="`hq skill list`")
    if skill.node is not None:
        tx.target = skill.node
    return skill


async def enable_for_use(tx: Tx, name: str) -> HeldSkill:
    """Enabled, where it is not: somebody who may said that it is to be used."""
    skill = await known(tx, name)
    if not skill.enabled:
        node = await _enabled(tx, skill)
        tx.emit("skill.enabled", slug=node.slug, id=str(node.id))
    return await known(tx, name)


async def entrust(tx: Tx, skill: HeldSkill, *, elsewhere: bool) -> HeldSkill:
    """The founder said yes to a use of it: from now on it is enabled, and its own whose use it was. Hq's own checks are given together."""
    if tx.caller.agent and tx.caller.agent not in await holders(tx, skill, elsewhere=elsewhere):
        agent = await tx.get(tx.caller.agent, Agent)
        checks = [each for name in shipped() if (each := await held(tx, name)) and each.looks and each.enabled]
        for each in (skill, *(other for other in checks if skill.looks and other.slug != skill.slug)):
            await _granted(tx, each, agent)
    elif not skill.enabled:
        await _enabled(tx, skill)
    return await known(tx, skill.slug)


async def _granted(tx: Tx, skill: HeldSkill, agent: Stored[Agent]) -> Stored[Skill]:
    node = skill.node if skill.node and skill.enabled else await _enabled(tx, skill)
    await tx.link(agent, "has_skill", node, props={"granted_by": tx.caller.actor, "granted_at": tx.now})
    return node


async def _enabled(tx: Tx, skill: HeldSkill) -> Stored[Skill]:
    node = skill.node
    if node is None or (skill.ours and not is_shipped(skill.slug, node.props.files)):
        node = await _store(tx, shipped_folder(skill.slug), shipped()[skill.slug], set())
    return await tx.move(node, to="enabled")


async def _stored(tx: Tx, skill: HeldSkill) -> Stored[Skill]:
    """Its node; one that came along without gets one, disabled."""
    return skill.node or await _store(tx, shipped_folder(skill.slug), shipped()[skill.slug], set())


async def _store(tx: Tx, folder: Folder, files: Mapping[str, bytes], runs: set[str]) -> Stored[Skill]:
    """Keep a folder. One that changed is disabled: what was enabled is not what it is now."""
    kept = [
        SkillFile(path=path, hash=(await keep_bytes(tx, content)).hex(), size=len(content), executable=path in runs)
        for path, content in sorted(files.items())
    ]
    props = folder.skill.model_copy(update={"files": kept})
    before = await tx.look_up(folder.name, Skill)
    if before is None:
        made = await tx.create(props, slug=folder.name)
        if made.slug != folder.name:
            raise Refused.conflict(f"the name {folder.name!r} is taken by something else; rename the skill")
        return made
    if before.archived_at is not None:  # it was here once, and taken back
        before = await tx.restore(before)
    elif before.props.files == kept:
        raise Refused.conflict(f"{folder.name} is here already, just as it is")
    changes = props.model_dump(mode="json", exclude={"status", "mandatory"}) | {"status": "disabled"}
    return await tx.change(before, changes)


def _content(file: File) -> bytes:
    if not file.base64:
        return file.content.encode()
    try:
        return base64.b64decode(file.content, validate=True)
    except ValueError:
        raise Refused.invalid(f"{file.path[:100]}: that is not base64") from None


def _file(path: str, content: bytes, executable: bool) -> ExportedFile:
    try:
        text, packed = content.decode(), False
    except UnicodeDecodeError:
        text, packed = base64.b64encode(content).decode(), True
    return {"path": path, "content": text, "base64": packed, "executable": executable}


def _line(name: str, skill: Skill, status: str) -> SkillItem:
    return {
        "slug": name,
        "status": status,
        "category": skill.category,
        "commands": [command.name for command in skill.commands],
        "description": skill.description,
    }


VERBS = (list_, show, import_, export, enable, disable, grant, revoke)
