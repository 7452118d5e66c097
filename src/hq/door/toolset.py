"""The verbs as tools for models: one `hq_<noun>` tool with an `action`, flat and strict, as data.

The few that models know from elsewhere (`ssh_exec`, `read_file`) are tools by themselves, under those names.

The MCP server, the exporters and the agents' loop all take their tools from here, and hand calls back through
`wanted`. What a model must not hold is not among them: hidden verbs, secrets, and what is shown only once.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from hq.door.caller import Caller
from hq.door.noun_glossary import meaning
from hq.door.strict_schema import NO_FIELD, decoded, merged, object_fields, strict
from hq.door.verb import Args, Registry, Verb
from hq.errors import Refused
from hq.graph.catalogue import Catalogue, flat_schema
from hq.json_types import JsonObject, JsonSchema
from hq.suggestion import did_you_mean

PREFIX = "hq_"
Only = Mapping[str, Collection[str]]
NO_LIMIT: Only = MappingProxyType({})
REASON: JsonSchema = {"type": "string", "description": "Why, for the ledger. Say it with every change."}
RETURNS = "Returns JSON with ok, data and error; name things by the slug they came with"
WAITING = "the error code waiting means the founder was asked: go on with other work, do not repeat the call"
AT: JsonSchema = {
    "type": "string",
    "description": "For reads: as it was then; a date, a time, or 3d for three days ago.",
}


@dataclass(frozen=True)
class Tool:
    """What a model is told of one tool, whatever the format."""

    name: str
    title: str
    description: str
    schema: JsonSchema
    """Strict: no field beside the named ones; of a noun's tool only `action` is needed."""
    examples: Sequence[Mapping[str, Any]] = ()
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    outside: bool = False
    """Reaches the world outside this installation."""
    marks: Sequence[str] = ()
    """Taint that everything it returns carries."""
    verb: str | None = None
    """The one verb it stands for, if it is not a noun's."""

    @property
    def actions(self) -> list[str]:
        if self.verb:
            return [self.verb.partition(".")[2]]
        return list(self.schema["properties"]["action"]["enum"])


@dataclass(frozen=True)
class ToolAction:
    """One thing a tool can do: its line, what it takes, what it must be given."""

    name: str
    says: str
    fields: Mapping[str, JsonSchema] = field(default_factory=dict)
    required: Sequence[str] = ()


@dataclass(frozen=True)
class ToolCallWanted:
    """A tool call, as the verb call it stands for."""

    verb: str
    args: JsonObject
    reason: str = ""
    at: str | None = None


def offered(verb: Verb) -> bool:
    """Whether any model may be given this verb: nothing that carries a secret in or out goes through one."""
    return not (verb.internal or verb.secret or verb.shown_once or verb.kind == "stream")


def tools_for(registry: Registry, catalogue: Catalogue, caller: Caller, only: Only = NO_LIMIT) -> tuple[Tool, ...]:
    """The tools this caller may use, each with only the actions it may take; of some, with only those it wants."""
    return _tools(
        registry, catalogue, frozenset(v.name for v in registry if offered(v) and caller.may(v) and _meant(v, only))
    )


def all_tools(
    registry: Registry, catalogue: Catalogue, *, reading: bool = False, only: Only = NO_LIMIT
) -> tuple[Tool, ...]:
    """Every tool, whoever may use it; with `reading`, only what they look with."""
    names = frozenset(v.name for v in registry if offered(v) and not (reading and v.changes) and _meant(v, only))
    return _tools(registry, catalogue, names)


def _meant(verb: Verb, only: Only) -> bool:
    actions = only.get(tool_of(verb))
    return actions is None or verb.action in actions


@lru_cache(maxsize=64)
def _tools(registry: Registry, catalogue: Catalogue, names: frozenset[str]) -> tuple[Tool, ...]:
    by_name: dict[str, list[Verb]] = {}
    for verb in registry:
        if verb.name in names:
            by_name.setdefault(tool_of(verb), []).append(verb)
    return tuple(
        _alone(verbs[0]) if verbs[0].tool else _tool(verbs[0].noun, verbs, meaning(verbs[0].noun, catalogue, verbs))
        for _, verbs in sorted(by_name.items())
    )


def tool_of(verb: Verb) -> str:
    """The tool by which a model has this verb."""
    return verb.tool or PREFIX + verb.noun


def verbs_of(tools: Iterable[Tool]) -> frozenset[str]:
    """The verbs that can be called by these tools."""
    return frozenset(
        tool.verb or f"{tool.name.removeprefix(PREFIX)}.{action}" for tool in tools for action in tool.actions
    )


def may_be_tool(registry: Registry, name: str) -> bool:
    """Whether it could be the name of a tool of ours: a verb's own, or one that begins as they all do."""
    return name.startswith(PREFIX) or any(verb.tool == name for verb in registry)


def _alone(verb: Verb) -> Tool:
    """A verb that is a tool by itself: its fields are the tool's, and what it needs is needed."""
    schema = flat_schema(verb.args)
    fields = {name: strict(part) for name, part in schema.get("properties", {}).items()}
    return Tool(
        name=tool_of(verb),
        title=tool_of(verb).replace("_", " ").capitalize(),
        description=f"{verb.summary.rstrip('.')}. {RETURNS}. {WAITING.capitalize() if verb.changes else 'Nothing is changed'}.",
        schema={
            "type": "object",
            "properties": fields | ({"reason": REASON} if verb.changes and "reason" not in fields else {}),
            "required": list(schema.get("required", ())),
            "additionalProperties": False,
        },
        examples=[{k: _plain(verb, k, value) for k, value in e.args.items()} for e in verb.examples[:1]],
        read_only=not verb.changes,
        destructive=verb.changes and (verb.gate == "destructive" or verb.undo == "none"),
        idempotent=not verb.changes,
        outside=verb.kind == "effect",
        verb=verb.name,
    )


def _tool(noun: str, verbs: list[Verb], says: str) -> Tool:
    common: dict[str, JsonSchema] = {}
    if any(v.changes for v in verbs):
        common["reason"] = REASON
    if any(not v.changes and v.past for v in verbs):
        common["at"] = AT
    return Tool(
        name=PREFIX + noun,
        title=noun.replace("_", " ").capitalize(),
        description=_description(noun, verbs, says),
        schema=schema_of([_action(v) for v in verbs], common),
        examples=_examples(verbs),
        read_only=not any(v.changes for v in verbs),
        destructive=any(v.changes and (v.gate == "destructive" or v.undo == "none") for v in verbs),
        idempotent=not any(v.changes for v in verbs),
        outside=any(v.kind == "effect" for v in verbs),
    )


def _action(verb: Verb) -> ToolAction:
    schema = flat_schema(verb.args)
    return ToolAction(verb.action, verb.summary, schema.get("properties", {}), schema.get("required", ()))


def schema_of(actions: Iterable[ToolAction], common: Mapping[str, JsonSchema]) -> JsonSchema:
    """One flat object for all actions: the action says which of the fields count."""
    actions = list(actions)
    fields: dict[str, JsonSchema] = {}
    for action in actions:
        for name, part in action.fields.items():
            name = spelled(name)
            fields[name] = merged(fields.get(name, NO_FIELD), strict(part))
    lines = [
        f"{a.name}({', '.join(map(spelled, a.required))}): {a.says.rstrip('.')}."
        if a.required
        else f"{a.name}: {a.says}"
        for a in actions
    ]
    return {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": [a.name for a in actions], "description": " ".join(lines)},
            **fields,
            **{name: part for name, part in common.items() if name not in fields},
        },
        "required": ["action"],
        "additionalProperties": False,
    }


def spelled(name: str) -> str:
    """A field's name in the tool: `action` is taken."""
    return "action_" if name == "action" else name


def unspelled(name: str) -> str:
    return "action" if name == "action_" else name


def _description(noun: str, verbs: list[Verb], says: str) -> str:
    """Three to five sentences: what it is about, when to take it, what comes back, what to mind."""
    word = noun.replace("_", " ")
    reads, changes = [v.action for v in verbs if not v.changes], [v.action for v in verbs if v.changes]
    sentences = [f"{word.capitalize()}: {_one_sentence(says)}"]
    if reads and changes:
        sentences.append(
            f"Use {_or(reads)} to look and {_or(changes)} to change something; set only that action's fields"
        )
    else:
        sentences.append(
            f"Use {_or(reads or changes)} {'to look; nothing is changed' if reads else 'to change something'}"
        )
    sentences.append(RETURNS)
    if changes:
        sentences.append(f"Changes are recorded and mostly undone by hq_action undo; {WAITING}")
    return ". ".join(s.rstrip(".") for s in sentences) + "."


def _one_sentence(text: str) -> str:
    return text.replace(". ", "; ").rstrip(".")


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _examples(verbs: list[Verb]) -> list[JsonObject]:
    found = [
        {"action": v.action, **{spelled(k): _plain(v, k, value) for k, value in e.args.items()}}
        for v in verbs
        for e in v.examples[:1]
    ]
    return found[:3] or [{"action": verbs[0].action}]


def _plain(verb: Verb, name: str, value: Any) -> Any:
    return json.dumps(value) if name in _objects(verb.args) else value


@lru_cache(maxsize=1024)
def _objects(args: type[Args]) -> frozenset[str]:
    return object_fields(flat_schema(args))


def wanted(
    registry: Registry, tool: str, given: Mapping[str, Any], tools: Sequence[Tool] | None = None
) -> ToolCallWanted:
    """The call that a tool call stands for. What the arguments must be, and who may make it, is the door's to say; what does
    not exist is refused here, with what there is of these tools."""
    alone = next((v for v in registry if v.tool == tool and offered(v)), None)
    if alone:
        return _call(alone, {name: value for name, value in given.items() if value is not None})
    noun = tool.removeprefix(PREFIX)
    values = {unspelled(name): value for name, value in given.items() if name != "action" and value is not None}
    action = given.get("action")
    actions = [v.action for v in registry if v.noun == noun and offered(v) and not v.tool]
    if not actions:
        others = next(verb.name for verb in registry if verb.other_servers)
        _check_known(tool, tools, others)
        return _connected(others, noun, action, values)
    if not isinstance(action, str) or action not in actions:
        mine = next((each.actions for each in tools or () if each.name == tool), [])
        raise _no_action(tool, action, mine or actions)
    return _call(registry.get(f"{noun}.{action}"), values)


def _check_known(tool: str, tools: Sequence[Tool] | None, others: str) -> None:
    """A tool that is none of ours came in through a connector, if who calls may use those at all."""
    if tools is None or others in verbs_of(tools):
        return
    known = [each.name for each in tools]
    there = f"you have {', '.join(known)}" if known else "you have none"
    raise Refused.invalid(f"there is no tool {tool!r}; {there}{did_you_mean(tool, known)}")


def _no_action(tool: str, action: Any, actions: list[str]) -> Refused:
    if action is None:
        return Refused.invalid(f"{tool} needs an action: {', '.join(actions)}")
    near = did_you_mean(str(action), actions)
    return Refused.invalid(f"{tool} has no action {action!r}; it takes an action: {', '.join(actions)}{near}")


def _call(verb: Verb, values: JsonObject) -> ToolCallWanted:
    own = {info.alias or name for name, info in verb.args.model_fields.items()}
    reason, at = (str(values.pop(name, "")) if name not in own else "" for name in ("reason", "at"))
    if at and verb.changes:
        raise Refused.invalid("the past cannot be changed; leave `at` away")
    return ToolCallWanted(verb.name, decoded(values, _objects(verb.args)), reason, at or None)


def _connected(others: str, name: str, action: Any, values: JsonObject) -> ToolCallWanted:
    """A tool that came in through a connector."""
    if not isinstance(action, str):
        raise Refused.invalid(f"{PREFIX}{name} takes an action; `hq_tools` with the action list shows which")
    reason = str(values.pop("reason", ""))
    return ToolCallWanted(others, {"connector": name.replace("_", "-"), "tool": action, "args": values}, reason)
