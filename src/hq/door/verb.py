"""A verb, declared once: the CLI command, the HTTP route, the agent's tool, its schema and its page come from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema, model_validator
from pydantic.fields import FieldInfo

from hq.door.access import Touch, Who
from hq.errors import Refused
from hq.graph.moment import MOMENT
from hq.graph.types import Relation
from hq.json_types import CallArgs, JsonSchema
from hq.suggestion import did_you_mean

if TYPE_CHECKING:
    from hq.door.tx import Tx

Kind = Literal["read", "write", "effect", "stream", "wait"]
Gate = Literal["internal", "reversible", "irreversible", "spend", "staffing", "destructive", "cross_scope", "system"]
Scope = Literal["read", "write", "effect", "sql", "founder", "install"]
Undo = Literal["exact", "compensating", "none"]


class Args(BaseModel):
    """What a verb takes. Fields with a docstring explain themselves on every face."""

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
        populate_by_name=True,
        alias_generator=lambda name: name.rstrip("_"),
        allow_inf_nan=False,
        defer_build=True,  # a process uses a few of the hundreds of models
    )

    @model_validator(mode="before")
    @classmethod
    def _named_by_ref(cls, given: Any) -> Any:
        """`ref` is the name of the thing everywhere, also where the field that takes it by its place is called `id` or `agent`."""
        if not isinstance(given, Mapping) or "ref" not in given or "ref" in cls.model_fields:
            return given
        name = next((name for name, field in cls.model_fields.items() if _names_a_thing(field)), None)
        if name is None or {name, name.rstrip("_")} & given.keys():
            return given
        return {name if each == "ref" else each: value for each, value in given.items()}


def _names_a_thing(field: FieldInfo) -> bool:
    """Taken by its place, and no longer than a name: neither a text nor a question."""
    extra = field.json_schema_extra
    by_place = isinstance(extra, dict) and extra.get("positional") is True
    return by_place and all((getattr(each, "max_length", None) or 0) <= 200 for each in field.metadata)


class Result(BaseModel):
    """What a verb gives back: high-signal fields only, never raw rows."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True, defer_build=True)


MomentText = Annotated[
    str,
    StringConstraints(max_length=40),
    WithJsonSchema({"type": "string", "minLength": 2, "maxLength": 40, "pattern": MOMENT}),
]
"""A point in time as people and programs write it; `parse_moment` reads it, and says what it takes."""

Ref = Annotated[str, Field(min_length=1, max_length=200)]
"""A node by its slug, `type:slug` or id."""


def first(**more: Any) -> Any:
    """A field that the command line takes without its option name: `hq task show <ref>`."""
    return Field(json_schema_extra={"positional": True}, **more)


def exactly_one(*names: str) -> JsonSchema:
    """For the schema of arguments of which one is said, and no other: the handler refuses anything else."""
    return {"oneOf": [{"required": [name], "properties": {name: {"type": "string"}}} for name in names]}


def at_least_one(of: Mapping[str, JsonSchema]) -> JsonSchema:
    """The same, of arguments of which one is needed; each with what it has to be."""
    return {"anyOf": [{"required": [name], "properties": {name: part}} for name, part in of.items()]}


Handler = Callable[["Tx", Any], Awaitable[Any]]


@dataclass(frozen=True)
class Example:
    """A call that really works, shown in help and run by the tests."""

    args: Mapping[str, Any]
    says: str = ""


@dataclass(frozen=True)
class CostForecast:
    """What a call will come to, for whoever must say yes to it."""

    says: str
    """A range with its grounds, in words."""
    usd: float | None = None
    """The middle of it in US dollars; nothing where nobody can say."""


@dataclass(frozen=True)
class Verb:
    name: str
    kind: Kind
    args: type[Args]
    result: type[BaseModel]
    handler: Handler
    summary: str
    scope: Scope
    gate: Gate = "internal"
    undo: Undo = "none"
    undo_by: Callable[[Mapping[str, Any], Mapping[str, Any]], tuple[str, CallArgs]] | None = None
    """For a compensating undo: from (input, output) of the call, the verb and arguments that make up for it."""
    invariant: Callable[[Tx], Awaitable[None]] | None = None
    """What must hold once the call was taken back exactly; refuses where it does not."""
    prepare: Callable[[Tx, Any], Awaitable[Any]] | None = None
    """For an effect: what it looks up and checks while the call still holds the database, left in `tx.prepared`."""
    forecast: Callable[[Tx, Any], Awaitable[CostForecast | None]] | None = None
    """What it will cost, told on the card of an ask for it; left out where no model is asked and nothing is paid."""
    emits: str | None = None
    target: str | None = None
    """The argument that names what the call acts on."""
    text: str = ""
    """How the command line tells a person the result: `module:function`, which gives lines from the data and a screen (or
    nothing, and the usual way is taken), `.field` for one field as it is, or the sentence that says what a write did:
    `moved {slug} to {status}[ until {until}]`, without what is in brackets where that field is empty, and `{answer|status}`
    for the first of two. Left out: a table, a card or a sentence."""
    alias: str | None = None
    """A shorter command: `hq describe` for `hq graph describe`."""
    examples: Sequence[Example] = field(default_factory=tuple)
    secret: frozenset[str] = frozenset()
    """Arguments that are never recorded, logged or parked."""
    by_hash: frozenset[str] = frozenset()
    """Arguments of which the ledger keeps the hash and the size: they are kept whole elsewhere."""
    shown_once: frozenset[str] = frozenset()
    """Parts of the result that go to the caller and nowhere else."""
    preview: str | None = None
    """The argument with which the call only looks: then it is a read, for whoever may read."""
    internal: bool = False
    """Part of another verb's work; works on every face, but none of them offers it."""
    tool: str | None = None
    """The name under which models know it from elsewhere; the tool of any other verb is `<noun>_<action>`."""
    shows: tuple[str, ...] | None = None
    """Optional arguments that its tool shows a model; the others are taken too, and told by help. Left out: its first few."""
    past: bool = True
    """A read of the graph, which can be made as of any moment; others say so instead of ignoring --at."""
    result_of_wait: Callable[[Tx, Mapping[str, Any]], Awaitable[BaseModel | None]] | None = None
    """For a verb that waits: from its first answer, what came of it by now, or nothing yet. An answer names what it
    waits for in `waits_for`, as `noun:id` or several of these; an event of that noun with that id ends the waiting.
    Events count from the call on, or from the number in `waits_since`; where only some of them settle it, `waits_on` names
    their topics. One that names nothing is final. An effect may
    wait too; where it never reported back it is asked without an answer, to find by the call's key what became of it."""
    for_: tuple[Who, ...] = ()
    """Whom it is for; nobody means that it is only made as a step of another verb."""
    touches: tuple[Touch, ...] = ()
    """Whose things it may touch, by the arguments that name them."""
    draws: Mapping[str, Relation] = field(default_factory=dict)
    """Arguments that draw a link of its noun. Where agents do not draw that by hand and `touches` does not say whose it
    may be, the founder is asked."""
    args_for: Mapping[str, tuple[Who, ...]] = field(default_factory=dict)
    """Arguments that are for some only, of those whom it is for."""
    of_people: Scope | None = None
    """The scope that a person's credential needs for it, where that is more than others' do: who speaks for the founder."""
    while_frozen: tuple[Who, ...] = ()
    """Who makes it through a freeze: what stops, thaws or revokes."""
    frozen_if: Callable[[Any], bool] | None = None
    """With which arguments alone it does; left out, with any."""
    speaks: bool = False
    """Says something, asks or answers, and does no more: also from a seat that has to stop."""
    answers: bool = False
    """Gives somebody's answer to an ask: no proposal makes it, for its yes would hide another."""
    whole: bool | str = False
    """Done, nothing of it is left to do for who asked for it in a conversation: after the founder's yes the house says so there, and who asked is
    told with whatever comes next. A name: only where the result has that."""
    on_card: bool = False
    """A card's button may make it: of an agent's card in its name, of one that the house asks by with the rights of who presses
    it. So no approval, key or rule is behind one."""
    progress: bool = True
    """Whether who calls it gets on by it; talking, and writing down what happened, is no progress."""
    explains: bool = False
    """Says what can be called, and how: what `help` stands for in a command."""
    ready: Callable[[Mapping[type[Any], Any]], bool] | None = None
    """Whether this installation has what it takes, by its services; where it does not, no session is shown its tool."""
    other_servers: bool = False
    """Calls a tool of another server: what a tool stands for that is no noun here."""

    @property
    def noun(self) -> str:
        return self.name.partition(".")[0]

    @property
    def action(self) -> str:
        return self.name.partition(".")[2]

    @property
    def changes(self) -> bool:
        return self.kind in ("write", "effect", "wait")


def summary_of(text: str) -> str:
    """The first paragraph, in one line."""
    return " ".join(text.strip().partition("\n\n")[0].split())


def verb(
    name: str,
    kind: Kind,
    *,
    for_: tuple[Who, ...],
    touches: Touch | tuple[Touch, ...] = (),
    scope: Scope | None = None,
    examples: Iterable[Mapping[str, Any]] = (),
    secret: Iterable[str] = (),
    by_hash: Iterable[str] = (),
    shown_once: Iterable[str] = (),
    **more: Any,
) -> Callable[[Handler], Verb]:
    """Declare a verb over its handler, and whom it is for. Arguments and result come from the signature, the summary from the docstring."""

    def declare(handler: Handler) -> Verb:
        hints = get_type_hints(handler, localns=_late())
        args = hints["args"]
        return Verb(
            name=name,
            kind=kind,
            args=args,
            result=hints["return"],
            handler=handler,
            summary=summary_of(handler.__doc__ or args.__doc__ or ""),
            scope=scope or ("read" if kind in ("read", "stream") else "effect" if kind == "effect" else "write"),
            for_=for_,
            touches=(touches,) if isinstance(touches, Touch) else touches,
            examples=tuple(Example(e) for e in examples),
            secret=frozenset(secret),
            by_hash=frozenset(by_hash),
            shown_once=frozenset(shown_once),
            **more,
        )

    return declare


def _late() -> dict[str, type]:
    from hq.door.tx import Tx

    return {"Tx": Tx}


class Registry:
    """Every verb by name, and what the nouns mean that they are verbs of."""

    def __init__(
        self, verbs: Iterable[Verb], nouns: Mapping[str, str], under: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.verbs: dict[str, Verb] = {}
        self.nouns = nouns
        self.under = under
        """Nouns whose commands are another's, and how those are spelled."""
        for each in verbs:
            if each.name in self.verbs:
                raise TypeError(f"verb {each.name!r} is declared twice")
            if each.noun not in nouns:
                raise TypeError(f"{each.name}: {each.noun!r} is no type, and no front says in `nouns` what it means")
            self.verbs[each.name] = each

    def __iter__(self):
        return iter(self.verbs.values())

    def get(self, name: str) -> Verb:
        found = self.verbs.get(name)
        if found is None:
            raise Refused.not_found(f"there is no verb {name!r}{did_you_mean(name, self.verbs)}")
        return found
