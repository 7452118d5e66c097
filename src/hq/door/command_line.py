"""A command line as a model writes it for the tool `hq`: the words of `hq <noun> <action>`, read by the verb's own schema.

Positional fields by their place, `--field value` or `--field=value`, lists by repetition or as JSON, objects as JSON, yes and no
as `--field` and `--no-field`; text in quotes may go over several lines. What is said twice or is not known is refused with
what there is.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hq.door.toolset import by_tool, offered
from hq.door.verb import Registry, Verb
from hq.errors import Refused
from hq.graph.catalogue import flat_schema
from hq.json_text import json_value
from hq.json_types import CallArgs, JsonSchema
from hq.suggestion import did_you_mean

IDLE = ("--json", "--text", "--quiet", "-q")
"""Flags of the shell's command that mean nothing to who always gets JSON."""
SHELL = ("|", "||", "&&", ";", ">", ">>", "<", "&")


@dataclass(frozen=True)
class FieldSpec:
    """One argument of a verb, as a command takes it."""

    name: str
    type: str
    required: bool = False
    positional: bool = False
    items: str = "string"
    choices: tuple[str, ...] = ()
    says: str = ""

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")


@dataclass(frozen=True)
class CommandRead:
    verb: str
    args: CallArgs
    reason: str = ""
    at: str | None = None


def fields_of(verb: Verb) -> Mapping[str, FieldSpec]:
    """The arguments of a verb by name, those by place first, then what it needs."""
    return _fields(verb.args)


@lru_cache(maxsize=1024)
def _fields(args: Any) -> Mapping[str, FieldSpec]:
    schema = flat_schema(args)
    needed = schema.get("required", ())
    found = [_spec(name, part, required=name in needed) for name, part in schema.get("properties", {}).items()]
    return {each.name: each for each in sorted(found, key=lambda each: (not each.positional, not each.required))}


def _spec(name: str, part: JsonSchema, *, required: bool) -> FieldSpec:
    kinds = [kind for kind in part.get("anyOf", [part]) if kind.get("type") != "null"] or [{}]
    kind = kinds[0]
    items = kind.get("items") or {}
    says = " ".join((part.get("description") or "").split())
    return FieldSpec(
        name,
        kind.get("type", "object" if "properties" in kind or "allOf" in kind else "string"),
        required,
        bool(part.get("positional")),
        items.get("type", "string"),
        tuple(str(each) for each in kind.get("enum") or items.get("enum") or ()),
        says,
    )


def read_command(registry: Registry, line: str, reach: Collection[str] | None = None) -> CommandRead:
    """The call that a line asks for."""
    words = _words(line)
    if words and words[0] == "hq":
        words = words[1:]
    if not words or words[0] in ("help", "--help", "-h"):
        return CommandRead(_help(registry), {"about": words[1:]} if words[1:] else {})
    verb, rest = _verb(registry, words, reach)
    if verb is None or "--help" in rest:
        return CommandRead(_help(registry), {"about": [words[0]] if verb is None else [verb.noun, verb.action]})
    return _arguments(verb, rest)


def _help(registry: Registry) -> str:
    return next(verb.name for verb in registry if verb.explains)


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=False)
    except ValueError as error:
        raise Refused.invalid(
            f'the command cannot be read ({error}): put text into double quotes, and write \\" for one inside'
        ) from error


def _verb(registry: Registry, words: list[str], reach: Collection[str] | None) -> tuple[Verb | None, list[str]]:
    """Which verb the first words name, and what is left of the line; none, where a noun stands alone."""
    under = {shown: noun for noun, shown in registry.under.items()}
    for count, spelled in ((3, words[:3]), (2, words[:2]), (1, words[:1])):
        if len(spelled) < count:
            continue
        if count == 3 and (noun := under.get(" ".join(spelled[:2]))):
            spelled = [noun, spelled[2]]
        if (found := by_tool(registry, "_".join(spelled))) is not None and count > 1:
            return found, words[count:]
    alone = words[0]
    known = [v for v in registry if offered(v)]
    if (found := by_tool(registry, alone)) or (found := next((v for v in known if v.alias == alone), None)):
        return found, words[1:]
    noun = under.get(" ".join(words[:2])) or alone.replace("-", "_")
    actions = [v.action for v in known if v.noun == noun and (reach is None or v.name in reach)]
    if not actions:
        nouns = {v.noun for v in known if reach is None or v.name in reach}
        raise Refused.invalid(f"there is no command {alone!r}{did_you_mean(alone, nouns)}", hint="`help` lists them")
    action = words[1] if len(words) > 1 else ""
    if not action or action.startswith("-"):
        return None, []
    raise Refused.invalid(
        f"{noun} has no action {action!r}{did_you_mean(action, actions)}; it has {', '.join(actions)}"
    )


def _arguments(verb: Verb, words: list[str]) -> CommandRead:
    known = fields_of(verb)
    flags = {each.flag: each for each in known.values()}
    # A list may be said one by one: --tag a --tag b for tags.
    flags |= {each.flag[:-1]: each for each in known.values() if each.type == "array" and each.flag.endswith("s") and each.flag[:-1] not in flags}  # fmt: skip
    values: CallArgs = {}
    beside: dict[str, str] = {}
    placed: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if word in SHELL:
            raise Refused.invalid(f"hq takes one command a call, and no {word!r}: it is no shell")
        name, _, inline = word.partition("=")
        flag = name.replace("_", "-")
        if not word.startswith("--") or set(name) & set(" \n") or word == "--":
            placed.append(word)
        elif flag in flags:
            _say(values, flags[flag], inline if "=" in word else None, left)
        elif flag.startswith("--no-") and (field := flags.get("--" + flag[5:])) and field.type == "boolean":
            values[field.name] = False
        elif flag in ("--reason", "--at"):
            beside[flag[2:]] = inline if "=" in word else _next(left, flag)
        elif word not in IDLE:
            near = did_you_mean(flag, flags)
            raise Refused.invalid(f"{_name(verb)} has no {flag}{near}; {usage(verb)}")
    _place(verb, known.values(), values, placed)
    if missing := [each for each in known.values() if each.required and each.name not in values]:
        raise Refused.invalid(f"{_name(verb)} needs {' and '.join(_shown(e) for e in missing)}: {usage(verb)}")
    return CommandRead(verb.name, values, beside.get("reason", ""), beside.get("at"))


def _say(values: CallArgs, field: FieldSpec, inline: str | None, left: list[str]) -> None:
    if field.type == "boolean":
        if inline is None and left and left[0].lower() in ("true", "false"):
            inline = left.pop(0)
        values[field.name] = inline is None or inline.lower() in ("true", "yes", "1")
        return
    text = inline if inline is not None else _next(left, field.flag)
    if field.type == "array":
        values.setdefault(field.name, []).extend(_items(field, text))
        return
    if field.name in values:
        raise Refused.invalid(f"{field.flag} is there twice")
    values[field.name] = _value(field.flag, field.type, text)


def _next(left: list[str], flag: str) -> str:
    if not left:
        raise Refused.invalid(f"{flag} needs a value")
    return left.pop(0)


def _place(verb: Verb, known: Iterable[FieldSpec], values: CallArgs, placed: list[str]) -> None:
    """What stands without a flag: the fields by place, then what is needed and not said yet."""
    free = [each for each in known if each.name not in values and (each.positional or each.required)]
    for field in free:
        if not placed:
            return
        if field.type == "array":
            values[field.name] = [item for text in placed for item in _items(field, text)]
            placed.clear()
        else:
            values[field.name] = _value(field.flag, field.type, placed.pop(0))
    if placed:
        raise Refused.invalid(
            f"{_name(verb)} does not know what {placed[0]!r} is for; text of several words stands in quotes. {usage(verb)}"
        )


def _items(field: FieldSpec, text: str) -> list[Any]:
    if text.startswith("["):
        try:
            found = json_value(text)
        except ValueError:
            found = None
        if isinstance(found, list):
            return found
    return [_value(field.flag, field.items, text)]


def _value(flag: str, type_: str, text: str) -> Any:
    match type_:
        case "object":
            try:
                return json_value(text)
            except ValueError as error:
                raise Refused.invalid(f'{flag} is not JSON ({error}); say it like \'{{"key": "value"}}\'') from error
        case "integer" if text.lstrip("-").isdigit():
            return int(text)
        case "boolean":
            return text.lower() in ("true", "yes", "1")
        case _:
            return text  # numbers and moments the door reads


def _name(verb: Verb) -> str:
    return f"{verb.noun.replace('_', '-')} {verb.action.replace('_', '-')}"


def usage(verb: Verb) -> str:
    """`mission create --title TEXT [--deadline TEXT]`."""
    parts = [
        _shown(each) if each.required else f"[{_shown(each)}]" if each.positional else f"[{each.flag}]"
        for each in fields_of(verb).values()
    ]
    return " ".join((_name(verb), *parts))


def _shown(field: FieldSpec) -> str:
    if field.positional:
        return f"<{field.name}>"
    return (
        field.flag
        if field.type == "boolean"
        else f"{field.flag} {field.type.upper() if field.type == 'object' else '…'}"
    )
