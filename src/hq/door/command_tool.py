"""The tool `hq`: every command that somebody may use and is not shown a tool for, as a line, with its own help."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypedDict

from hq.door.command_line import FieldSpec, fields_of, usage
from hq.door.toolset import Tool, first_sentence, tool_of
from hq.door.verb import Registry, Verb
from hq.json_types import CallArgs

HQ = "hq"
SAYS = (
    'Any other command, as one line: `task create --title "Call Ana"`. '
    "`help task create` shows every field, also of the tools here; `help <words>` searches"
)
INDEX_TOKENS = 420
"""Beyond that the commands are named by their nouns alone."""
FOUND = 8
SELDOM = ("history", "archive", "restore", "export", "help")
"""Actions that are reached without being named."""


@lru_cache(maxsize=256)
def command_tool(registry: Registry, reach: frozenset[str], shown: frozenset[str]) -> Tool:
    """The tool, with the commands that it reaches beyond the tools that are shown."""
    beyond = {name for name in reach - shown if not _is_seldom(registry.get(name))}
    index = "; ".join(f"{noun} ({', '.join(actions)})" for noun, actions in _by_noun(registry, beyond).items())
    if len(index) > INDEX_TOKENS * 4:
        index = ", ".join(_by_noun(registry, reach))
    return Tool(
        name=HQ,
        title="Command",
        description=f"{SAYS}. Commands: {index}" if index else SAYS,
        schema={
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
        },
        examples=({"command": "help"},),
        read_only=not any(registry.get(name).changes for name in reach),
        destructive=any(registry.get(name).gate == "destructive" for name in reach),
        outside=any(registry.get(name).kind == "effect" for name in reach),
    )


def _is_seldom(verb: Verb) -> bool:
    """The history of a node is; that of a conversation, which is of no one thing, is not."""
    return verb.action in SELDOM and (verb.action != "history" or verb.target is not None)


def _by_noun(registry: Registry, names: Collection[str]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for verb in registry:
        if verb.name in names:
            found.setdefault(verb.noun, []).append(verb.action)
    return dict(sorted(found.items()))


class CommandHelp(TypedDict, total=False):
    """What can be called, or of one command how."""

    commands: dict[str, str]
    about: str
    found: dict[str, str]
    command: str
    says: str
    tool: str
    fields: dict[str, str]
    example: CallArgs


def help_on(registry: Registry, reach: Collection[str], about: Iterable[str]) -> CommandHelp:
    """What can be called: all of it by noun, a noun's commands, one command's fields, or what fits some words."""
    words = [part for word in about for part in word.replace(".", " ").split()]
    by_noun = _by_noun(registry, reach)
    if not words:
        return {"commands": {noun: ", ".join(actions) for noun, actions in by_noun.items()}}
    names = _spellings(registry, reach)
    for count in (3, 2, 1):
        if (found := names.get("_".join(words[:count]).replace("-", "_"))) and len(words) <= count:
            return _one(found)
    noun = "_".join(words).replace("-", "_").removeprefix("hq_")
    if noun in by_noun:
        verbs = [registry.get(f"{noun}.{action}") for action in by_noun[noun]]
        says: CommandHelp = {"about": first_sentence(registry.nouns[noun])}
        return {**says, "commands": {usage(verb): first_sentence(verb.summary) for verb in verbs}}
    found = _search(registry, reach, words)
    return {"found": {usage(verb): first_sentence(verb.summary) for verb in found}} if found else {
        "found": {}, "commands": {noun: ", ".join(actions) for noun, actions in by_noun.items()}
    }  # fmt: skip


def _spellings(registry: Registry, reach: Collection[str]) -> Mapping[str, Verb]:
    found: dict[str, Verb] = {}
    for name in reach:
        verb = registry.get(name)
        found |= {f"{verb.noun}_{verb.action}": verb, tool_of(verb): verb}
    return found


def _one(verb: Verb) -> CommandHelp:
    told: CommandHelp = {
        "command": usage(verb),
        "says": verb.summary,
        "tool": tool_of(verb),
        "fields": {field.name: _described(field) for field in fields_of(verb).values()},
    }
    return {**told, "example": dict(verb.examples[0].args)} if verb.examples else told


def _described(field: FieldSpec) -> str:
    kind = "|".join(field.choices) if field.choices else {"array": f"list of {field.items}"}.get(field.type, field.type)
    return f"{kind}{', needed' if field.required else ''}: {field.says}".rstrip(": ")


def _search(registry: Registry, reach: Collection[str], words: list[str]) -> list[Verb]:
    """The commands that fit best; a word that fits few of them says more than one that fits many."""
    verbs = [registry.get(name) for name in sorted(reach)]
    scores = dict.fromkeys((verb.name for verb in verbs), 0.0)
    for word in {word.lower().rstrip("s") for word in words if len(word) > 2}:
        worth = {verb.name: found for verb in verbs if (found := max(_worth(verb, word), default=0.0))}
        for name, found in worth.items():
            scores[name] += found / math.log2(2 + len(worth))
    best = sorted((verb for verb in verbs if scores[verb.name]), key=lambda verb: -scores[verb.name])
    return best[:FOUND]


def _worth(verb: Verb, word: str) -> Iterator[float]:
    if word in (verb.noun.rstrip("s"), verb.action.rstrip("s")):
        yield 4.0
    if word in verb.name:
        yield 2.0
    if word in verb.summary.lower():
        yield 1.5
    if any(word in f"{field.name} {field.says}".lower() for field in fields_of(verb).values()):
        yield 0.5
