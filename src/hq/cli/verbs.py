"""A verb as the command line knows it, from `verbs.json`.

These and the other types of this room are named tuples: making a dataclass costs a millisecond at every start.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from hq.cli.names import command_name, manifest, words
from hq.json_types import CallArgs

Type = Literal["string", "integer", "number", "boolean", "array", "object", "datetime"]


class Argument(NamedTuple):
    """One argument of a verb; `name` is its key on every face."""

    name: str
    type: Type
    items: Type = "string"
    choices: tuple[str, ...] = ()
    default: Any = None
    required: bool = False
    positional: bool = False
    secret: bool = False
    """Never an option: what stands on a command line can be seen by other processes."""
    nullable: bool = False
    """A yes or no that may also be left unsaid."""
    long: bool = False
    """Text that is better kept in a file."""
    rare: bool = False
    """Shown by `--help --all` alone: the verb has many, and this is none of every day."""
    says: str = ""


class CliVerb(NamedTuple):
    name: str
    noun: str
    action: str
    says: str
    scope: str
    changes: bool = False
    works: bool = False
    """It has something done that may fail although the call went well: a program, a request, another agent's work."""
    text: str = ""
    """What tells its result to a person, as the verb declares it."""
    alias: str | None = None
    internal: bool = False
    once: tuple[str, ...] = ()
    """Parts of the result that are shown this once."""
    args: tuple[Argument, ...] = ()
    examples: tuple[CallArgs, ...] = ()

    @property
    def command(self) -> str:
        return f"hq {self.alias or f'{words(self.noun)} {command_name(self.action)}'}"


def find(name: str) -> CliVerb | None:
    parts = manifest()["verbs"].get(name)
    if parts is None:
        return None
    noun, _, action = name.partition(".")
    args = tuple(Argument(**{**arg, "choices": tuple(arg.get("choices", ()))}) for arg in parts.get("args", ()))
    return CliVerb(name, noun, action, **{**parts, "args": args, "once": tuple(parts.get("once", ()))})
