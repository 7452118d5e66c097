"""The verbs as tools for models: one tool a verb, `<noun>_<action>`, with exactly its fields, flat and strict, as data.

The few that models know from elsewhere (`ssh_exec`, `read_file`) go by those names. Of a verb with many fields a tool shows
those of every day; the others are taken as well, and told by help. Whatever is not shown is reached through the one tool `hq`
(`command_tool`). The MCP server, the exporters and the agents' loop take their tools from here, and hand calls back through
`tool_call`. What a model must not hold is not among them: hidden verbs, secrets, and what is shown only once.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from uuid import UUID

from hq.door.access import is_for
from hq.door.borders import crossed
from hq.door.caller import Caller
from hq.door.strict_schema import object_fields, strict
from hq.door.verb import Args, Registry, Verb
from hq.graph.catalogue import flat_schema
from hq.json_types import JsonSchema

OLD_PREFIX = "hq_"
"""Once there was a tool a noun, `hq_mission` with an `action`. Journals, recorded calls and files of agents name those."""
OTHERS = "__"
"""Between a connector and one of its tools: `tracker__create_issue`."""
MOST_FIELDS = 5
"""Optional fields that a tool shows of a verb that does not say which."""
Only = Mapping[str, Collection[str]]
NO_LIMIT: Only = MappingProxyType({})
REASON: JsonSchema = {"type": "string", "description": "Why, for who is asked"}
WEIGHED = ("irreversible", "spend", "staffing", "destructive", "cross_scope", "system")
"""Calls of which somebody may be asked: those show a `reason`. Any other takes one too; where none is given, what the
model says with its call stands as the reason."""
LONG, SHORT = 70, 45
"""Characters of a field's description: before it is cut at its first semicolon; below which a choice goes without it."""
PLAIN = ("limit", "name", "title", "description", "deadline", "priority", "daily_usd_hard", "daily_tokens_hard")
"""Fields that need no words."""


@dataclass(frozen=True)
class Tool:
    """What a model is told of one tool, whatever the format."""

    name: str
    title: str
    description: str
    schema: JsonSchema
    """Flat, and open: fields that are not shown are taken too. Exporters close it for who is strict."""
    examples: Sequence[Mapping[str, Any]] = ()
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    outside: bool = False
    """Reaches the world outside this installation."""
    marks: Sequence[str] = ()
    """Taint that everything it returns carries."""
    verb: str | None = None
    """The verb it stands for; nothing for `hq` and for what came in through a connector."""

    @property
    def tokens(self) -> int:
        """About what a model reads for it."""
        said = {"name": self.name, "description": self.description, "input_schema": self.schema}
        return -(-len(json.dumps(said, ensure_ascii=False)) // CHARACTERS_PER_TOKEN)


ANYBODY = UUID(int=0)
CHARACTERS_PER_TOKEN = 4  # of JSON like this, in the tokenizers of the day; an estimate and called one


def offered(verb: Verb) -> bool:
    """Whether any model may be given this verb: nothing that carries a secret in or out goes through one."""
    return not (verb.internal or verb.secret or verb.shown_once or verb.kind == "stream")


def tool_of(verb: Verb) -> str:
    """The tool by which a model has this verb."""
    return verb.tool or f"{verb.noun}_{verb.action}"


def may_use(
    registry: Registry, caller: Caller, *, in_session: bool = False, lent: tuple[str, ...] = ()
) -> frozenset[str]:
    """The verbs that somebody's rights allow as tools: what the door asks of every call, as far as that does not hang on what the
    call names. `lent` are the nouns that come with a seat. Callers with the same rights share the answer."""
    rights = replace(
        caller, credential_id=ANYBODY, tenant_id=ANYBODY, principal_id=ANYBODY, producer_id=None, founder_id=None,
        actor=f"{caller.kind}:{caller.agent or ''}", risk_tolerance="balanced", single_use=False,
    )  # fmt: skip
    return _may_use(registry, rights, in_session, lent)


@lru_cache(maxsize=256)
def _may_use(registry: Registry, caller: Caller, in_session: bool, lent: tuple[str, ...]) -> frozenset[str]:
    return frozenset(
        v.name
        for v in registry
        if offered(v)
        and caller.may(v)
        and is_for(caller, v, in_session=in_session)
        and crossed(caller, v) is None
        and (caller.may_be_given(v) or v.noun in lent)
    )


@lru_cache(maxsize=4096)
def verbs_named(registry: Registry, name: str, how: str = "") -> tuple[str, ...]:
    """The verbs that a line of an agent's file means: a noun or its old tool (`mission`, `hq_mission`), or one tool
    (`mission_create`, `read_file`); of a noun's all, those that only look (`read`), or some by name."""
    if (one := by_tool(registry, name)) is not None:
        return (one.name,) if how != "read" or one.scope == "read" else ()
    noun = name.removeprefix(OLD_PREFIX)
    actions = None if how in ("", "read", "write") else {action.strip() for action in how.split(",")}
    return tuple(
        v.name
        for v in registry
        if v.noun == noun
        and offered(v)
        and not v.tool
        and (actions is None or v.action in actions)
        and (how != "read" or v.scope == "read")
    )


def verbs_reached(
    registry: Registry, tools: Iterable[str] | None, reads: Collection[str] = (), only: Only = NO_LIMIT
) -> frozenset[str]:
    """All that these tools reach; nothing named means everything there is."""
    if tools is None:
        return frozenset(v.name for v in registry if offered(v))
    how = {name: ", ".join(actions) for name, actions in only.items()} | dict.fromkeys(reads, "read")
    return frozenset(verb for name in tools for verb in verbs_named(registry, name, how.get(name, "")))


def by_tool(registry: Registry, name: str) -> Verb | None:
    """The verb of a tool, by the tool's name, the verb's own, or a name it had once."""
    return _by_tool(registry).get(name.replace(".", "_").replace("-", "_"))


@lru_cache(maxsize=8)
def _by_tool(registry: Registry) -> Mapping[str, Verb]:
    known = {f"{verb.noun}_{verb.action}": verb for verb in registry if offered(verb)}
    nouns = {verb.noun for verb in registry}
    # `ssh.exec` is found as ssh_exec and file.read as read_file and file_read; a noun stays a noun.
    named = {verb.tool: verb for verb in known.values() if verb.tool}
    old = {OLD_PREFIX + name: verb for name, verb in known.items() if name not in nouns}
    return {**old, **{name: verb for name, verb in known.items() if name not in nouns}, **named}


def tools_of(registry: Registry, names: Iterable[str]) -> tuple[Tool, ...]:
    """The tools of these verbs, in this order."""
    return tuple(_tool(registry, name) for name in names)


def all_tools(registry: Registry) -> tuple[Tool, ...]:
    """Every tool, whoever may use it, by name."""
    tools = tools_of(registry, (verb.name for verb in registry if offered(verb)))
    return tuple(sorted(tools, key=lambda tool: tool.name))


@lru_cache(maxsize=2048)
def _tool(registry: Registry, of: str) -> Tool:
    verb = registry.get(of)
    schema = flat_schema(verb.args)
    fields = {name: _told(name, strict(part)) for name, part in shown_fields(verb).items()}
    if verb.gate in WEIGHED and "reason" not in fields:
        fields["reason"] = REASON
    name = tool_of(verb)
    return Tool(
        name=name,
        title=name.replace("_", " ").capitalize(),
        description=first_sentence(verb.summary),
        schema={
            "type": "object",
            "properties": fields,
            "required": list(schema.get("required", ())),
        },
        examples=[{k: plain(verb, k, value) for k, value in e.args.items() if k in fields} for e in verb.examples[:1]],
        read_only=not verb.changes,
        destructive=verb.changes and (verb.gate == "destructive" or verb.undo == "none"),
        idempotent=not verb.changes,
        outside=verb.kind == "effect",
        verb=verb.name,
    )


def shown_fields(verb: Verb) -> Mapping[str, JsonSchema]:
    """The fields that a tool shows: what it needs, and what the verb says is of every day, or its first own ones."""
    schema = flat_schema(verb.args)
    parts: Mapping[str, JsonSchema] = schema.get("properties", {})
    needed = schema.get("required", ())
    if verb.shows is not None:
        names = [*needed, *(name for name in verb.shows if name not in needed)]
        return {name: parts[name] for name in names}
    shared = {f.alias or n for base in verb.args.__bases__ for n, f in getattr(base, "model_fields", {}).items()}
    optional = [name for name in parts if name not in needed]
    own = [name for name in optional if name not in shared] or optional
    return {name: parts[name] for name in parts if name in needed or name in own[:MOST_FIELDS]}


def _told(name: str, part: JsonSchema) -> JsonSchema:
    """A field in as few words as say it: the first sentence, and none where its name or its choices say it all."""
    made = {key: value for key, value in part.items() if key not in ("format", "description")}
    said = first_sentence(part.get("description", ""))
    said = said if len(said) < LONG else said.partition("; ")[0]
    plain = name in PLAIN or (len(said) < SHORT and "enum" in part)
    return made if plain or not said else made | {"description": said}


def first_sentence(text: str) -> str:
    """What stands before the first full stop or the first aside."""
    return " ".join(text.split()).partition(". ")[0].rstrip(".")


def plain(verb: Verb, name: str, value: Any) -> Any:
    """A value as a tool takes it: objects as JSON text."""
    return json.dumps(value) if name in open_objects(verb.args) else value


@lru_cache(maxsize=1024)
def open_objects(args: type[Args]) -> frozenset[str]:
    return object_fields(flat_schema(args))


def within(tools: Iterable[Tool], limit: int) -> tuple[Tool, ...]:
    """As many of these tools, from the first on, as a model reads for so many tokens."""
    kept: list[Tool] = []
    left = limit
    for tool in tools:
        if tool.tokens <= left:
            kept.append(tool)
            left -= tool.tokens
    return tuple(kept)
