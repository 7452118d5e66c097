"""`hq agent inbox`, `read`, `roster`, `presence`: what was said, what became of it, and who is there."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import NotRequired, TypedDict

from pydantic import Field

from hq.agents.presence import presence_of
from hq.database.queries import beside
from hq.door.access import AGENTS, EVERYONE, PEOPLE_AND_STAFF, Touch
from hq.door.json_shape import AsJson
from hq.door.results import Listing, Page, page
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.ids import parse_id
from hq.messages.addresses import FOUNDER
from hq.messages.owners import absent
from hq.messages.post import Kind, sender
from hq.messages.rows import ConversationMessageRow, InboxMessageRow, MessageRow, PresenceRow, RosterAgentRow, UnreadRow
from hq.org.chart import OrganisationRef
from hq.sessions.session_start import known_agent
from hq.sessions.session_verbs import moment

SQL = beside(__file__)
LONGEST = 300


class AgentInboxArgs(Args):
    """Which messages."""

    unread: bool = False
    """Only those nobody has read yet."""
    sent: bool = False
    """What you sent instead, with how far each has come."""
    from_: str | None = Field(None, max_length=200)
    """Only from this agent, or from `founder`."""
    kind: Kind | None = None
    """Only of this kind."""
    agent: Ref | None = None
    """Another's mail, for the founder to look at."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""
    after: str | None = Field(None, max_length=60)
    """The `next` of the page before."""


Ends = TypedDict("Ends", {"from": NotRequired[str], "to": NotRequired[str | None]})


class InboxItem(Ends):
    """A message in brief."""

    message: str
    kind: str
    state: str
    text: str
    at: str
    deadline: NotRequired[str]


class InboxMessage(Ends):
    """A message, whole, with when it was delivered, read and answered."""

    message: str
    kind: str
    state: str
    text: str
    at: str
    receipts: dict[str, str]
    session: NotRequired[str]


@verb(
    "agent.inbox",
    "read",
    for_=AGENTS,
    touches=Touch("agent", "agent", ceo="own", operator="own", optional=True),
    examples=[{}, {"unread": True}],
)
async def inbox(tx: Tx, args: AgentInboxArgs) -> Page[InboxItem]:
    """Your messages, newest first."""
    mine = sender(tx)
    if args.agent and args.agent != mine.removeprefix("agent:"):
        mine = f"agent:{(await known_agent(tx, args.agent)).slug}"
    by = None if args.from_ is None else args.from_ if args.from_ == FOUNDER else f"agent:{args.from_}"
    rows = await tx.rows(
        SQL["inbox"],
        {
            "recipient": None if args.sent else mine,
            "sender": mine if args.sent else by,
            "unread": args.unread,
            "kind": args.kind,
            "before": parse_id(args.after) if args.after else None,
            "limit": args.limit + 1,
            "then": moment(tx),
        },
        into=InboxMessageRow,
    )
    tx.taint |= {mark for row in rows[: args.limit] for mark in row.taint}
    return page(rows, args.limit, lambda row: row.id, partial(_in_brief, sent=args.sent))


def _in_brief(row: InboxMessageRow, *, sent: bool) -> InboxItem:
    item: InboxItem = {
        "message": str(row.id),
        "kind": row.kind,
        "to": row.recipient or row.address,
        "from": row.sender,
        "state": row.state,
        "text": row.body[:LONGEST],
        "at": row.created_at.isoformat(),
    }
    del item["from" if sent else "to"]  # who reads it knows that end
    if row.deadline:
        item["deadline"] = row.deadline.isoformat()
    return item


class AgentReadArgs(Args):
    """Which message."""

    message: str = first(max_length=60)
    """Its id, as `hq agent inbox` shows it."""


class MessagesRead(Result):
    thread: str
    items: AsJson[list[InboxMessage]]
    """All that was said, in order, each with its receipts."""


@verb(
    "agent.read",
    "write",
    progress=False,
    for_=PEOPLE_AND_STAFF,
    touches=Touch("message", "conversation", ceo="own", operator="own"),
    speaks=True,
    examples=[{"message": "019dfc66-b817-716a-8756-021456eeb0e3"}],
    text="hq.messages.message_text:conversation",
)
async def read(tx: Tx, args: AgentReadArgs) -> MessagesRead:
    """A message with the conversation it belongs to, and the receipts of each. What was for you counts as read."""
    found = await tx.one(SQL["message"], {"id": parse_id(args.message)}, into=MessageRow)
    rows = (
        await tx.rows(SQL["conversation"], {"thread": found.thread_id, "limit": 200}, into=ConversationMessageRow)
        if found
        else []
    )
    me = sender(tx)
    if found is None:
        raise absent(args.message)
    if not tx.caller.in_person:  # of a broadcast everybody sees their own
        rows = [row for row in rows if me in (row.sender, row.recipient)]
    unread = [row.id for row in rows if row.recipient == me and row.session_id is None]
    await tx.conn.execute(SQL["seen"], {"ids": unread, "now": tx.now})
    tx.taint |= {mark for row in rows for mark in row.taint}
    return MessagesRead(thread=str(found.thread_id), items=[_whole(row) for row in rows])


def _whole(row: ConversationMessageRow) -> InboxMessage:
    times = {"delivered": row.delivered_at, "read": row.read_at, "answered": row.answered_at}
    item: InboxMessage = {
        "message": str(row.id),
        "kind": row.kind,
        "from": row.sender,
        "to": row.recipient or row.address,
        "state": row.state,
        "text": row.body,
        "at": row.created_at.isoformat(),
        "receipts": {name: at.isoformat() for name, at in times.items() if at},
    }
    if row.session_id:
        item["session"] = str(row.session_id)
    return item


class AgentRosterArgs(Args):
    """Who."""

    org: OrganisationRef | None = None
    """Only of this organisation."""
    kind: str | None = Field(None, max_length=20)
    """Only of this kind: ceo, operator, team or project."""


class RosterItem(TypedDict):
    """Somebody who works here."""

    agent: str
    role: str
    kind: str
    seat: str | None
    organisation: str | None
    presence: str
    unread: int


@verb("agent.roster", "read", for_=EVERYONE, past=False, examples=[{}])
async def roster(tx: Tx, args: AgentRosterArgs) -> Listing[RosterItem]:
    """Who works here: role, seat, organisation, presence, and how much each has not read."""
    present = await _present(tx, None)
    unread = {row.recipient: row.many for row in await tx.rows(SQL["unread"], into=UnreadRow)}
    items: list[RosterItem] = []
    for row in await tx.rows(SQL["agents"], {"agent": None}, into=RosterAgentRow):
        agent = row.props.model_copy(update={"status": row.status})
        if (args.org and row.organisation_slug != args.org) or (args.kind and agent.kind != args.kind):
            continue
        items.append(
            {
                "agent": row.slug,
                "role": agent.role,
                "kind": agent.kind,
                "seat": row.seat_title,
                "organisation": row.organisation_slug,
                "presence": presence_of(agent, present.get(row.slug), tx.now),
                "unread": unread.get(f"agent:{row.slug}", 0),
            }
        )
    return Listing[RosterItem](items=items)


class AgentPresenceArgs(Args):
    """Whose presence."""

    agent: Ref = first()
    """Slug of the agent."""


class Presence(Result):
    agent: str
    presence: str
    """warm at work, cooldown shortly after, cold until something wakes it, stopped when nothing would."""
    status: str
    last_seen: str | None = None


@verb("agent.presence", "read", for_=EVERYONE, past=False, target="agent", examples=[{"agent": "chief"}])
async def presence(tx: Tx, args: AgentPresenceArgs) -> Presence:
    """Whether an agent is there, and when it was last seen."""
    agent = await known_agent(tx, args.agent)
    seen = (await _present(tx, agent.slug)).get(agent.slug)
    return Presence(
        agent=agent.slug,
        presence=presence_of(agent.props, seen, tx.now),
        status=agent.props.status,
        last_seen=seen.seen_at.isoformat() if seen and seen.seen_at else None,
    )


async def _present(tx: Tx, agent: str | None) -> dict[str, PresenceRow]:
    rows = await tx.rows(SQL["present"], {"agent": agent, "since": tx.now - timedelta(days=7)}, into=PresenceRow)
    return {row.agent: row for row in rows}


VERBS = (inbox, read, roster, presence)
