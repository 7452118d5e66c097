"""Types of skills: what agents and personas can be taught, and who has which."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from hq.graph.types import Edge, Moment, Name, Node, Part


class SkillParameter(Part):
    """One parameter of a skill's command."""

    name: str
    """What it is called."""
    type: Literal["string", "number", "integer", "boolean", "array", "object"] = "string"
    """JSON type of its value."""
    required: bool = False
    """Whether it must be given."""
    default: JsonValue = None
    """Value when it is not given."""
    description: str | None = None
    """What it means."""


class SkillReturn(Part):
    """What a skill's command gives back."""

    type: str = "object"
    """JSON type of the result."""
    description: str | None = None
    """What the result holds."""


class SkillCommand(Part):
    """Something a skill can do."""

    name: str
    """What it is called."""
    description: str = ""
    """What it does."""
    parameters: list[SkillParameter] = Field(default_factory=list)
    """What it takes."""
    returns: SkillReturn | None = None
    """What it gives back."""
    script: str | None = None
    """File of the skill that is run for it; none means that the instructions say how."""
    effect: Literal["read", "reversible", "irreversible"] = "irreversible"
    """What running it does to the world: it only looks, it can be taken back, or it cannot."""


class SkillFile(Part):
    """One file of a skill's folder; its bytes are kept by their hash."""

    path: str
    """Where it lies in the folder."""
    hash: str
    """SHA-256 of its bytes."""
    size: int = Field(ge=0)
    """How many bytes."""
    executable: bool = False
    """Whether it may be started as a program."""


class SkillCli(Part):
    """The program behind a skill of the connection type `cli`."""

    binary: str
    """Program that is run."""
    requires: list[str] = Field(default_factory=list)
    """What must be installed, such as `node >= 18`."""
    sandbox: bool = True
    """Whether it runs in the sandbox."""


class Skill(Node):
    """Something agents can be taught and allowed to do; the founder enables it, the CEO grants it."""

    type = "skill"
    title_field = "title"
    moves = {"disabled": ("enabled",), "enabled": ("disabled",)}
    columns = ("category", "connection_type", "description")

    title: Name
    """What the skill is called."""
    description: str = ""
    """What it is for and when to use it."""
    category: str | None = None
    """Group it is shown in, such as `creation` or `research`."""
    status: Literal["disabled", "enabled"] = "disabled"
    """Whether the founder has enabled it."""
    mandatory: bool = False
    """Whether every agent has it."""
    connection_type: Literal["cli", "http", "mcp", "verb", "prompt"] = "prompt"
    """How it is reached."""
    cli_config: SkillCli | None = None
    """The program, for connection type `cli`."""
    commands: list[SkillCommand] = Field(default_factory=list)
    """What it can do."""
    instructions_md: str | None = None
    """How to use it, the body of its SKILL.md."""
    path: str | None = None
    """Folder it was imported from."""
    version: str | None = None
    """Version it declares."""
    license: str | None = None
    """Under which license it came."""
    compatibility: str | None = None
    """What it needs around it, in words."""
    metadata: dict[str, str] = Field(default_factory=dict)
    """What its author says of it beyond that."""
    allowed_tools: list[str] = Field(default_factory=list)
    """Tools its author would have it use."""
    files: list[SkillFile] = Field(default_factory=list)
    """Its folder, file by file."""


class Granted(Part):
    """Who gave an agent a skill."""

    granted_by: str = "ceo"
    """Who granted it."""
    granted_at: Moment | None = None
    """When it was granted."""


NODES: tuple[type[Node], ...] = (Skill,)
EDGES = (Edge("has_skill", "A skill it has.", {"agent": ("skill",), "persona": ("skill",)}, props=Granted),)
