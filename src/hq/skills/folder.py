"""A skill's folder, taken apart and checked: `SKILL.md` as agentskills.io has it, and `commands.yaml` beside it.

The standard has no place for commands with parameters, and refuses fields it does not know; so they have a file of
their own, which other programs pass over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hq.errors import Refused
from hq.graph.rules import invalid
from hq.json_types import YamlFields
from hq.outside_yaml import YamlSyntaxError, yaml_fields
from hq.skills.types import Skill, SkillCli, SkillCommand

PAGE, COMMANDS = "SKILL.md", "commands.yaml"
NAME = r"^[a-z0-9]+(-[a-z0-9]+)*$"
PARAMETER = re.compile(r"[a-z][a-z0-9_]{0,39}")
INTERPRETERS = {".sh": ("sh", "-s"), ".py": ("python3", "-")}
"""How a script is run, by how its name ends; it comes in on standard input, so that it can run anywhere."""
MOST_FILES, MOST_BYTES = 200, 2 * 2**20
LONGEST_NAME = 255


class Front(BaseModel):
    """The frontmatter of a SKILL.md: the standard's six fields and no others."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=64, pattern=NAME)
    description: str = Field(min_length=1, max_length=1024, pattern=r"\S")
    license: str | None = Field(None, max_length=500)
    compatibility: str | None = Field(None, min_length=1, max_length=500)
    metadata: dict[str, str] = Field(default_factory=dict)
    allowed_tools: str = Field("", alias="allowed-tools", max_length=2000)


class Commands(BaseModel):
    """What `commands.yaml` may say."""

    model_config = ConfigDict(extra="forbid")

    category: str | None = Field(None, max_length=80)
    requires: list[str] = Field(default_factory=list, max_length=50)
    commands: list[SkillCommand] = Field(default_factory=list, max_length=50)


@dataclass(frozen=True)
class Folder:
    """A skill that is as it should be."""

    name: str
    skill: Skill
    """Its properties, its files not among them."""


def read_folder(files: Mapping[str, bytes]) -> Folder:
    """Take a folder apart. Refuses one that is not as it should be, and says what has to change."""
    if PAGE not in files:
        raise Refused.invalid(f"a skill is a folder with a {PAGE}; there is none")
    if len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_BYTES:
        raise Refused.invalid(f"a skill has at most {MOST_FILES} files and {MOST_BYTES // 2**20} MB in all")
    for path in files:
        _check_path(path, files)
    front, body = _page(_text(files[PAGE], PAGE))
    extra = _commands(files)
    try:
        skill = Skill(
            title=front.metadata.get("title") or front.name.replace("-", " ").capitalize(),
            description=front.description,
            category=extra.category or front.metadata.get("category"),
            connection_type="cli" if extra.commands else "prompt",
            cli_config=SkillCli(binary="sh", requires=extra.requires) if extra.commands or extra.requires else None,
            commands=extra.commands,
            instructions_md=body.strip() or None,
            version=front.metadata.get("version"),
            license=front.license,
            compatibility=front.compatibility,
            metadata=front.metadata,
            allowed_tools=front.allowed_tools.split(),
        )
    except ValidationError as error:
        raise invalid(error, PAGE) from error
    for command in skill.commands:
        _check_command(command, files)
    return Folder(front.name, skill)


def _page(text: str) -> tuple[Front, str]:
    lines = text.splitlines()
    closing = next((n for n, line in enumerate(lines[1:], start=1) if line.rstrip() == "---"), None)
    if not lines or lines[0].rstrip() != "---" or closing is None:
        raise Refused.invalid(f"{PAGE} begins with its frontmatter between two lines of ---")
    said = _yaml("\n".join(lines[1:closing]), PAGE)
    try:
        return Front.model_validate(said), "\n".join(lines[closing + 1 :])
    except ValidationError as error:
        raise invalid(error, PAGE) from error


def _commands(files: Mapping[str, bytes]) -> Commands:
    if COMMANDS not in files:
        return Commands.model_validate({})
    try:
        return Commands.model_validate(_yaml(_text(files[COMMANDS], COMMANDS), COMMANDS))
    except ValidationError as error:
        raise invalid(error, COMMANDS) from error


def _check_command(command: SkillCommand, files: Mapping[str, bytes]) -> None:
    where = f"{COMMANDS}: {command.name}"
    if not re.fullmatch(NAME, command.name):
        raise Refused.invalid(f"{where!r} is no name of a command; small letters, digits and hyphens")
    if command.script is not None:
        if command.script not in files:
            raise Refused.invalid(f"{where}: there is no file {command.script!r} in the folder")
        if not command.script.endswith(tuple(INTERPRETERS)):
            raise Refused.invalid(f"{where}: {command.script} is no script; {' and '.join(INTERPRETERS)} are run")
    for parameter in command.parameters:
        if not PARAMETER.fullmatch(parameter.name):
            raise Refused.invalid(f"{where}: {parameter.name!r} is no name of a parameter; small letters, digits and _")


def _check_path(path: str, files: Mapping[str, bytes]) -> None:
    """It can be laid out on any disk, within the folder and beside the others."""
    names = path.split("/")
    odd = any(name in ("", ".", "..") or len(name.encode()) > LONGEST_NAME for name in names)
    if odd or len(path) > 300 or "\\" in path or not path.isprintable():
        raise Refused.invalid(f"{path[:100]!r} is no path within a skill's folder")
    for depth in range(1, len(names)):
        if (above := "/".join(names[:depth])) in files:
            raise Refused.invalid(f"{above[:100]!r} cannot be a file and a directory")


def _text(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused.invalid(f"{name} is not text in UTF-8") from None


def _yaml(text: str, name: str) -> YamlFields:
    try:
        return yaml_fields(text)
    except YamlSyntaxError as error:
        raise Refused.invalid(f"{name}: line {error.line}: {error}") from None
