"""A company with one of everything, and every verb called by everybody: who is turned away because of who they are.

Each call is made on the real door and its transaction is rolled back, so that no call finds what another left.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from hq.door.arguments import parse
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Registry, Verb
from hq.engine.house import House
from hq.errors import HqError, Refused
from hq.ids import event_name, new_id
from tests.support.company import Hq
from tests.support.searching import catch_up

PRINCIPALS = (
    "founder", "ceo", "operator", "lead", "report", "peer", "outsider", "worker", "service", "house", "paused",
)  # fmt: skip
"""`paused` is a worker of the agent `resting`, which the founder paused."""
OWNERS = ("report", "founder", "paused")
"""Whose thing is touched: that of the agent `report`, whom `lead` leads; the founder's own; or one that the founder paused:
`resting`, whom `lead` leads too, and what `report` has."""
ALIVE = OWNERS[:2]
ALL = ["read", "write", "effect", "sql"]
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


@dataclass
class Firm:
    hq: Hq
    organisation: str = ""
    """That of `lead`, `report` and `peer`."""
    tokens: dict[str, str] = field(default_factory=dict)
    things: dict[str, dict[str, str]] = field(default_factory=dict)
    """By owner, then by noun: what the noun's verbs are called on."""
    seen: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """By owner: a session on the record, the call that wrote it, and words in that."""

    @property
    def registry(self) -> Registry:
        return self.hq.door.registry

    async def turned_away(self, principal: str, asked: Iterable[Asked]) -> list[bool]:
        """Of each call, whether the door, or the verb itself, refuses this caller as such."""
        opening = Call("auth.token", {}, self.tokens[principal])
        found: list[bool] = []
        try:
            async with self.hq.door.opened(self.registry.get("task.create"), opening, noting=True) as opened:
                for each in asked:
                    args = self._arguments(each, principal)
                    found.append(await self._refuses(opened, each.verb, args))
                raise RolledBack
        except RolledBack:
            return found

    async def _refuses(self, opened: Tx, verb: Verb, args: Args) -> bool:
        call = replace(opened.call, verb=verb.name)
        tx = Tx(self.hq.door, opened.conn, call, opened.caller, opened.seq, new_id(), None)
        tx.freezes = opened.freezes
        await opened.conn.execute("savepoint before")
        judged = False
        try:
            tx.caller.check(verb)
            verdict = await self.hq.door.gated(tx, verb, args)
            judged = True
            if verdict.decision != "ask" and _whole(verb, args):
                await _made(tx, verb, args)
        except HqError as error:
            # What the rule itself says is not there, is not there for who calls.
            return error.code.name in TURNED_AWAY or (not judged and error.code.name == "not_found")
        except Exception:  # what a sample argument breaks says nothing about who calls
            return False
        finally:
            await opened.conn.execute("rollback to savepoint before")
        return False

    def _arguments(self, asked: Asked, principal: str) -> Args:
        verb, given = asked.verb, dict[str, Any]()
        schema = _schema(verb.args)
        for name in schema.get("required", ()):
            given[name] = _sample(schema["properties"][name], schema.get("$defs", {}))
        for example in list(verb.examples)[:1]:
            given |= example.args
        if asked.whose != "-" or not self.owned(verb):
            given |= self._named(verb, "founder" if asked.whose == "-" else asked.whose)
        given |= asked.given(principal) if asked.given else {}
        try:
            return parse(verb, given)
        except Refused:
            fields = {info.alias or name: name for name, info in verb.args.model_fields.items()}
            return verb.args.model_construct(**{fields[name]: value for name, value in given.items() if name in fields})

    def _named(self, verb: Verb, owner: str) -> dict[str, Any]:
        """The thing of this owner, under the argument by which the verb takes it: as declared, else by its name."""
        mine = self.things[owner]
        if verb.touches:
            things = {each.arg: THINGS.get(each.noun, each.noun) for each in verb.touches}
            return {arg: mine[thing] for arg, thing in things.items() if thing in mine}
        fields = {info.alias or name for name, info in verb.args.model_fields.items()}
        found = [name for name in ARGUMENTS.get(verb.noun, ()) if name in fields] if verb.noun in mine else []
        return dict.fromkeys(found, mine[verb.noun]) if found else {}

    def owned(self, verb: Verb, owner: str = "report") -> bool:
        return bool(self._named(verb, owner))


LINKED = ("agent", "mission", "workspace", "schedule", "escalation", "memory")
TYPES = {"memory": "org_memory"}
"""What a thing's node is called in the catalogue, where that is not the same."""
EMPLOYED = ("ceo", "lead", "report", "peer", "outsider")
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
    "assignment": "mission",
    "party": "mission",
    "stopped_agent": "agent",
    "agent_seat": "agent",
    "conversation": "message",
    "found_memory": "memory",
    "neighbour": "agent",
    "addressee": "agent",
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


async def founded(hq: Hq) -> Firm:
    """CEO and operator as shipped; `lead` above `report` and beside `peer`; `outsider` in another organisation."""
    firm = Firm(hq)
    await hq.do("agent.load")
    first, second = (
        await hq.do("org.create", template="software-team"),
        await hq.do("org.create", name="Elsewhere", purpose="Else"),
    )
    firm.organisation = first["slug"]
    seats = {"lead": "Project Manager", "report": "Developer", "peer": "QA Lead", "resting": "Senior Developer"}
    for name, title in seats.items():
        seat = await hq.do("position.show", org=first["slug"], title=title)
        await hq.do("agent.hire", name=name, position_id=seat["position_id"])
    await hq.do("agent.create", name="outsider", role="Elsewhere")
    await hq.do("graph.link", source="outsider", edge="in_organisation", target=second["slug"])
    return await _furnished(firm)


async def _furnished(firm: Firm) -> Firm:
    hq = firm.hq
    firm.tokens["founder"] = hq.token
    for principal, agent in (("ceo", "chief"), ("operator", "operator")):
        firm.tokens[principal] = await hq.agent(agent)
    for name in ("lead", "report", "peer", "outsider"):
        firm.tokens[name] = await hq.agent(name)
    for name in EMPLOYED:
        await hq.do("mission.create", title=f"Of {name}", _token=firm.tokens[name])
    firm.tokens["worker"] = (await hq.do("auth.token", worker="report", scopes=ALL[:3]))["token"]
    firm.tokens["service"] = (await hq.do("auth.token", service="intake", scopes=ALL[:3]))["token"]
    tenant = (await hq.do("auth.whoami"))["tenant_id"]
    firm.tokens["house"] = await hq.door.services[House]._key(UUID(tenant), None)
    firm.tokens["paused"] = (await hq.do("auth.token", worker="resting", scopes=ALL[:3]))["token"]
    firm.things = {"report": await _of_report(firm), "founder": await _of_founder(firm), "paused": await _paused(firm)}
    for owner, agent, words in (("report", "report", "zebrafish"), ("founder", "ceo", "quokka")):
        firm.seen[owner] = await _on_record(firm, agent, firm.things[owner]["session"], words)
        firm.things[owner]["action"] = firm.seen[owner][1]
    return firm


async def _on_record(firm: Firm, agent: str, session: str, words: str) -> tuple[str, str, str]:
    """A session that was closed: what was said in it is its agent's and theirs who lead it."""
    left = {"summary": words, "handover": words, "memories": [{"body": words}]}
    outcome = await firm.hq.call(
        "session.finalise", session=session, **left, _token=firm.tokens[agent], _session_id=UUID(session)
    )
    return outcome.data["slug"], event_name(outcome.action_id), words


async def _paused(firm: Firm) -> dict[str, str]:
    """What the founder put to rest."""
    hq = firm.hq
    await hq.do("agent.pause", agent="resting")
    await hq.do("mission.create", title="Halted", _token=firm.tokens["ceo"])
    await hq.do("mission.assign", ref="halted", to="report", _token=firm.tokens["ceo"])
    await hq.do("mission.pause", ref="halted", why="wait")
    schedule = await hq.do("schedule.add", task="wait", when="every day at 9", agent="report")
    await hq.do("schedule.pause", ref=schedule["slug"])
    return {"agent": "resting", "mission": "halted", "schedule": schedule["slug"]}


async def _of_report(firm: Firm) -> dict[str, str]:
    hq, token = firm.hq, firm.tokens["report"]
    await hq.do("mission.create", title="Ship")
    await hq.do("mission.assign", ref="ship", to="report")
    (space,) = (await hq.do("workspace.list"))["items"]
    session = (await hq.do("session.list", agent="report"))["items"][0]["session"]
    raised = await hq.call("escalation.raise", summary="Stuck", mission="ship", _token=token)
    schedule = await hq.call("schedule.add", task="look", when="every day at 7", agent="report")
    memory = await hq.do("memory.add", content="Ship on Friday", _token=token)
    worker = await hq.call("worker.spawn", task="count", _token=token)
    message = await hq.do("agent.send", agent="report", text="hello")
    escalation = (await hq.do("escalation.list"))["items"][0]["slug"] if raised else ""
    person = await hq.do("contact.create", name="Bruno", _token=token)
    return {
        "organisation": firm.organisation,
        "agent": "report",
        "session": session,
        "mission": "ship",
        "workspace": space["slug"],
        "escalation": escalation,
        "schedule": (schedule.data or {}).get("slug", ""),
        "memory": memory["slug"],
        "worker": str((worker.data or {}).get("worker") or (worker.data or {}).get("session") or ""),
        "message": message.get("message") or message.get("session") or NOWHERE,
        "person": person["slug"],
    }


async def _of_founder(firm: Firm) -> dict[str, str]:
    hq = firm.hq
    people = (await hq.do("contact.list"))["items"]
    await hq.do("mission.create", title="Later")
    await hq.do("workspace.create", name="attic")
    said = await hq.do("chat.say", text="hello")
    run = await hq.do("run.start", task="look around")
    memory = await hq.do("memory.add", content="The founder likes tea")
    schedule = await hq.call("schedule.add", task="brief me", when="every day at 8")
    return {
        "person": people[-1]["slug"],  # the first there was is the founder's own
        "agent": "chief",
        "session": said["session"],
        "mission": "later",
        "workspace": "attic",
        "run": str(run["run_id"]),
        "memory": memory["slug"],
        "schedule": (schedule.data or {}).get("slug", ""),
    }


def rows(firm: Firm) -> Iterator[Asked]:
    for verb in sorted(firm.registry, key=lambda each: each.name):
        owned = firm.owned(verb)
        owners = [each for each in OWNERS if each != "paused" or (verb.changes and firm.owned(verb, each))]
        yield from (Asked(verb, owner) for owner in owners) if owned else ()
        if not owned or (verb.touches and {touch.arg for touch in verb.touches}.isdisjoint(_required(verb.args))):
            yield Asked(verb)  # also where what would be touched is left out
        yield from _special(firm, verb)


def _special(firm: Firm, verb: Verb) -> Iterator[Asked]:
    """Calls of which the verb alone does not tell who may make them."""
    if verb.name in ("graph.link", "graph.unlink"):
        yield from (Asked(verb, owner, says, lambda _, link=link: link) for owner, says, link in _links(firm))
    elif verb.name in ("mission.assign", "mission.delegate"):
        mine = {"worker": "of-report"} | {name: f"of-{name}" for name in EMPLOYED}
        yield Asked(verb, "report", "of one's own", lambda name: {"ref": mine.get(name, "ship"), "to": "report"})
    elif verb.name == "agent.send":
        yield from (Asked(verb, owner, "interrupt", lambda _: {"kind": "interrupt"}) for owner in ALIVE)


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


async def table(firm: Firm) -> str:
    """A line for each verb and owner: yes or no for each principal. Below that, of what a call may show, to whom it does."""
    asked = list(rows(firm))
    away = [await firm.turned_away(principal, asked) for principal in PRINCIPALS]
    lines = ["\t".join(("verb", "whose", *PRINCIPALS))]
    for row, each in zip(asked, zip(*away, strict=True), strict=True):
        lines.append("\t".join((row.name, row.whose, *("no" if refused else "yes" for refused in each))))
    await catch_up(firm.hq)  # events are told once they are settled
    for name, args, owner, told in sights(firm):
        able = [await shown(firm, principal, name, args, told) for principal in PRINCIPALS]
        lines.append("\t".join((f"{name} shows", owner, *("yes" if so else "no" for so in able))))
    return "\n".join(lines) + "\n"
