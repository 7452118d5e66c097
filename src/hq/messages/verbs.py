"""`hq agent send`, `ask`, `reply`, `broadcast`: the ways to say something to an agent, a seat or the founder."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal

from pydantic import Field

from hq.asks.answer import answer
from hq.asks.kinds import check_apart
from hq.asks.quotation import check_line
from hq.database.queries import beside
from hq.door.access import ANYONE, CREW, PEOPLE_AND_STAFF, STAFF, Touch
from hq.door.results import Awaited, Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Gate, Ref, first, verb
from hq.errors import Refused
from hq.graph.moment import parse_moment
from hq.ids import new_id, parse_id
from hq.messages import addresses
from hq.messages.answers import MessageSent, SentItem, send_answer, sent
from hq.messages.owners import absent
from hq.messages.post import Draft, post, send_to
from hq.messages.questions import Choice, question_of
from hq.messages.rows import MessageAnswerRow, MessageRow
from hq.org.agent import Agent
from hq.sessions.handoff.phrases import asks_for_handoff
from hq.sessions.handoff.verbs import by_phrase

SQL = beside(__file__)
WEEK = 604_800
WRITES = Touch("agent", "recipient", agent="org")
"""Whom one writes to: within one's organisation, and upward."""
FROM_OUTSIDE = Touch("agent", "outsiders_addressee", agent="org")


class MessageArgs(Args):
    """To whom, and what."""

    agent: Ref = first()
    """An agent, a persona, a seat or a role by its name; `manager`, `escalation` or `founder`."""
    text: str = first(min_length=1, max_length=20_000)
    """What to tell it."""


class AgentSendArgs(MessageArgs):
    kind: Literal["command", "report", "interrupt", "escalation", "fyi"] = "command"
    """A command is work of its own, fyi wakes nobody, an interrupt changes its course."""
    hard: bool = False
    """Of an interrupt: stop what it is doing at once, with a memo. Without it, it reads this at its next step."""
    within: str | None = Field(None, pattern=r"^[1-9]\d{0,5}(s|m|h|d|w)$")
    """How long it may wait, such as 30m or 2h: from an empty seat it then goes further up."""


@verb(
    "agent.send",
    "write",
    shows=("kind",),
    progress=False,
    on_card=True,
    for_=ANYONE,
    touches=(
        WRITES,
        Touch("agent", "addressee", agent="led", operator="led", when=lambda args: args.kind == "interrupt"),
        FROM_OUTSIDE,
    ),
    speaks=True,
    target="agent",
    examples=[{"agent": "chief", "text": "What is open today?"}],
    text="hq.messages.message_text:posted",
)
async def send(tx: Tx, args: AgentSendArgs) -> MessageSent:
    """Send a message to an agent, or to whoever sits in a seat. A command wakes it; it works on it."""
    if args.hard and args.kind != "interrupt":
        raise Refused.invalid("only an interrupt can be hard")
    if tx.caller.in_person and asks_for_handoff(args.text) and (agent := await tx.look_up(args.agent, Agent)):
        handed = await by_phrase(tx, agent)
        if handed:
            return MessageSent(agent=agent.slug, session=handed.session, handoff=handed.handoff)
    patience = tx.now - parse_moment(args.within, tx.now) if args.within else None
    return sent(args.agent, await post(tx, Draft(args.kind, args.text, args.agent, args.hard, patience)))


class AgentAskArgs(MessageArgs):
    timeout: int = Field(300, ge=1, le=WEEK)
    """Seconds to wait for the answer, of anybody but the founder. From an empty seat the question then goes further up."""
    options: list[str] = Field(default_factory=list, max_length=8)
    """Answers to choose from, each in a few words, where somebody has to decide: then the answer is remembered."""
    risk: Gate = "internal"
    """What the answer lets happen, where there are options; what an agent may not decide goes to the founder."""


class AgentAsked(Awaited):
    agent: str
    message: str | None = None
    answered: bool = False
    text: str | None = None
    """The answer."""
    by: str | None = None
    """Who answered."""
    why: str | None = None
    """Why there is no answer."""


async def _outcome(tx: Tx, earlier: Mapping[str, Any]) -> AgentAsked | None:
    """What came of a question by now."""
    id = parse_id(str(earlier["message"]))
    row = await tx.one(SQL["message"], {"id": id}, into=MessageRow)
    known = {"agent": earlier["agent"], "message": earlier["message"]}
    if row is None or row.state == "expired":
        return AgentAsked(**known, why="nobody answered in time; ask somebody else, or go on without")
    if row.state != "answered":
        return None
    answer = await tx.the_one(SQL["answer"], {"id": id}, into=MessageAnswerRow)
    await tx.conn.execute(SQL["seen"], {"ids": [answer.id], "now": tx.now})
    tx.taint |= set(answer.taint)
    return AgentAsked(**known, answered=True, text=answer.body, by=answer.sender)


@verb(
    "agent.ask",
    "wait",
    shows=(),
    progress=False,
    for_=CREW,
    touches=(WRITES, FROM_OUTSIDE),
    speaks=True,
    target="agent",
    result_of_wait=_outcome,
    examples=[{"agent": "chief", "text": "Which offers are open?", "timeout": 5}],
    text="hq.messages.message_text:answered",
)
async def ask(tx: Tx, args: AgentAskArgs) -> AgentAsked:
    """Ask and wait for the answer. A session costs nothing meanwhile, and goes on with it after any restart."""
    for each in args.options:
        check_line("options", each)
    check_apart("options", args.options)
    choice = Choice(args.options, args.risk)
    patience = timedelta(seconds=args.timeout)
    posted = await post(tx, Draft("question", choice.told(args.text), args.agent, patience=patience, choice=choice))
    agent = sent(args.agent, posted).agent
    if posted.held:
        return AgentAsked(agent=agent, why=posted.held)
    settles = ["message.answered", "message.expired"]
    return AgentAsked(agent=agent, message=str(posted.id), waits_for=f"message:{posted.id}", waits_on=settles)


class AgentReplyArgs(Args):
    """To which message, and what."""

    message: str = first(max_length=60)
    """The message's id, as it came with it."""
    text: str = first(min_length=1, max_length=20_000)
    """The answer."""
    because: list[Ref] = Field(default_factory=list, max_length=10)
    """Of an agent's answer where it decides: the memories or decisions it rests on."""


@verb(
    "agent.reply",
    "write",
    shows=(),
    progress=False,
    for_=(*PEOPLE_AND_STAFF, "project"),
    touches=Touch("message", "message", ceo="own", operator="own"),
    speaks=True,
    examples=[{"message": "019dfc66-b817-716a-8756-021456eeb0e3", "text": "Two."}],
    text="hq.messages.message_text:posted",
)
async def reply(tx: Tx, args: AgentReplyArgs) -> MessageSent:
    """Answer a message. Whoever asked goes on with it."""
    id = parse_id(args.message)
    await tx.conn.execute(SQL["lock_message"], {"id": id})
    message = await tx.one(SQL["message"], {"id": id}, into=MessageRow)
    if message is None:
        raise absent(args.message)
    if message.state == "answered":
        raise Refused.conflict("it was answered already", hint=f"`hq agent read {args.message}` shows by whom")
    if message.state == "expired":
        raise Refused("nobody waits for the answer any more", code="expired", hint="`hq agent send` says it anew")
    if (asked := await question_of(tx, id)) is not None and asked.props.stands == "open":
        await answer(tx, asked, text=args.text, because=args.because or None)
        return MessageSent(agent=message.sender.removeprefix("agent:"), message=str(id), state="answered")
    return await send_answer(tx, message, args.text)


class AgentBroadcastArgs(Args):
    """To which group, and what."""

    group: str = first(min_length=1, max_length=200)
    """@all, @team, @reports, @projects, @<organisation> or @<role>."""
    text: str = first(min_length=1, max_length=20_000)
    """What to tell them."""
    kind: Literal["fyi", "command", "report"] = "fyi"
    """News wake nobody; a command wakes them all."""


@verb(
    "agent.broadcast",
    "write",
    progress=False,
    for_=STAFF,
    touches=Touch("group", "group", agent="org"),
    speaks=True,
    examples=[{"group": "@all", "text": "The office is closed on Friday."}],
)
async def broadcast(tx: Tx, args: AgentBroadcastArgs) -> Listing[SentItem]:
    """Tell everybody of a group the same."""
    me = await addresses.own_place(tx)
    thread = new_id()
    items = []
    for to in await addresses.group(tx, args.group, me):
        draft = Draft(args.kind, args.text, args.group, thread=thread)
        items.append(sent(args.group, await send_to(tx, draft, to, me)).as_item())
    return Listing[SentItem](items=items)


VERBS = (send, ask, reply, broadcast)
