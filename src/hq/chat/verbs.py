"""The founder's conversation with the CEO, or with any agent: say something, read on, follow it live."""

from __future__ import annotations

import asyncio
import re
from dataclasses import asdict
from urllib.parse import urlencode
from uuid import UUID

from pydantic import Field

from hq.asks.open_asks import one
from hq.asks.plain_words import lets_go_on
from hq.asks.quotation import quoted
from hq.asks.types import Question
from hq.asks.word import HouseWord
from hq.chat.agent_status import conversations
from hq.chat.conversation_view import ChatFollowOpened
from hq.chat.lines import ChatLineItem, line
from hq.chat.read_position import shown_place
from hq.chat.rows import LineRow, ReadUptoRow
from hq.chat.status import standing
from hq.database.queries import beside
from hq.door.access import FOUNDER, SESSION, STAFF, Touch
from hq.door.results import Page, Row, page, row
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.engine.sessions.lookup import found
from hq.engine.sessions.steps import RunRequest
from hq.errors import Refused
from hq.graph.records import Stored
from hq.guard.freeze import EVERYTHING
from hq.memory.types import ConversationSummary
from hq.minds.service import Minds
from hq.minds.tokens import estimate
from hq.org.agent import Agent
from hq.org.ceo_agent import ceo
from hq.sessions.inbound import tell_session
from hq.sessions.routing.router import Intent, MessageRouter, Mode
from hq.sessions.session_start import known_agent
from hq.sessions.session_verbs import moment
from hq.sessions.thread import ThreadRefArgs, speak, thread_name
from hq.stream.cursor import FIRST, LAST, Cursor

SQL = beside(__file__)
MENTION = re.compile(r"(?<![\w@/.])@([a-z0-9][a-z0-9-]{0,59})")
MENTIONED = "The founder mentions you in the conversation with {host} and wants to hear from you there:\n\n{text}"
CALLED_AT_ONCE = 5
ESCALATED = "I’ll escalate this to the supervisor for a deeper check…"


class ChatSayArgs(ThreadRefArgs):
    """What to say."""

    text: str = first(min_length=1, max_length=20_000)
    """The message."""
    reply_to: Ref | None = None
    """The card or the ask that it answers; left out, what it answers is found where that is certain."""
    shown: str | None = Field(None, max_length=120)
    """The id of the last line or card that was shown where this is typed, or `nothing`: what was not shown is answered by no
    word. Of several, with commas between, the one that came last counts. Left out, as far as this device has read."""


class ChatSaid(Result):
    id: str
    """The message."""
    session: str
    agent: str
    after: str
    """Where the answer will come: pass it to chat.follow or `GET /api/chat/stream`."""
    called: list[str] = Field(default_factory=list)
    """Agents that were mentioned with @ and join in."""
    house: str | None = None
    """What the house says to it: what it was taken for, or that nothing was decided."""
    undecided: list[str] = Field(default_factory=list)
    """The asks that it may have been meant for, where that is not certain; nothing was decided then."""


@verb(
    "chat.say",
    "write",
    on_card=True,
    for_=FOUNDER,
    scope="founder",
    alias="chat",
    emits="chat.said",
    while_frozen=FOUNDER,
    frozen_if=lambda args: lets_go_on(args.text),
    examples=[{"text": "What is going on?"}],
)
async def say(tx: Tx, args: ChatSayArgs) -> ChatSaid:
    """Talk to the CEO; the answer streams in. Without a message it becomes a conversation."""
    agent = await _whom(tx, args)
    after = await end_of(tx, agent.slug)
    shown = await shown_place(tx, thread_name(tx, agent.slug), args.shown)
    # While all is stopped nothing else is answered by it.
    thaws = any(stop.scope == EVERYTHING for stop in tx.freezes) and lets_go_on(args.text)
    if thaws:
        tx.follow_ups.append(
            Call("freeze.lift", {"scope": EVERYTHING}, tx.call.token, parent_id=tx.action_id, actor=tx.call.actor)
        )
    took = HouseWord("I let it go on: nothing is stopped any more.", settles=True) if thaws else None
    thread = await speak(tx, agent.slug, args.text, reply_to=args.reply_to, own_words=not thaws, shown=shown, took=took)
    called = await _call_in(tx, agent.slug, args.text)
    return ChatSaid(
        id=thread.id,
        session=thread.session,
        agent=agent.slug,
        after=str(after),
        called=called,
        house=thread.house,
        undecided=thread.undecided,
    )


class ChatTellChoiceArgs(Args):
    """What was chosen."""

    ask: Ref
    """The question, which was answered by one of its options."""


@verb("chat.tell_choice", "write", for_=FOUNDER, scope="founder", internal=True, emits="chat.said")
async def tell_choice(tx: Tx, args: ChatTellChoiceArgs) -> ChatSaid:
    """Tell the CEO which option was chosen: as a choice, between quotation marks, for the words are of who asked."""
    asked = await tx.get(args.ask, Question)
    label = next((each.label for each in asked.props.options if each.key == asked.props.choice), None)
    if label is None:
        raise Refused.conflict(f"{asked.slug} is {asked.status}; none of its options was chosen")
    who = (await one(tx, asked)).agent or "the house"
    text = f"I chose the option {quoted(label)} of {asked.slug}, where {who} asked {quoted(asked.title, 300)}"
    agent = await known_agent(tx, await ceo(tx))
    after = await end_of(tx, agent.slug)
    thread = await speak(tx, agent.slug, text, own_words=False)
    return ChatSaid(id=thread.id, session=thread.session, agent=agent.slug, after=str(after))


async def _call_in(tx: Tx, host: str, text: str) -> list[str]:
    """Whoever is mentioned is told, each in their own thread; their answers come into this conversation."""
    called: list[str] = []
    for name in dict.fromkeys(MENTION.findall(text)):
        agent = await tx.look_up(name, Agent)
        if agent is not None and agent.slug != host and len(called) < CALLED_AT_ONCE:
            await speak(tx, agent.slug, MENTIONED.format(host=host, text=text), RunRequest(id=tx.seq, mention=host))
            called.append(agent.slug)
    return called


class ChatJoinArgs(Args):
    """What somebody who was called in has to say."""

    into: Ref
    """Whose conversation with the founder."""
    text: str = Field(min_length=1, max_length=20_000)
    """What is said."""


class ChatJoined(Result):
    agent: str
    into: str


@verb(
    "chat.join",
    "write",
    for_=("session",),
    touches=Touch("into", "founders_conversation", ceo="own", operator="own"),
    internal=True,
    emits="chat.joined",
)
async def join(tx: Tx, args: ChatJoinArgs) -> ChatJoined:
    """Answer in the conversation into which the founder called an agent, by its own session there."""
    me = tx.caller.actor.removeprefix("agent:")
    host = await tx.scalar(SQL["founders_thread"], {"name": f"thread:founder:{args.into}"}, of=UUID)
    if host is None or await tell_session(tx, host, args.into, args.text, kind="answer") is None:
        raise Refused.conflict(f"the conversation with {args.into} is over")
    return ChatJoined(agent=me, into=args.into)


class ChatReadArgs(ThreadRefArgs):
    upto: str | None = Field(None, max_length=60)
    """The place of the last message that was seen, as `after` or `next` said it; left out, all there is."""


class HowFar(Result):
    agent: str
    upto: str
    unread: int


@verb(
    "chat.read",
    "write",
    for_=FOUNDER,
    scope="founder",
    past=False,
    emits="chat.read",
    while_frozen=FOUNDER,  # whoever looks changes nothing of the company
    examples=[{}],
)
async def read(tx: Tx, args: ChatReadArgs) -> HowFar:
    """Say how far you have read a conversation on this device; other devices keep their own place."""
    agent = await _whom(tx, args)
    place = Cursor.parse(args.upto, "conversation") if args.upto else await end_of(tx, agent.slug)
    name = thread_name(tx, agent.slug)
    where = {"session": place.session, "step": place.at}
    await tx.conn.execute(SQL["mark_read"], {"principal": tx.caller.principal_id, "name": name, "now": tx.now, **where})
    return HowFar(agent=agent.slug, upto=str(place), unread=await _unread(tx, name))


async def _unread(tx: Tx, name: str) -> int:
    """Messages that this device has not shown yet; 100 stands for as many or more."""
    seen = await tx.one(SQL["read_upto"], {"principal": tx.caller.principal_id, "name": name}, into=ReadUptoRow)
    place = Cursor.of_step(seen.session, seen.step) if seen else FIRST
    return await tx.the_scalar(SQL["unread"], {"name": name, "session": place.session, "step": place.at}, of=int)


class ChatRouteArgs(Args):
    """What would be said."""

    text: str = first(min_length=1, max_length=20_000)
    """The message."""


class Routed(Result):
    intent: Intent
    """answer, look, investigate, mission or instruct."""
    mode: Mode
    """quick: to be answered at once. supervisor: it takes tools, steps or time, or nobody can be sure."""
    sure: bool
    why: str
    says: str | None = None
    """What to tell whoever waits, before the work begins."""


@verb("chat.route", "read", for_=STAFF, past=False, examples=[{"text": "Check my server health"}])
async def route(tx: Tx, args: ChatRouteArgs) -> Routed:
    """Where a message would go: answered at once, or to the supervisor; found out on this machine, without a model."""
    found = await tx.use(MessageRouter).route(args.text)
    return Routed(**asdict(found), says=ESCALATED if found.mode == "supervisor" else None)


class ChatHistoryArgs(ThreadRefArgs):
    limit: int = Field(50, ge=1, le=200)
    """How many lines at most."""
    after: str | None = Field(None, max_length=60)
    """The `next` of the page before: what was said earlier than that page."""


@verb("chat.history", "read", for_=STAFF, examples=[{}, {"limit": 5}], text="hq.chat.conversation_text:conversation")
async def history(tx: Tx, args: ChatHistoryArgs) -> Page[ChatLineItem]:
    """What was said, oldest first; the last lines unless told to go further back."""
    agent = await _whom(tx, args)
    place = Cursor.parse(args.after, "conversation") if args.after else LAST
    rows = await tx.rows(
        SQL["lines_before"],
        _place(tx, thread_name(tx, agent.slug), place, args.limit + 1),
        into=LineRow,
    )
    found = page([line(row) for row in rows], args.limit, lambda each: each.place, lambda each: each.as_dict())
    return Page[ChatLineItem](items=[each for each in reversed(found.items) if each["text"]], next=found.next)


class Status(Result):
    agent: str
    name: str
    state: str
    """ready, working, waiting or stopped."""
    why: str
    unread: int = 0
    """Messages of theirs that this device has not read; 100 means as many or more."""
    session: str | None = None
    frozen: bool = False
    """Everything is stopped, until `freeze.lift`."""


@verb("chat.status", "read", for_=STAFF, past=False, examples=[{}])
async def status(tx: Tx, args: ThreadRefArgs) -> Status:
    """How the one at the other end is: ready, working, waiting for something, or stopped; and why."""
    agent = await _whom(tx, args)
    talks, lacking, unread = await asyncio.gather(
        conversations(tx, [agent.slug]),
        tx.use(Minds).lacking(tx.caller.tenant_id, tx.conn),
        _unread(tx, thread_name(tx, agent.slug)),
    )
    now = standing(talks[agent.slug], tx.now, lacking)
    told = {"state": now.state, "why": now.why, "session": now.session, "frozen": now.frozen}
    return Status(agent=agent.slug, name=agent.title, unread=unread, **told)


class ChatFollowArgs(ThreadRefArgs):
    after: str | None = Field(None, max_length=60)
    """Begin behind this place; left out, from now on."""


@verb("chat.follow", "stream", for_=STAFF, past=False)
async def follow(tx: Tx, args: ChatFollowArgs) -> ChatFollowOpened:
    """Follow a conversation live: every line, and what is being said while it is said."""
    agent = await _whom(tx, args)
    after = Cursor.parse(args.after, "conversation") if args.after else await end_of(tx, agent.slug)
    return ChatFollowOpened(
        agent=agent.slug,
        thread=thread_name(tx, agent.slug),
        after=str(after),
        events_after=str(await tx.the_scalar(SQL["settled"], of=int)),
        stream=f"/api/chat/stream?{urlencode({'agent': agent.slug, 'after': str(after)})}",
        tenant_id=tx.caller.tenant_id,
        credential=tx.caller.credential_id,
    )


async def _whom(tx: Tx, args: ThreadRefArgs) -> Stored[Agent]:
    return await known_agent(tx, args.agent or await ceo(tx))


async def end_of(tx: Tx, agent: str) -> Cursor:
    """How far a conversation has come."""
    newest = (await conversations(tx, [agent]))[agent]
    return Cursor.of_step(newest.id, newest.last_step or 0) if newest.id else FIRST


class ChatSumUpArgs(Args):
    """Which part of a thread, in short."""

    session: str = Field(max_length=60)
    """The thread."""
    upto: int = Field(ge=2)
    """What is before this step of its journal."""
    summary: str = Field(min_length=1, max_length=50_000)
    """What was said."""


@verb(
    "chat.sum_up",
    "write",
    for_=SESSION,
    touches=Touch("session", "session", ceo="own", operator="own"),
    internal=True,
    emits="chat.summed_up",
)
async def sum_up(tx: Tx, args: ChatSumUpArgs) -> Row:
    """Keep what an older stretch of a conversation said, so that it is found when somebody asks for it."""
    session = await found(tx, args.session)
    covered = await tx.the_scalar(SQL["covered"], {"session": session.id, "upto": args.upto}, of=int)
    tx.target = kept = await tx.create(
        ConversationSummary(
            summary=args.summary,
            messages_start=str(session.id),
            messages_end=f"{session.id}.{args.upto - 1}",
            message_count=max(1, covered),
            token_count=estimate(args.summary),
        )
    )
    return row(kept)


def _place(tx: Tx, name: str, place: Cursor, limit: int) -> dict[str, object]:
    return {
        "name": name,
        "session": place.session,
        "step": place.at,
        "limit": limit,
        "now": tx.now,
        "then": moment(tx),
    }


VERBS = (say, tell_choice, route, join, read, history, status, follow, sum_up)
