"""Every verb, called by everybody on everybody's things: who is turned away because of who they are, and who has to ask.

Each call is made on the real door and its transaction is rolled back, so that no call finds what another left.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, get_args

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from hq.asks.kinds import Kinds
from hq.door.access import Touch
from hq.door.arguments import parse
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Verb
from hq.errors import HqError, Refused
from hq.ids import new_id
from tests.door.who_may_rule import NOT_DERIVED, PRINCIPALS, Answer, bordered, expected, is_somebodys, may_answer
from tests.support.one_of_everything import EMPLOYED, Firm
from tests.support.searching import catch_up

OWNERS = ("report", "founder", "paused", "outsider", "stopped", "house")
"""Whose thing is touched: that of the agent `report`, whom `lead` leads; the founder's own; one that the founder paused:
`resting`, whom `lead` leads too, and what `report` has; that of an agent of another organisation; an agent that was stopped
for a reason; the house's."""
ALIVE = OWNERS[:2]
DIRECTED = {"directed_organisation", "seat", "agent_seat", "organisation_document", "chart"}
IN_SESSION = {"handoff", "founders_conversation", "session", "opened_tree", "session_tree"}
TURNED_AWAY = ("forbidden", "cross_scope_violation", "paused")
NOWHERE = "019dfc66-b817-716a-8756-021456eeb0e3"


class RolledBack(Exception):
    pass


@dataclass(frozen=True)
class Asked:
    """A row of the table: a verb, on whose thing, and where the verb does not say it all, with what."""

    verb: Verb
    whose: str = "-"
    says: str = ""
    """What is special about the call, beside the verb's name."""
    given: Callable[[str], dict[str, Any]] | None = None
    """The arguments, for each principal; left out, those that the declaration asks for."""

    @property
    def name(self) -> str:
        return f"{self.verb.name} {self.says}".rstrip()


async def answered(firm: Firm, principal: str, asked: Iterable[Asked]) -> list[Answer]:
    """Of each call, whether the door, or the verb itself, refuses this caller as such, or asks the founder first."""
    opening = Call("auth.token", {}, firm.tokens[principal], session_id=firm.sessions.get(principal))
    found: list[Answer] = []
    try:
        async with firm.hq.door.opened(firm.registry.get("task.create"), opening, noting=True) as opened:
            firm.scopes[principal] = opened.caller.scopes
            for each in asked:
                args = arguments(firm, each, principal)
                found.append(await _answer(firm, opened, each.verb, args) if of_interest(each, principal) else "-")
            raise RolledBack
    except RolledBack:
        return found


def of_interest(row: Asked, principal: str) -> bool:
    """Where a principal is any agent, it is `report`; only what its seat or its session decides is tried again."""
    nouns = {touch.noun for touch in row.verb.touches}
    match principal:
        case "director":
            return bool(nouns & DIRECTED) or row.verb.answers
        case "session":
            return "session" in row.verb.for_ or bool(nouns & IN_SESSION)
        case _:
            return True


async def _answer(firm: Firm, opened: Tx, verb: Verb, args: Args) -> Answer:
    call = replace(opened.call, verb=verb.name)
    tx = Tx(firm.hq.door, opened.conn, call, opened.caller, opened.seq, new_id(), None)
    tx.freezes = opened.freezes
    await opened.conn.execute("savepoint before")
    judged = False
    try:
        tx.caller.check(verb)
        verdict = await firm.hq.door.gated(tx, verb, args)
        judged = True
        if verdict.decision == "ask":
            return "ask"
        if tx.told and tx.told.hides:  # it ends as of what there is not: `test_sight.py`
            return "no"
        if _whole(verb, args):
            await _made(tx, verb, args)
    except HqError as error:
        # What the rule itself says is not there, is not there for who calls.
        unseen = error.code.name == "not_found" and (not judged or verb.name == "ask.answer")
        refused = error.code.name in TURNED_AWAY or unseen
        return "no" if refused else "yes"
    except Exception:  # what a sample argument breaks says nothing about who calls
        return "yes"
    finally:
        await opened.conn.execute("rollback to savepoint before")
    return "yes"


def is_name(info: FieldInfo) -> bool:
    """Whether an argument is a name of something: `Ref`, or a list of them."""
    limits = {type(each).__name__: getattr(each, "max_length", None) for each in info.metadata}
    several = get_args(info.annotation)
    return limits.get("MaxLen") == 200 or any("max_length=200" in repr(each) for each in several)


def arguments(firm: Firm, asked: Asked, principal: str) -> Args:
    verb, given = asked.verb, dict[str, Any]()
    schema = _schema(verb.args)
    for name in schema.get("required", ()):
        given[name] = _sample(schema["properties"][name], schema.get("$defs", {}))
    for example in list(verb.examples)[:1]:
        given |= example.args
    if asked.whose != "-" or not owned(firm, verb):
        given |= _named(firm, verb, "founder" if asked.whose == "-" else asked.whose)
    given |= asked.given(principal) if asked.given else {}
    try:
        return parse(verb, given)
    except Refused:
        fields = {info.alias or name: name for name, info in verb.args.model_fields.items()}
        return verb.args.model_construct(**{fields[name]: value for name, value in given.items() if name in fields})


def _named(firm: Firm, verb: Verb, owner: str) -> dict[str, Any]:
    """The thing of this owner, under the argument by which the verb takes it: as declared, else by its name."""
    mine = firm.things[owner]
    if verb.touches:
        found = {each.arg: mine[thing] for each in verb.touches if (thing := _thing(verb, each)) in mine}
        found |= {each.within: mine["workspace"] for each in verb.touches if each.noun.endswith("_tree") and found}
        several = {name for name, info in verb.args.model_fields.items() if info.annotation == list[str]}
        return {arg: [thing] if arg in several else thing for arg, thing in found.items()}
    fields = {info.alias or name for name, info in verb.args.model_fields.items()}
    found = [name for name in ARGUMENTS.get(verb.noun, ()) if name in fields] if verb.noun in mine else []
    return dict.fromkeys(found, mine[verb.noun]) if found else {}


def _thing(verb: Verb, touch: Touch) -> str:
    if touch.noun == "aim" and touch.arg == "organisation":
        return THINGS["neighbour"]
    if touch.noun == "abroad":
        return verb.noun if touch.arg == "ref" else touch.arg
    return verb.noun if touch.noun in ("part", "word") else THINGS.get(touch.noun, touch.noun)


def owned(firm: Firm, verb: Verb, owner: str = "report") -> bool:
    return bool(_named(firm, verb, owner))


LINKED = ("agent", "mission", "workspace", "schedule", "escalation", "memory")
TYPES = {"memory": "org_memory"}
"""What a thing's node is called in the catalogue, where that is not the same."""
ARGUMENTS = {
    "session": ("id", "session"),
    "mission": ("ref",),
    "workspace": ("ref",),
    "agent": ("agent", "ref"),
    "schedule": ("ref",),
    "escalation": ("ref",),
    "memory": ("ref", "new", "old"),
    "worker": ("worker",),
    "run": ("run",),
    "message": ("message",),
}
THINGS = {
    "tree": "workspace",
    "kept_files": "workspace",
    "opened_tree": "tree",
    "session_tree": "tree",
    "agent_or_ceo": "agent",
    "founders_conversation": "agent",
    "directed_organisation": "organisation",
    "organisation_document": "chart_document",
    "chart": "persona",
    "project_work": "project",
    "skill_elsewhere": "skill",
    "job_of_node": "job",
    "requested_code_run": "code_run",
    "link": "link",
    "assignment": "mission",
    "party": "mission",
    "stopped_agent": "agent",
    "agent_seat": "agent",
    "conversation": "message",
    "found_memory": "memory",
    "neighbour": "agent",
    "addressee": "agent",
    "outsiders_addressee": "agent",
    "aim": "objective",
    "founders_schedule": "schedule",
    "measured": "organisation",
    "recipient": "agent",
    "asked": "escalation",
    "raised_escalation": "escalation",
}
"""What a touch's noun is called here, where that is not the same."""


@cache
def _schema(args: type[Args]) -> dict[str, Any]:
    return args.model_json_schema()


def _required(args: type[Args]) -> set[str]:
    """The arguments that cannot be left out."""
    return {name for name, info in args.model_fields.items() if info.is_required()}


def _whole(verb: Verb, args: Args) -> bool:
    try:
        verb.args.model_validate(args.model_dump(by_alias=True))
    except (ValidationError, ValueError, TypeError):
        return False
    return True


async def _made(tx: Tx, verb: Verb, args: Args) -> None:
    """The call itself, up to where it would leave the database."""
    if verb.kind == "stream" or (verb.kind == "effect" and verb.prepare is None):
        return
    work = verb.prepare(tx, args) if verb.kind == "effect" and verb.prepare else verb.handler(tx, args)
    await asyncio.wait_for(work, 20)


def _sample(part: dict[str, Any], defs: dict[str, Any]) -> Any:
    if "$ref" in part:
        part = defs[part["$ref"].rpartition("/")[2]]
    for several in ("anyOf", "oneOf", "allOf"):
        if several in part:
            return _sample(part[several][0], defs)
    if "enum" in part:
        return part["enum"][0]
    if "const" in part:
        return part["const"]
    match part.get("type"):
        case "string" if part.get("format") == "date-time":
            return "2031-01-01T00:00:00Z"
        case "string" if part.get("format") == "uuid":
            return NOWHERE
        case "string":
            return NOWHERE if part.get("maxLength") == 60 else "x" * max(1, part.get("minLength", 1))
        case "integer" | "number":
            return max(1, part.get("minimum", 1))
        case "boolean":
            return True
        case "array":
            return [_sample(part.get("items", {}), defs)] * part.get("minItems", 0)
        case "object":
            made = part.get("properties", {})
            return {name: _sample(made[name], defs) for name in part.get("required", ())}
        case _:
            return "x"


def rows(firm: Firm) -> Iterator[Asked]:
    for verb in sorted(firm.registry, key=lambda each: each.name):
        owners = [owner for owner in OWNERS if _tried(firm, verb, owner)]
        yield from (Asked(verb, owner) for owner in owners)
        if not owners or (verb.touches and {touch.arg for touch in verb.touches}.isdisjoint(_required(verb.args))):
            yield Asked(verb)  # also where what would be touched is left out
        yield from _special(firm, verb)


def _tried(firm: Firm, verb: Verb, owner: str) -> bool:
    """Whether to call it on what this one has. What is nobody's in particular is tried on two, and on what rests where it changes that."""
    nouns = {touch.noun for touch in verb.touches}
    match owner:
        case "paused":
            known = verb.changes
        case "outsider":
            known = bool(nouns)
        case "stopped":
            known = "stopped_agent" in nouns
        case "house":
            known = "job" in nouns
        case _:
            known = True
    return known and owned(firm, verb, owner)


def _special(firm: Firm, verb: Verb) -> Iterator[Asked]:
    """Calls of which the verb alone does not tell who may make them."""
    if verb.name == "graph.link":
        yield from (Asked(verb, owner, says, lambda _, link=link: link) for owner, says, link in _links(firm))
    elif verb.name in ("mission.assign", "mission.delegate"):
        mine = {"worker": "of-report"} | {name: f"of-{name}" for name in EMPLOYED}
        yield Asked(verb, "report", "of one's own", lambda name: {"ref": mine.get(name, "ship"), "to": "report"})
    elif verb.name == "ask.answer":
        for kind, slug in sorted(firm.asks.items()):
            yield Asked(verb, "-", kind, lambda _, slug=slug: {"ask": slug, "option": None, "text": "yes"})
    elif verb.name == "agent.send":
        yield from (Asked(verb, owner, "interrupt", lambda _: {"kind": "interrupt"}) for owner in ALIVE)
        yield from (Asked(verb, says=to, given=lambda _, to=to: {"agent": to}) for to in ("founder", "manager"))


def _links(firm: Firm) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every kind of link that leaves a thing of each owner, to something that it may reach."""
    known = firm.hq.door.catalogue
    for owner, noun in product(ALIVE, LINKED):
        if not (source := firm.things[owner].get(noun)):
            continue
        type_ = TYPES.get(noun, noun)
        for name, edge in sorted(known.edges.items()):
            if edge.joins(type_, "agent") or type_ in edge.ends:
                yield owner, f"{type_} {name}", {"source": source, "edge": name, "target": "peer"}


def sights(firm: Firm) -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """Ways of looking at something that is not the whole company's: the verb, its arguments, whose it is, and what is shown
    to who sees it."""
    for owner in ALIVE:
        record, call, words = firm.seen[owner]
        for verb in ("graph.describe", "graph.history", "graph.why"):
            yield verb, {"ref": record}, owner, record
        yield "graph.links", {"ref": record}, owner, "run_by"
        yield "graph.search", {"query": record, "mode": "slug"}, owner, record
        yield "action.show", {"id": call}, owner, words
        yield "action.list", {"limit": 500}, owner, call
        yield "events.list", {"action": call}, owner, call


async def shown(firm: Firm, principal: str, verb: str, args: dict[str, Any], told: str) -> bool:
    outcome = await firm.hq.call(verb, **args, _token=firm.tokens[principal])
    return outcome.ok and told in json.dumps(outcome.data)


async def table(firm: Firm) -> tuple[list[Asked], list[tuple[Answer, ...]]]:
    """Every call that is tried, and what became of it for each principal."""
    asked = list(rows(firm))
    found = [await answered(firm, principal, asked) for principal in PRINCIPALS]
    return asked, list(zip(*found, strict=True))


async def text(firm: Firm, asked: list[Asked], found: list[tuple[Answer, ...]]) -> str:
    """A line for each verb and owner: yes, no or ask for each principal. Below that, of what a call may show, to whom it does."""
    lines = ["\t".join(("verb", "whose", *PRINCIPALS))]
    lines += ["\t".join((row.name, row.whose, *answers)) for row, answers in zip(asked, found, strict=True)]
    await catch_up(firm.hq)  # events are told once they are settled
    for name, args, owner, told in sights(firm):
        able = [await shown(firm, principal, name, args, told) for principal in PRINCIPALS]
        lines.append("\t".join((f"{name} shows", owner, *("yes" if so else "no" for so in able))))
    return "\n".join(lines) + "\n"


ELSEWHERE = {
    "escalation.resolve": "who answers an ask is asked of each: asks/authority.py",
    "ask.answer": "who answers an ask is asked of each: asks/authority.py; by its kind, below",
    "auth.session": "a browser's session is made of a login's token alone",
}
"""Verbs that turn away for another reason than their declaration."""


def wrong(firm: Firm, row: Asked, principal: str, answer: Answer) -> bool:
    """Whether what became of a call is something else than its declaration says."""
    verb, scopes = row.verb, firm.scopes[principal]
    if answer == "-" or (row.given and not (verb.name == "ask.answer" and row.says)):
        return False
    if row.given:
        kind = next(each for each in firm.hq.door.services[Kinds].kinds if each.name == row.says)
        return answer != may_answer(kind, principal)
    meant = expected(verb, principal, row.whose, arguments(firm, row, principal), scopes, firm.given.get(principal))
    if meant == answer or (meant == "yes" and answer == "ask"):
        return False
    if row.whose == "-" and answer == "ask":
        return False  # whose is meant where nothing is named the door finds out; to ask is no more than to refuse
    at_rest = "paused" in (row.whose, principal) and verb.changes
    other = at_rest or verb.name in ELSEWHERE or bordered(verb, principal, firm.borders, scopes)
    return not (answer == "no" and other)


def untried(firm: Firm) -> list[str]:
    """Touches for which nobody has anything: what is pinned of them would say nothing."""
    return [
        f"{verb.name} {touch.arg}"
        for verb in firm.registry
        for touch in verb.touches
        if touch.noun not in NOT_DERIVED
        and not any(_thing(verb, touch) in firm.things[owner] and is_somebodys(touch, owner) for owner in OWNERS)
    ]
