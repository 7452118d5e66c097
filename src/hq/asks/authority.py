"""Authority to answer an ask: the one place that decides it, for people, agents, workers and services alike."""

from __future__ import annotations

from typing import Any

from hq.asks.kinds import AskAnswer, Kind
from hq.asks.plain_words import asks_something
from hq.asks.quotation import quoted as quotation
from hq.asks.rows import FounderSaidRow
from hq.asks.types import Approval
from hq.database.queries import beside
from hq.door.access import who_is
from hq.door.access_rule import Access
from hq.door.arguments import parse
from hq.door.gate import by_table
from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import Stored
from hq.ids import is_id, parse_id

SQL = beside(__file__)
LAST = "last"
THROUGH = "founder, through "
"""Whose word one is that the CEO carried: the founder's, as the CEO quotes and reads it. Never the founder's own hand."""
IN_PERSON = (
    "it waits for the founder's own word: the house has put it before them, reads what they say in the chat and asks where that is "
    "not certain; go on with something else, and say nothing of it as given"
)


async def check_may_answer(tx: Tx, kind: Kind, ask: Stored[Any], message: str | None = None) -> tuple[str, str]:
    """Refuses who may not. Whose word it is, and, where a message of the founder is quoted, what that says."""
    caller = tx.caller
    if isinstance(ask.props, Approval) and str(caller.principal_id) == ask.props.requester_principal:
        raise Refused.forbidden(
            f"{ask.slug} is a permission that you asked for; whoever asked cannot decide", hint=IN_PERSON
        )
    who = who_is(caller, in_session=tx.call.session_id is not None)
    if "founder" in who:
        if kind.is_permission(ask.props) and not caller.holds("founder", "ask", ask.type):
            raise Refused.forbidden(
                f"this credential does not hold the scope 'founder' that answering {ask.slug} needs"
            )
        return caller.actor, ""
    if who.isdisjoint(("agent", "worker")):
        raise Refused.forbidden(f"{ask.slug} waits for a person or an agent; a service answers nothing")
    if message is not None:
        return await _quoted(tx, kind, ask, message)
    if not await kind.may_answer(tx, ask):
        await check_seen(tx, ask)
        if kind.is_permission(ask.props):
            raise Refused.forbidden(
                f"{ask.slug} asks for a permission, which is the founder's alone to give; {caller.actor} cannot answer it",
                hint=IN_PERSON,
            )
        raise Refused.forbidden(await kind.why_not(tx, ask))
    if await _asked_by(tx, ask) == caller.speaks_as:
        raise Refused.forbidden("whoever asked cannot decide", hint="`ask_withdraw` takes back what you no longer need")
    return caller.actor, ""


async def check_seen(tx: Tx, ask: Stored[Any]) -> None:
    """To who may neither answer nor see it there is no such ask."""
    named = tx.call.args.get("ask") or tx.call.args.get("ref") or ask.slug  # as for what is really not there
    await tx.use(Access).check_seen(tx, ask, named)


async def _quoted(tx: Tx, kind: Kind, ask: Stored[Any], message: str) -> tuple[str, str]:
    """The CEO carries the founder's word to a question of somebody else's: the message must be the founder's, to the CEO
    itself, later than the ask, and no question. Never where the risk table keeps the answer for the founder: what words mean
    is there read by the house or said by a button, not by a model."""
    if kind.is_permission(ask.props) or not kind.carried:
        raise Refused.forbidden(
            f"{ask.slug} asks for more than a word; no model gives that, whatever it was told",
            hint=await _own_ways(tx, kind, ask) or IN_PERSON,
        )
    if founder_keeps(tx, ask):
        risk = ask.props.risk.replace("_", "-")
        raise Refused.forbidden(
            f"{ask.slug} is about something {risk}, which a {tx.caller.risk_tolerance} founder answers in person; no model "
            "carries that",
            hint=IN_PERSON,
        )
    if tx.caller.role != "ceo" or tx.caller.agent_itself is None:
        raise Refused.forbidden("only the CEO carries a word of the founder's to who asked", hint=IN_PERSON)
    if await _asked_by(tx, ask) == tx.caller.speaks_as:
        raise Refused.forbidden("whoever asked cannot decide", hint=IN_PERSON)
    if message == LAST:
        said = await tx.one(SQL["last_said_by_founder"], {"session": tx.call.session_id}, into=FounderSaidRow)
    else:
        said = (
            await tx.one(SQL["said_by_founder"], {"id": parse_id(message)}, into=FounderSaidRow)
            if is_id(message)
            else None
        )
    if said is None or tx.caller.actor != f"agent:{said.agent}":
        raise Refused.forbidden(f"{message!r} is no message of the founder to {tx.caller.actor}")
    if said.at <= ask.created_at:
        raise Refused.conflict(f"the founder said that before {ask.slug} was asked, so it is no answer to it")
    if asks_something(said.body):
        raise Refused.conflict(f"the founder asks something there, which is no answer to {ask.slug}", hint=IN_PERSON)
    tx.taint |= set(said.taint)
    return f"{THROUGH}{tx.caller.agent}, quoting {quotation(said.body)}", said.body


async def _own_ways(tx: Tx, kind: Kind, ask: Stored[Any]) -> str:
    """What an answer would do and whoever calls may do by itself: that needs nobody's answer."""
    found, target = [], tx.target
    for option in kind.options(ask.props):
        verb, args = kind.effect(ask.props, option) or ("", {})
        if (known := tx.door.registry.verbs.get(verb)) is None or not known.changes:
            continue
        try:
            if await tx.use(Access).judge(tx, known, parse(known, dict(args))) is None:
                on = args.get(known.target or "", "")
                found.append(f"{quotation(option.label)} is `{verb.replace('.', ' ')} {on}".rstrip() + "`")
        except Refused:
            continue
    tx.target = target
    return f"{', '.join(found)}: yours to do, where the founder wants that" if found else ""


def founder_keeps(tx: Tx, ask: Stored[Any]) -> bool:
    """Whether the risk table keeps the answer to a question for the founder."""
    return by_table(getattr(ask.props, "risk", "internal"), tx.caller.risk_tolerance, ask.taint) == "ask"


def is_founders(tx: Tx, answer: AskAnswer) -> bool:
    """Whether it is the founder's word: in person, or carried by the CEO in the founder's own words."""
    return tx.caller.in_person or answer.by.startswith(THROUGH)


async def _asked_by(tx: Tx, ask: Stored[Any]) -> str | None:
    return await tx.scalar(SQL["asked_by"], {"id": ask.id}, of=str)
