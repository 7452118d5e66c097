"""The nouns of what comes in: interaction, conversation, producer."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hq.database.queries import beside
from hq.door.nouns import nouns
from hq.door.results import Listing, Row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Verb, first, verb
from hq.graph.provenance import Producer
from hq.signals.types import Conversation, Interaction

SQL = beside(__file__)
WINDOW = timedelta(days=1)


def _log() -> Verb:
    """`interaction.log` is how an interaction is created: what came from outside is marked as such on the way in."""
    create = next(v for v in nouns(Interaction) if v.action == "create")

    async def log(tx: Tx, args: Any) -> Row:
        if args.direction == "inbound":
            tx.taint.add(args.channel)
        if args.occurred_at is None:
            args.occurred_at = tx.now
            args.model_fields_set.add("occurred_at")
        return await create.handler(tx, args)

    log.__annotations__["args"] = create.args
    log.__doc__ = "Log a message, call or meeting. What comes in from outside is marked as tainted."
    return verb(
        "interaction.log",
        "write",
        undo="exact",
        emits="interaction.created",
        examples=[
            {"channel": "note", "direction": "internal", "subject": "Call with Ana", "body": "She wants a quote."}
        ],
    )(log)


def _update() -> Verb:
    """What an inbound interaction says is outside words, also when it is said later."""
    update = next(v for v in nouns(Interaction) if v.action == "update")

    async def marked(tx: Tx, args: Any) -> Row:
        known = await tx.get(args.ref, Interaction)
        if (args.direction or known.props.direction) == "inbound":
            tx.taint.add(args.channel or known.props.channel)
        return await update.handler(tx, args)

    return replace(update, handler=marked)


class Health(Args):
    """Which producer."""

    ref: Ref | None = first(default=None)
    """Slug of one producer; left out, all of them."""


@verb("producer.health", "read", past=False, examples=[{}])
async def health(tx: Tx, args: Health) -> Listing:
    """Who still delivers: last sign of life, how much in the last day, how often it failed."""
    one = await tx.get(args.ref, Producer) if args.ref else None
    rows = await tx.rows(SQL["producer_health"], {"since": tx.now - WINDOW, "ref": one.id if one else None})
    return Listing(items=[_health(row, tx) for row in rows])


def _health(row: Any, tx: Tx) -> dict[str, Any]:
    seen = max((moment for moment in (row.last_node, row.last_call) if moment), default=None)
    late = row.expected is not None and (seen is None or tx.now - seen > timedelta(minutes=row.expected))
    state = "paused" if row.status != "active" else "silent" if late else "failing" if row.failed else "ok"
    return {
        "slug": row.slug,
        "kind": row.kind,
        "state": state,
        "last_seen_at": seen.isoformat() if seen else None,
        "nodes_24h": row.nodes,
        "calls_24h": row.calls,
        "error_rate": round(row.failed / row.calls, 3) if row.calls else 0.0,
    }


VERBS = (
    _log(),
    *nouns(Interaction, without=("create", "update")),
    _update(),
    *nouns(Conversation, examples={"create": [{"kind": "chat", "title": "Kick-off"}]}),
    *nouns(Producer, examples={"create": [{"name": "email:sales", "kind": "conversation_channel"}]}),
    health,
)
