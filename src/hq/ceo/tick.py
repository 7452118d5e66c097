"""`hq ceo tick`: one pass of the CEO's heartbeat. Load, evaluate, decide, act, notify (004)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import time
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import Field

from hq.ceo.actions import Action, AssignAction, SendCard
from hq.ceo.cards import adopt, show_due
from hq.ceo.decision import CeoDecision, CeoSituation, decided, would_ask
from hq.ceo.facts import BacklogFacts
from hq.ceo.occurrence import Occurrence, SeenItem
from hq.ceo.quiet_hours import AttentionRow, Severity
from hq.ceo.rows import OccurrenceRow, SituationRow
from hq.ceo.rules import could_not_give_out, given_out
from hq.ceo.triggers import decide
from hq.ceo.watch import keep, look
from hq.database.queries import beside
from hq.door.access import FOUNDER, HOUSE, OVERSEERS
from hq.door.json_shape import AsJson
from hq.door.outcome import Outcome
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.door.verbs.credentials import ensure_principal
from hq.engine.house import House
from hq.errors import Refused
from hq.json_types import CallArgs, ModelJson
from hq.org.ceo_agent import ceo
from hq.sessions.incidents import raise_once
from hq.sessions.session_start import known_agent

SQL = beside(__file__)


class CeoTickArgs(Args):
    """Whether to act."""

    dry_run: bool = False
    """Only say what is seen and what would be done about it."""


class TickAction(TypedDict):
    """What was done about something, or would be."""

    verb: str
    args: CallArgs
    by: str
    ok: NotRequired[bool]
    error: NotRequired[str]


class Ticked(Result):
    seen: AsJson[list[SeenItem]] = Field(default_factory=list)
    """What was noticed."""
    actions: AsJson[list[TickAction]] = Field(default_factory=list)
    """What was done about it, or would be; each with who decided it and what came of it."""
    asked: bool = False
    """Whether a model was asked, or would be."""
    shown: int = 0
    """Cards that had been held and are shown now."""
    tokens: int = 0
    cost_usd: float = 0.0
    """What asking cost, as far as it has a price."""


@dataclass(frozen=True)
class TickState:
    """What a beat begins with."""

    agent: str
    """The CEO, in whose name all of it is done."""
    seen: list[Occurrence[Any]]
    now: CeoSituation
    shown: int


async def _load(tx: Tx, args: CeoTickArgs) -> TickState:
    agent = await known_agent(tx, await ceo(tx))
    await ensure_principal(tx, "agent", agent.slug)
    for card in await tx.scalars(SQL["unasked_cards"], {"now": tx.now}, of=UUID):
        await adopt(tx, card)
    seen = await keep(tx)
    return TickState(agent.slug, seen, await _situation(tx), await show_due(tx))


async def _situation(tx: Tx) -> CeoSituation:
    return CeoSituation.of(await tx.the_one(SQL["situation"], {"now": tx.now}, into=SituationRow), tx.now)


@verb(
    "ceo.tick",
    "effect",
    for_=HOUSE,
    scope="write",
    emits="ceo.ticked",
    prepare=_load,
    preview="dry_run",
    past=False,
    examples=[{"dry_run": True}],
    text="hq.ceo.ceo_text:tick",
)
async def tick(tx: Tx, args: CeoTickArgs) -> Ticked:
    """Let the CEO look at the company now: what it notices, and what it does about it. By itself it does so all the time."""
    if args.dry_run:
        return await _would(tx)
    loaded: TickState = tx.prepared
    tenant = tx.caller.tenant_id
    decisions, done = list[CeoDecision](), list[TickAction]()
    async for decision in decided(tx.door, tenant, loaded.agent, loaded.now, loaded.seen):
        decisions.append(decision)
        done += await _carried_out(tx, loaded, decision)
    tx.on_recorded.append(lambda after: _settle(after, decisions, done))
    return Ticked(
        seen=[each.as_json() for each in loaded.seen],
        actions=done,
        asked=any(decision.by != "rules" or decision.problem for decision in decisions),
        shown=loaded.shown,
        tokens=sum(decision.tokens for decision in decisions),
        cost_usd=float(sum(decision.cost_usd for decision in decisions)),
    )


async def _would(tx: Tx) -> Ticked:
    seen = await look(tx)
    asks = await would_ask(tx.door, tx.caller.tenant_id, seen)
    return Ticked(
        seen=[each.as_json() for each in seen],
        actions=[_as_dict(action, "rules") for action in decide(seen)],
        asked=asks,
    )


async def _carried_out(tx: Tx, loaded: TickState, decision: CeoDecision) -> list[TickAction]:
    """Work first, words after: what was given out is told in one card, as it really went."""
    house, tenant, beat = tx.use(House), tx.caller.tenant_id, decision.about[0].key
    marks = frozenset[str]().union(*(each.taint for each in decision.about))
    marks |= frozenset() if decision.ruled else loaded.now.taint
    done, given, left = list[TickAction](), list[Outcome](), list[tuple[str, str]]()
    for n, action in enumerate(sorted(decision.actions, key=lambda each: isinstance(each, SendCard))):
        action, told = _marked(action, decision, marks)
        key = f"tick:{beat}:{n}"
        if decision.ruled and isinstance(action, SendCard) and action.acts:
            outcome = await _asked_by_house(house, tenant, action, key, told)
        else:
            outcome = await house.call(tenant, *action.call, key=key[:200], agent=loaded.agent, taint=told)
        done.append(_as_dict(action, decision.by, outcome))
        if not outcome.ok and not decision.ruled and isinstance(action, SendCard) and action.acts:
            # What a mind has to say is told all the same.
            action, key = action.only_saying(), f"{key}:says"
            outcome = await house.call(tenant, *action.call, key=key[:200], agent=loaded.agent, taint=told)
            done.append(_as_dict(action, decision.by, outcome))
        if isinstance(action, AssignAction) and outcome.ok:
            given.append(outcome)
        elif isinstance(action, AssignAction):
            left.append((action.mission, _overdue(action.mission, decision.about) + outcome.message))
    cards = [*([given_out(given)] if given else []), *([could_not_give_out(left)] if left else [])]
    for n, card in enumerate(cards):
        key = f"tick:{beat}:given:{n}"
        if card.acts:
            outcome = await _asked_by_house(house, tenant, card, key)
        else:
            outcome = await house.call(tenant, *card.call, key=key[:200], agent=loaded.agent)
        done.append(_as_dict(card, decision.by, outcome))
    return done


def _overdue(mission: str, about: Sequence[Occurrence[Any]]) -> str:
    """That its deadline passed while nobody had it, first of what is said of it."""
    facts = (each.facts for each in about if isinstance(each.facts, BacklogFacts) and each.facts.mission == mission)
    return next((f"It was due {each.deadline:%Y-%m-%d %H:%M} UTC. " for each in facts if each.overdue), "")


async def _asked_by_house(
    house: House, tenant: UUID, card: SendCard, key: str, taint: frozenset[str] = frozenset()
) -> Outcome:
    """A card of a rule, whose buttons the founder presses with the founder's own rights: no agent makes one."""
    _, args = card.call
    return await house.call(tenant, "card.ask", args, key=key[:200], taint=taint)


def _marked(action: Action, decision: CeoDecision, marks: frozenset[str]) -> tuple[Action, frozenset[str]]:
    """The action with the marks it carries. What a rule does is the same whatever was read, so of it only a card that
    merely says something is marked; a mind may have been talked into what it does, so then its cards only say something."""
    if not marks or not isinstance(action, SendCard):
        return action, frozenset() if decision.ruled else marks
    if decision.ruled:
        return action, marks if action.only_says else frozenset()
    return action.only_saying(), marks


def _as_dict(action: Action, by: str, outcome: Outcome | None = None) -> TickAction:
    name, args = action.call
    told: TickAction = {"verb": outcome.action if outcome else name, "args": args, "by": by}
    if outcome is not None:
        told["ok"] = outcome.ok
        if not outcome.ok:
            told["error"] = outcome.message
    return told


async def _settle(tx: Tx, decisions: Sequence[CeoDecision], done: Sequence[TickAction]) -> None:
    """What was refused is kept with why: whoever decides next is told."""
    why = {_call_key(each["verb"], each["args"]): each["error"] for each in done if "error" in each}
    for decision in decisions:
        actions = Jsonb([_kept(action, why) for action in decision.actions])
        for each in decision.about:
            key = {"trigger": each.trigger, "subject": each.subject, "n": each.n}
            await tx.conn.execute(SQL["handled"], key | {"by": decision.by, "actions": actions, "now": tx.now})
        if decision.problem:
            agent = await known_agent(tx, await ceo(tx))
            summary = f"what it would do about what it noticed could not be carried out, twice: {decision.problem}"
            await raise_once(tx, agent, "error_rate", f"tick:{decision.about[0].key}", summary)


def _kept(action: Action, why: Mapping[str, str]) -> ModelJson:
    refused = why.get(_call_key(*action.call))
    return action.model_dump(mode="json", exclude_none=True) | ({"refused": refused} if refused else {})


def _call_key(verb: str, args: CallArgs) -> str:
    return f"{verb} {json.dumps(args, sort_keys=True, default=str)}"


class CeoNoticedArgs(Args):
    """What to look back at."""

    trigger: str | None = Field(None, max_length=40)
    """Only this trigger."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""


class NoticedItem(TypedDict):
    """What the CEO noticed, and what it did about it."""

    at: str
    trigger: str
    about: str
    severity: Severity
    handled: str | None
    by: str | None
    actions: list[str]


@verb("ceo.noticed", "read", for_=OVERSEERS, past=False, examples=[{}])
async def noticed(tx: Tx, args: CeoNoticedArgs) -> Listing[NoticedItem]:
    """What the CEO noticed lately and what it did about it, newest first."""
    rows = await tx.rows(SQL["occurrences"], {"trigger": args.trigger, "limit": args.limit}, into=OccurrenceRow)
    return Listing[NoticedItem](
        items=[
            {
                "at": row.seen_at.isoformat(),
                "trigger": row.trigger,
                "about": row.facts.get("title") or row.facts.get("approval") or row.subject,
                "severity": row.severity,
                "handled": row.handled_at.isoformat() if row.handled_at else None,
                "by": row.decided_by,
                "actions": [each["action"] for each in row.actions or []],
            }
            for row in rows
        ]
    )


class CeoQuietArgs(Args):
    """When not to disturb."""

    hours: str = first(max_length=20, pattern=r"^(off|\d{1,2}:\d\d-\d{1,2}:\d\d)$")
    """From when to when by the company's clock, such as 22:00-07:00; or off."""


class QuietHours(Result):
    hours: str
    time_zone: str


@verb(
    "ceo.quiet",
    "write",
    for_=FOUNDER,
    scope="founder",
    emits="ceo.quieted",
    examples=[{"hours": "22:00-07:00"}, {"hours": "off"}],
)
async def quiet(tx: Tx, args: CeoQuietArgs) -> QuietHours:
    """Set the hours in which only what is critical is said; the rest is held and said after them."""
    begins, ends = (None, None) if args.hours == "off" else [_time(part) for part in args.hours.split("-")]
    await tx.conn.execute(SQL["set_quiet"], {"from": begins, "to": ends})
    zone = (await tx.the_one(SQL["when_to_speak"], {"now": tx.now}, into=AttentionRow)).time_zone
    return QuietHours(hours=args.hours, time_zone=zone)


def _time(text: str) -> time:
    hour, _, minute = text.partition(":")
    try:
        return time(int(hour), int(minute))
    except ValueError:
        raise Refused.invalid(f"{text} is no time of day; write such as 22:00-07:00") from None


VERBS = (tick, noticed, quiet)
