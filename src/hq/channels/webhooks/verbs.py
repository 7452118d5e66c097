"""Webhooks, as the founder handles them. Delivering is the courier's; what it must change it asks for here, too."""

from __future__ import annotations

from typing import Any, Literal, TypedDict
from uuid import UUID

from pydantic import Field

from hq.channels.egress.address import check_url
from hq.channels.webhooks import signing
from hq.channels.webhooks.rows import WebhookStateRow
from hq.channels.webhooks.sender import manners
from hq.channels.webhooks.types import Webhook
from hq.database.queries import beside
from hq.door.access import FOUNDER, HOUSE
from hq.door.results import Detail, Done, Listing, Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.door.verbs.credentials import ensure_principal, issue
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.guard import vault
from hq.json_types import NodeItem
from hq.stream.cursor import Cursor
from hq.stream.topics import Pattern

SQL = beside(__file__)
COURIER_TOKEN = "hq/webhooks"
"""The name in the vault of the credential with which the courier reports: it can do that and nothing else."""
MANY = 200


def secret_name(slug: str) -> str:
    return f"webhook/{slug}"


def previous_name(slug: str) -> str:
    return f"webhook/{slug}/previous"


class WebhookListArgs(Args):
    """Nothing to choose."""


class WebhookRefArgs(Args):
    """Which one."""

    ref: Ref = first()
    """Slug or id."""


class WebhookAddArgs(Args):
    """Where to, and of what."""

    url: str = first(max_length=2000)
    """Such as https://warehouse.example/hq."""
    name: str | None = Field(None, min_length=1, max_length=80)
    """What to call it; left out, the host."""
    topics: list[Pattern] = Field(default_factory=list, max_length=50)
    """Only these events, such as task.* or *.created; left out, all."""
    allow_private: bool = False
    """Allow an address on this machine or in a private network, and plain http."""


class WebhookSecret(Result):
    slug: str
    id: str
    secret: str
    """What to check signatures with. Shown this once."""


@verb(
    "webhook.add",
    "write",
    for_=FOUNDER,
    scope="founder",
    gate="system",
    undo="compensating",
    undo_by=lambda _input, output: ("webhook.remove", {"ref": output["slug"]}),
    emits="webhook.added",
    shown_once=["secret"],
    examples=[{"url": "https://warehouse.example/hq", "name": "Warehouse", "topics": ["task.*"]}],
    text="added webhook {slug}[; its secret, shown this once: {secret}]",
)
async def add(tx: Tx, args: WebhookAddArgs) -> WebhookSecret:
    """Tell an address of events from now on, each signed, at least once and in order."""
    place = check_url(args.url, manners(args.allow_private))
    node = await tx.create(
        Webhook(
            name=args.name or str(place.hostname), url=args.url, topics=args.topics, allow_private=args.allow_private
        )
    )
    tx.target = node
    settled = Cursor.of_event(await tx.the_scalar("select chained from ops.announcer", of=int))
    start = {"id": node.id, "seq": settled.seq, "ordinal": settled.at, "last": str(settled)}
    await tx.conn.execute(SQL["begin_behind"], start)
    await _ensure_courier(tx)
    return await _new_secret(tx, node)


@verb("webhook.list", "read", for_=FOUNDER, past=False, scope="founder", examples=[{}])
async def list_(tx: Tx, args: WebhookListArgs) -> Listing[NodeItem]:
    """Every webhook and how it is doing."""
    nodes = await tx.find(NodeFilter(types=[Webhook.type], limit=MANY))
    doing = await _doing(tx, nodes)
    return Listing[NodeItem](items=[{**node.brief(), **doing.get(node.id, {})} for node in nodes])


@verb("webhook.show", "read", for_=FOUNDER, past=False, scope="founder", target="ref")
async def show(tx: Tx, args: WebhookRefArgs) -> Detail:
    """One webhook: where it goes, how far it came, whether it fails and since when."""
    node = await known_webhook(tx, args.ref)
    return Detail.model_validate({**node.full(), **(await _doing(tx, [node])).get(node.id, {})})


@verb(
    "webhook.remove", "write", for_=FOUNDER, scope="founder", emits="webhook.removed", gate="destructive", target="ref"
)
async def remove(tx: Tx, args: WebhookRefArgs) -> Row:
    """Stop telling an address for good; its secret and its deliveries are forgotten."""
    node = await tx.archive(await known_webhook(tx, args.ref))
    await tx.conn.execute(SQL["forget"], {"id": node.id})
    await vault.drop(tx, secret_name(node.slug))
    await vault.drop(tx, previous_name(node.slug))
    return row(node)


@verb(
    "webhook.pause", "write", for_=FOUNDER, scope="founder", emits="webhook.paused", target="ref", while_frozen=FOUNDER
)
async def pause(tx: Tx, args: WebhookRefArgs) -> Row:
    """Send nothing for now; events wait."""
    node = await known_webhook(tx, args.ref)
    if node.status != "active":
        raise Refused.conflict(f"{node.slug} is {node.status} already")
    return row(await tx.move(node, to="paused"))


class WebhookResumeArgs(Args):
    """Which one, and from where."""

    ref: Ref = first()
    """Slug or id."""
    skip: bool = False
    """Leave out what happened meanwhile."""


@verb("webhook.resume", "write", for_=FOUNDER, scope="founder", emits="webhook.resumed", target="ref")
async def resume(tx: Tx, args: WebhookResumeArgs) -> Row:
    """Send again, beginning with the events that waited; also one that failed is tried at once."""
    node = await known_webhook(tx, args.ref)
    settled = Cursor.of_event(await tx.the_scalar("select chained from ops.announcer", of=int)) if args.skip else None
    where = {
        "id": node.id,
        "seq": settled.seq if settled else None,
        "ordinal": settled.at if settled else None,
        "last": str(settled) if settled else None,
    }
    await tx.conn.execute(SQL["start_again"], where)
    return row(await tx.move(node, to="active") if node.status != "active" else node)


@verb("webhook.test", "write", for_=FOUNDER, scope="founder", emits="webhook.tested", target="ref")
async def test(tx: Tx, args: WebhookRefArgs) -> Row:
    """Send it a `webhook.tested` event, whatever its topics; `hq webhook deliveries` shows what became of it."""
    return row(await known_webhook(tx, args.ref))


@verb(
    "webhook.rotate", "write", for_=FOUNDER, scope="founder", emits="webhook.rotated", target="ref", shown_once=["secret"],
    gate="system",
    text="rotated webhook {slug}[; its secret, shown this once: {secret}]",
)  # fmt: skip
async def rotate(tx: Tx, args: WebhookRefArgs) -> WebhookSecret:
    """Give it a new secret. For a day events are signed with the old one as well."""
    node = await known_webhook(tx, args.ref)
    old = await vault.fetch(tx, secret_name(node.slug))
    if old and signing.signs(old.plain):
        await vault.keep(tx, previous_name(node.slug), old.plain)
    return await _new_secret(tx, node)


class WebhookReportArgs(Args):
    """What the courier noticed."""

    ref: Ref
    """The webhook."""
    turned: Literal["failing", "recovered", "disabled"]
    """What it turned."""
    why: str = Field("", max_length=500)
    """As the other side or the network had it."""


@verb("webhook.report", "write", for_=("house",), target="ref", while_frozen=HOUSE, internal=True)
async def report(tx: Tx, args: WebhookReportArgs) -> Done:
    """Tell once that a webhook fails, is well again, or was disabled."""
    node = await known_webhook(tx, args.ref)
    match args.turned:
        case "failing":
            tx.emit("webhook.failing", slug=node.slug, why=args.why)
        case "recovered":
            tx.emit("webhook.recovered", slug=node.slug)
        case "disabled":
            if node.status == "active":
                await tx.move(node, to="disabled")
            tx.emit("webhook.disabled", slug=node.slug, why=args.why)
    return Done(message=f"{node.slug} {args.turned}")


async def known_webhook(tx: Tx, ref: str) -> Stored[Webhook]:
    node = await tx.get(ref, Webhook)
    if node.archived_at is not None:
        raise Refused.not_found(f"{node.slug} was removed", hint="`hq webhook list` shows those there are")
    tx.target = node
    return node


class WebhookState(TypedDict, total=False):
    """How a webhook is doing."""

    last: str
    dead: int
    failing_since: str | None
    next_try_at: str | None


async def _doing(tx: Tx, nodes: list[Stored[Any]]) -> dict[UUID, WebhookState]:
    rows = await tx.rows(SQL["doing"], {"ids": [node.id for node in nodes]}, into=WebhookStateRow)
    return {
        r.webhook_id: {
            "last": r.last,
            "dead": r.dead,
            "failing_since": r.failing_since.isoformat() if r.failing_since else None,
            "next_try_at": r.next_try_at.isoformat() if r.next_try_at else None,
        }
        for r in rows
    }


async def _new_secret(tx: Tx, node: Stored[Webhook]) -> WebhookSecret:
    secret = signing.new_secret()
    await vault.keep(tx, secret_name(node.slug), secret)
    return WebhookSecret(slug=node.slug, id=str(node.id), secret=secret)


async def _ensure_courier(tx: Tx) -> None:
    if await vault.fetch(tx, COURIER_TOKEN) is None:
        principal = await ensure_principal(tx, "house", "webhooks")
        made = await issue(tx, principal, "webhook courier", [report.name], "service", None)
        await vault.keep(tx, COURIER_TOKEN, made.token)


VERBS = (add, list_, show, remove, pause, resume, test, rotate, report)
