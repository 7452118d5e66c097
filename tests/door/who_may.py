"""A company with one of everything, and every verb called by everybody: who is turned away because of who they are.

Each call is made on the real door and its transaction is rolled back, so that no call finds what another left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from hq.door.arguments import parse
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Registry, Verb
from hq.engine.house import House
from hq.errors import HqError, Refused
from hq.ids import new_id
from support import Hq

PRINCIPALS = (
    "founder", "ceo", "operator", "lead", "report", "peer", "outsider", "worker", "service", "house", "paused",
)  # fmt: skip
"""`paused` is a worker of the agent `resting`, which the founder paused."""
OWNERS = ("report", "founder", "paused")
"""Whose thing is touched: that of the agent `report`, whom `lead` leads; the founder's own; or one that the founder paused:
`resting`, whom `lead` leads too, and what `report` has."""
ALL = ["read", "write", "effect", "sql"]
TURNED_AWAY = ("forbidden", "cross_scope_violation", "paused")
NOWHERE = "019dfc66-b817-716a-8756-021456eeb0e3"


class RolledBack(Exception):
    pass


@dataclass
class Firm:
    hq: Hq
    organisation: str = ""
    """That of `lead`, `report` and `peer`."""
    tokens: dict[str, str] = field(default_factory=dict)
    things: dict[str, dict[str, str]] = field(default_factory=dict)
    """By owner, then by noun: what the noun's verbs are called on."""

    @property
    def registry(self) -> Registry:
        return self.hq.door.registry

    async def turned_away(self, principal: str, calls: Iterable[tuple[Verb, str | None]]) -> list[bool]:
        """Of each call, whether the door, or the verb itself, refuses this caller as such."""
        opening = Call("auth.token", {}, self.tokens[principal])
        found: list[bool] = []
        try:
            async with self.hq.door.opened(self.registry.get("task.create"), opening, noting=True) as (
                opened,
                _,
                frozen,
            ):
                for verb, owner in calls:
                    found.append(await self._refuses(opened, verb, owner, frozen))
                raise RolledBack
        except RolledBack:
            return found

    async def _refuses(self, opened: Tx, verb: Verb, owner: str | None, frozen: list[dict[str, str]]) -> bool:
        args = self._arguments(verb, owner)
        call = replace(opened.call, verb=verb.name)
        tx = Tx(self.hq.door, opened.conn, call, opened.caller, opened.seq, new_id(), None)
        await opened.conn.execute("savepoint before")
        try:
            tx.caller.check(verb)
            verdict = await self.hq.door.gated(tx, verb, args, frozen)
            if verdict.decision != "ask" and _whole(verb, args):
                await _made(tx, verb, args)
        except HqError as error:
            return error.code.name in TURNED_AWAY
        except Exception:  # what a sample argument breaks says nothing about who calls
            return False
        finally:
            await opened.conn.execute("rollback to savepoint before")
        return False

    def _arguments(self, verb: Verb, owner: str | None) -> Args:
        given: dict[str, Any] = {}
        schema = _schema(verb.args)
        for name in schema.get("required", ()):
            given[name] = _sample(schema["properties"][name], schema.get("$defs", {}))
        for example in list(verb.examples)[:1]:
            given |= example.args
        given |= self._named(verb, owner or "founder")
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
    "asked": "escalation",
    "raised_escalation": "escalation",
}
"""What a touch's noun is called here, where that is not the same."""


@cache
def _schema(args: type[Args]) -> dict[str, Any]:
    return args.model_json_schema()


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
    firm.tokens["worker"] = (await hq.do("auth.token", worker="report", scopes=ALL[:3]))["token"]
    firm.tokens["service"] = (await hq.do("auth.token", service="intake", scopes=ALL[:3]))["token"]
    tenant = (await hq.do("auth.whoami"))["tenant_id"]
    firm.tokens["house"] = await hq.door.services[House]._key(UUID(tenant), None)
    firm.tokens["paused"] = (await hq.do("auth.token", worker="resting", scopes=ALL[:3]))["token"]
    firm.things = {"report": await _of_report(firm), "founder": await _of_founder(firm), "paused": await _paused(firm)}
    return firm


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
    }


async def _of_founder(firm: Firm) -> dict[str, str]:
    hq = firm.hq
    await hq.do("mission.create", title="Later")
    await hq.do("workspace.create", name="attic")
    said = await hq.do("chat.say", text="hello")
    run = await hq.do("run.start", task="look around")
    memory = await hq.do("memory.add", content="The founder likes tea")
    schedule = await hq.call("schedule.add", task="brief me", when="every day at 8")
    return {
        "agent": "chief",
        "session": said["session"],
        "mission": "later",
        "workspace": "attic",
        "run": str(run["run_id"]),
        "memory": memory["slug"],
        "schedule": (schedule.data or {}).get("slug", ""),
    }


def rows(firm: Firm) -> Iterator[tuple[Verb, str]]:
    for verb in sorted(firm.registry, key=lambda each: each.name):
        if firm.owned(verb):
            yield from (
                (verb, owner) for owner in OWNERS if owner != "paused" or (verb.changes and firm.owned(verb, owner))
            )
        else:
            yield verb, "-"


async def table(firm: Firm) -> str:
    """A line for each verb and owner: yes or no for each principal."""
    asked = list(rows(firm))
    calls = [(verb, None if owner == "-" else owner) for verb, owner in asked]
    away = [await firm.turned_away(principal, calls) for principal in PRINCIPALS]
    lines = ["\t".join(("verb", "whose", *PRINCIPALS))]
    for (verb, owner), each in zip(asked, zip(*away, strict=True), strict=True):
        lines.append("\t".join((verb.name, owner, *("no" if refused else "yes" for refused in each))))
    return "\n".join(lines) + "\n"
