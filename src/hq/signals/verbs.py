"""The nouns of what comes in: interaction, conversation, producer."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypedDict

from hq.database.queries import beside
from hq.door.access import EVERYONE, PERSON
from hq.door.nouns import nouns
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Verb, first, verb
from hq.graph.provenance import Producer
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.signals.rows import ProducerHealthRow
from hq.signals.types import Conversation, Interaction

SQL = beside(__file__)
WINDOW = timedelta(days=1)


async def _log(tx: Tx, args: Any) -> None:
    """Log a message, call or meeting. What comes in from outside is marked as tainted."""
    if args.direction == "inbound":
        tx.taint.add(args.channel)
    if args.occurred_at is None:
        args.occurred_at = tx.now
        args.model_fields_set.add("occurred_at")


async def _mark(tx: Tx, args: Any) -> None:
    # What an inbound interaction says is outside words, also when it is said later.
    known = await tx.get(args.ref, Interaction)
    if (args.direction or known.props.direction) == "inbound":
        tx.taint.add(args.channel or known.props.channel)


def _interactions() -> tuple[Verb, ...]:
    """`interaction.log` is how an interaction is created."""
    logged = {"channel": "note", "direction": "internal", "subject": "Call with Ana", "body": "She wants a quote."}
    create, *others = nouns(
        Interaction, examples={"create": [logged]}, before={"create": _log, "update": _mark}, speaks=True
    )
    return replace(create, name="interaction.log"), *others


class ProducerHealthArgs(Args):
    """Which producer."""

    ref: Ref | None = first(default=None)
    """Slug of one producer; left out, all of them."""


class ProducerHealth(TypedDict):
    """Whether somebody still delivers."""

    slug: str
    kind: str
    state: str
    last_seen_at: str | None
    nodes_24h: int
    calls_24h: int
    error_rate: float


@verb("producer.health", "read", for_=EVERYONE, examples=[{}])
async def health(tx: Tx, args: ProducerHealthArgs) -> Listing[ProducerHealth]:
    """Who still delivers: last sign of life, how much in the last day, how often it failed."""
    wanted = NodeFilter(types=[Producer.type], limit=500)
    found = [await tx.get(args.ref, Producer)] if args.ref else await tx.find(wanted)
    moment = {"since": tx.true_at - WINDOW, "until": tx.true_at, **tx.known_values()}
    rows = await tx.rows(
        SQL["producer_health"], {"ids": [producer.id for producer in found], **moment}, into=ProducerHealthRow
    )
    heard = {row.id: row for row in rows}
    producers = sorted(found, key=lambda producer: producer.slug)
    return Listing[ProducerHealth](items=[_health(producer, heard[producer.id], tx.true_at) for producer in producers])


def _health(producer: Stored[Producer], heard: ProducerHealthRow, now: datetime) -> ProducerHealth:
    props = producer.props
    seen = max((moment for moment in (heard.last_node, heard.last_call) if moment), default=None)
    every = props.expected_every_minutes
    late = every is not None and (seen is None or now - seen > timedelta(minutes=every))
    state = "paused" if producer.status != "active" else "silent" if late else "failing" if heard.failed else "ok"
    return {
        "slug": producer.slug,
        "kind": props.kind,
        "state": state,
        "last_seen_at": seen.isoformat() if seen else None,
        "nodes_24h": heard.nodes,
        "calls_24h": heard.calls,
        "error_rate": round(heard.failed / heard.calls, 3) if heard.calls else 0.0,
    }


VERBS = (
    *_interactions(),
    *nouns(Conversation, examples={"create": [{"kind": "chat", "title": "Kick-off"}]}),
    *nouns(Producer, examples={"create": [{"name": "email:sales", "kind": "conversation_channel"}]}, touches=PERSON),
    health,
)
