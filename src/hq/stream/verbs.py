"""Events on every face: what was announced so far, and the opening of a stream of what is announced from now on."""

from __future__ import annotations

from urllib.parse import urlencode

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import EVERYONE
from hq.door.results import Page, page
from hq.door.tx import Tx
from hq.door.verb import Args, MomentText, Result, verb
from hq.errors import Refused
from hq.graph.moment import parse_moment
from hq.ids import parse_id
from hq.stream.cursor import Cursor
from hq.stream.event import EventItem, described
from hq.stream.event_sight import EventSight
from hq.stream.rows import EventRow
from hq.stream.topics import Pattern, Topics

SQL = beside(__file__)
MANY_TOPICS = 50


class EventFilterArgs(Args):
    topics: list[Pattern] = Field(default_factory=list, max_length=MANY_TOPICS)
    """Only these, such as task.* or *.created; left out, all."""


class ListEvents(EventFilterArgs):
    """Which events."""

    since: MomentText | None = None
    """Only since then: a date, a time, or 7d for the last seven days."""
    action: str | None = Field(None, max_length=60)
    """Only of this call, by the `audit_event_id` it returned."""
    limit: int = Field(50, ge=1, le=500)
    """How many at most."""
    after: str | None = Field(None, max_length=30)
    """The `next` of the page before."""


@verb("events.list", "read", for_=EVERYONE, examples=[{"topics": ["task.*"], "limit": 5}])
async def list_(tx: Tx, args: ListEvents) -> Page[EventItem]:
    """What was announced, newest first; only what is settled, so nothing comes in between later."""
    settled = Cursor.of_event((await tx.the_scalar(SQL["settled"], of=int)) + 1, 0)
    before = min(Cursor.parse(args.after, "events"), settled) if args.after else settled
    sight = EventSight.of(await tx.seen_principals(), tx.catalogue)
    rows = await tx.rows(
        SQL["events_before"],
        {
            "by": list(sight.principals) if sight else None,
            "nouns": list(sight.nouns) if sight else None,
            "seq": before.seq,
            "ordinal": before.at,
            "topics": Topics(args.topics).regex,
            "since": parse_moment(args.since, tx.true_at) if args.since else None,
            "action": parse_id(args.action) if args.action else None,
            "limit": args.limit + 1,
            "seen_at": tx.seen_at,
            "upto": tx.known_values()["upto"],
        },
        into=EventRow,
    )
    return page(
        rows,
        args.limit,
        lambda row: Cursor.of_event(row.seq, row.ordinal),
        lambda row: EventItem(**described(row), payload=row.payload),
    )


class EventsTailArgs(EventFilterArgs):
    """From where, and which."""

    after: str | None = Field(None, max_length=30)
    """Begin behind this: the id of an event, the `sequence` of an answer, 0 for the very first; left out, from now on."""


class EventsTailOpened(Result):
    after: str
    """The position it begins behind."""
    topics: list[str]
    stream: str
    """Where it is read: `GET` this, with the same credential."""
    tenant_id: str
    credential: str
    sees: list[str] | None = None
    """The principals whose calls are all told of; left out, everybody's. Of others' calls, what the whole company sees."""


@verb("events.tail", "stream", for_=EVERYONE, past=False, examples=[{"topics": ["task.*"]}])
async def tail(tx: Tx, args: EventsTailArgs) -> EventsTailOpened:
    """Follow events as they are announced: each once, in order, from any position on."""
    settled = Cursor.of_event(await tx.the_scalar(SQL["settled"], of=int))
    after = Cursor.parse(args.after, "events") if args.after else settled
    if after.seq > tx.seq:
        raise Refused.conflict(
            f"there was no event {after} yet, so it is of another database; begin again without --after"
        )
    sees = await tx.seen_principals()
    query = urlencode([*(("topic", topic) for topic in args.topics), ("after", str(after))], safe="*")
    return EventsTailOpened(
        after=str(after),
        topics=list(Topics(args.topics).patterns),
        stream=f"/api/events?{query}",
        tenant_id=str(tx.caller.tenant_id),
        credential=str(tx.caller.credential_id),
        sees=None if sees is None else list(map(str, sees)),
    )


VERBS = (list_, tail)
