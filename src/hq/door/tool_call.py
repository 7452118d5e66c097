"""A model's tool call, as the verb call it stands for: by the tool's name, by a command line, or by a name it had once.

What the values must be and who may make the call is the door's to say. What cannot be meant (no such tool, no such field, a
field missing) is said here, in the words of the call that was made, with what there is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hq.door.command_line import FieldSpec, fields_of, read_command
from hq.door.command_tool import HQ
from hq.door.strict_schema import decoded
from hq.door.toolset import OLD_PREFIX, OTHERS, by_tool, offered, open_objects, tool_of
from hq.door.verb import Registry, Verb
from hq.errors import ErrorDetail, Refused
from hq.json_types import CallArgs
from hq.suggestion import did_you_mean

OTHER_WORDS = {
    "list": ("count", "all", "get", "query", "find"),
    "show": ("get", "view", "describe", "status", "detail", "info", "look"),
    "create": ("new", "add", "make", "open"),
    "update": ("edit", "change", "modify", "set"),
    "archive": ("delete", "remove"),
}
"""What models call actions that are called otherwise here."""
FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)")
BESIDE = ("reason", "at")
"""What goes with a call and is no argument of its verb."""


@dataclass(frozen=True)
class ToolCallWanted:
    """A tool call, as the verb call it stands for."""

    verb: str
    args: CallArgs
    reason: str = ""
    at: str | None = None


def tool_call(
    registry: Registry, tool: str, given: Mapping[str, Any], reach: Collection[str] | None = None
) -> ToolCallWanted:
    """The call that a tool call stands for. `reach` is what its maker may use, where that is known."""
    if tool == HQ:
        return _typed(registry, given, reach)
    values = {name: value for name, value in given.items() if value is not None}
    if (verb := by_tool(registry, tool)) is not None:
        return _direct(verb, tool, values)
    if OTHERS in tool or tool.startswith(OLD_PREFIX):
        return _once_named(registry, tool, values, reach)
    raise _unknown(registry, tool, reach)


def in_words_of(tool: str, error: ErrorDetail) -> ErrorDetail:
    """What the house says of a call, to a model that made it: in its own words flags are fields. Commands stay commands,
    for there is a tool that takes them."""
    if tool == HQ:
        return error
    told: ErrorDetail = {**error, "message": _in_fields(error["message"])}
    if hint := error.get("hint"):
        told["hint"] = _in_fields(hint)
    return told


def _in_fields(text: str) -> str:
    return "`".join(_fields_in(text.split("`"))) if "--" in text else text


def _fields_in(parts: list[str]) -> list[str]:
    return [part if n % 2 else FLAG.sub(lambda flag: flag[1].replace("-", "_"), part) for n, part in enumerate(parts)]


def _typed(registry: Registry, given: Mapping[str, Any], reach: Collection[str] | None) -> ToolCallWanted:
    command = given.get("command")
    if not isinstance(command, str) or not command.strip():
        raise Refused.invalid(f'{HQ} takes command, a line such as "mission list --status paused", or "help"')
    if strange := [name for name in given if name not in ("command", *BESIDE)]:
        raise Refused.invalid(f"{HQ} has no field {strange[0]!r}: everything is said in command, as one line")
    read = read_command(registry, command, reach)
    verb = registry.get(read.verb)
    reason, at = read.reason or str(given.get("reason") or ""), read.at or given.get("at") or None
    return ToolCallWanted(verb.name, read.args, reason, _moment(verb, at))


def _direct(verb: Verb, tool: str, values: CallArgs) -> ToolCallWanted:
    known = fields_of(verb)
    reason, at = (str(values.pop(name, "") or "") if name not in known else "" for name in BESIDE)
    for name in [name for name in values if name not in known]:
        if name == "action" and tool.startswith(OLD_PREFIX):
            values.pop(name)
            continue
        meant = (
            f"; did you mean {verb.target!r}?"
            if name == verb.noun and verb.target in known
            else did_you_mean(name, known)
        )
        raise Refused.invalid(f"{tool_of(verb)} has no field {name!r}{meant}; {_takes(known.values())}")
    if missing := [each.name for each in known.values() if each.required and each.name not in values]:
        raise Refused.invalid(f"{tool_of(verb)} needs {' and '.join(missing)}; {_takes(known.values())}")
    return ToolCallWanted(verb.name, decoded(values, open_objects(verb.args)), reason, _moment(verb, at))


def _takes(known: Iterable[FieldSpec]) -> str:
    needed = [each.name for each in known if each.required]
    free = [each.name for each in known if not each.required]
    parts = ([f"it needs {', '.join(needed)}"] if needed else []) + ([f"takes {', '.join(free)}"] if free else [])
    return " and ".join(parts) if parts else "it takes no fields"


def _moment(verb: Verb, at: Any) -> str | None:
    if at and verb.changes:
        raise Refused.invalid("the past cannot be changed; leave `at` away")
    return str(at) if at else None


def _once_named(registry: Registry, tool: str, values: CallArgs, reach: Collection[str] | None) -> ToolCallWanted:
    """`hq_mission` with an action, as once; or a tool of another server, `tracker__create_issue`."""
    noun, _, rest = tool.removeprefix(OLD_PREFIX).partition(OTHERS)
    action = rest or values.pop("action", None)
    actions = [v.action for v in registry if v.noun == noun and offered(v) and not v.tool]
    if actions and not rest:
        if not isinstance(action, str) or action not in actions:
            raise _no_action(registry, noun, action, reach)
        verb = registry.get(f"{noun}.{action}")
        return _direct(verb, tool, {("action" if n == "action_" else n): v for n, v in values.items()})
    others = next(verb.name for verb in registry if verb.other_servers)
    if not isinstance(action, str) or (reach is not None and others not in reach):
        raise _unknown(registry, tool, reach)
    reason = str(values.pop("reason", ""))
    return ToolCallWanted(others, {"connector": noun.replace("_", "-"), "tool": action, "args": values}, reason)


def _no_action(registry: Registry, noun: str, action: Any, reach: Collection[str] | None) -> Refused:
    names = [tool_of(v) for v in registry if v.noun == noun and offered(v) and (reach is None or v.name in reach)]
    near = did_you_mean(f"{noun}_{action}", names) if action else ""
    return Refused.invalid(f"there is a tool for each action of {noun}: {', '.join(names)}{near}")


def nearest_tool(tool: str, known: Collection[str]) -> str:
    """Which one was meant: one that is spelt nearly so, or that does to the same noun what it asks for in another word."""
    from difflib import get_close_matches  # seldom needed

    said = re.split(r"[_\W]+", tool.lower())
    words = list(dict.fromkeys([*said, *(word.removesuffix("s") for word in said)]))
    asked = [action for action, others in OTHER_WORDS.items() if {action, *others} & {*words}]
    same = [f"{noun}_{action}" for noun in words for action in asked if f"{noun}_{action}" in known]
    if same and not get_close_matches(tool, [*known], n=1, cutoff=0.85):
        return f"; did you mean {same[0]!r}?"
    return did_you_mean(tool, known)


def _unknown(registry: Registry, tool: str, reach: Collection[str] | None) -> Refused:
    known = [tool_of(v) for v in registry if offered(v) and (reach is None or v.name in reach)]
    words = tool.removeprefix(OLD_PREFIX).replace("_", " ").replace("-", " ")
    return Refused.invalid(
        f"there is no tool {tool!r}{nearest_tool(tool.removeprefix(OLD_PREFIX), known)}",
        hint=f'{HQ} {{"command": "help {words}"}} finds what you may use',
    )
