"""`hq webhook deliveries|redeliver`: what became of each event that was sent, and sending it again."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal, TypedDict

from pydantic import Field

from hq.channels.webhooks.rows import DeliveryRow
from hq.channels.webhooks.verbs import known_webhook
from hq.database.queries import beside
from hq.door.access import FOUNDER
from hq.door.results import Page, page
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.jobs.job import Cron, Job, JobResult
from hq.jobs.run import JobRun
from hq.stream.cursor import Cursor

SQL = beside(__file__)
KEPT = timedelta(days=7)
"""How long the record of what went well is kept; dead letters stay."""


class WebhookDeliveriesArgs(Args):
    """Which deliveries."""

    ref: Ref = first()
    """Slug or id of the webhook."""
    status: Literal["sending", "failed", "delivered", "dead", "again"] | None = None
    """Only these; dead is what was given up."""
    limit: int = Field(50, ge=1, le=500)
    """How many at most."""
    after: str | None = Field(None, max_length=30)
    """The `next` of the page before."""


class DeliveryItem(TypedDict):
    """What became of an event that was sent."""

    event: str
    topic: str
    status: str
    attempts: int
    response: int | None
    error: str | None
    tried_at: str


@verb("webhook.deliveries", "read", for_=FOUNDER, past=False, scope="founder", target="ref")
async def deliveries(tx: Tx, args: WebhookDeliveriesArgs) -> Page[DeliveryItem]:
    """What became of each event that was sent, newest first."""
    node = await known_webhook(tx, args.ref)
    before = Cursor.parse(args.after, "events") if args.after else Cursor.of_event(2**62)
    values = {"id": node.id, "status": args.status, "seq": before.seq, "ordinal": before.at}
    rows = await tx.rows(SQL["deliveries"], values | {"limit": args.limit + 1}, into=DeliveryRow)
    return page(rows, args.limit, lambda r: Cursor.of_event(r.seq, r.ordinal), _in_brief)


def _in_brief(r: DeliveryRow) -> DeliveryItem:
    return {
        "event": f"{r.seq}.{r.ordinal}",
        "topic": r.topic,
        "status": r.status,
        "attempts": r.attempts,
        "response": r.response_status,
        "error": r.error,
        "tried_at": r.tried_at.isoformat(),
    }


class WebhookRedeliverArgs(Args):
    """What to send again."""

    ref: Ref = first()
    """Slug or id of the webhook."""
    event: str | None = Field(None, max_length=30)
    """The id of one event, as `hq webhook deliveries` shows it; left out, all that were given up."""


class Again(Result):
    slug: str
    again: int


@verb(
    "webhook.redeliver",
    "write",
    for_=FOUNDER,
    scope="founder",
    emits="webhook.redelivery_requested",
    target="ref",
    text="to be delivered again: {again}",
)
async def redeliver(tx: Tx, args: WebhookRedeliverArgs) -> Again:
    """Send events again that were given up, or one that was delivered."""
    node = await known_webhook(tx, args.ref)
    event = Cursor.parse(args.event, "events") if args.event else None
    values = {"id": node.id, "seq": event.seq if event else None, "ordinal": event.at if event else None}
    again = await tx.scalars(SQL["repeat"], values, of=int)
    if not again and event:
        raise Refused.not_found(
            f"{node.slug} has no delivery {event} that is done with", hint=f"`hq webhook deliveries {node.slug}`"
        )
    return Again(slug=node.slug, again=len(again))


async def _forget_delivered(run: JobRun) -> JobResult | None:
    [gone] = await run.scalars(SQL["forget_delivered"], {"before": run.now - KEPT}, of=int)
    return JobResult(f"forgot {gone} deliveries", gone) if gone else None


VERBS = (deliveries, redeliver)
JOBS = (
    Job(
        name="forget-deliveries",
        says=f"forgets what webhooks got more than {KEPT.days} days ago, at 04:50; dead letters stay",
        on=(Cron("50 4 * * *"),),
        work=_forget_delivered,
    ),
)
