"""The ledger: what was called, and proof that nobody changed it."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import EVERYONE, Owner, Touch
from hq.door.json_shape import AsJson
from hq.door.results import Page, page
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.door.verbs.history import plain_names
from hq.door.verbs.rows import (
    ActionRow,
    BrokenLinkRow,
    ChainLengthRow,
    ListedActionRow,
    WrittenRow,
)
from hq.errors import Refused
from hq.ids import event_name, parse_id, trace_name

SQL = beside(__file__)
BATCH = 5_000


class ActionListArgs(Args):
    """Which calls."""

    actor: str | None = Field(None, max_length=200)
    """Only by this actor."""
    verb: str | None = Field(None, max_length=100)
    """Only of this verb, such as task.create."""
    status: Literal["ok", "refused", "failed", "waiting", "begun"] | None = None
    """Only that ended so."""
    target: Ref | None = None
    """Only on this node."""
    task: str | None = Field(None, max_length=60)
    """Only of this task id."""
    reads: bool = False
    """Reads too."""
    limit: int = Field(50, ge=1, le=500)
    """How many at most."""
    after: int | None = Field(None, ge=0, le=2**62)
    """The `next` of the page before."""


class ActionItem(TypedDict):
    """A call in brief."""

    action: str
    verb: str
    actor: str
    status: str
    at: str
    reason: str
    sequence: int
    undoes: NotRequired[str]


@verb("action.list", "read", shows=("actor", "verb", "limit"), for_=EVERYONE, examples=[{"limit": 5}])
async def list_(tx: Tx, args: ActionListArgs) -> Page[ActionItem]:
    """What was done, newest first: every call is one row."""
    target = (await tx.get(args.target)).id if args.target else None
    by = await tx.seen_principals()
    rows = await tx.rows(
        SQL["actions"] if by is None else SQL["actions_of"],
        {
            "by": by,
            "actor": args.actor,
            "verb": args.verb,
            "status": args.status,
            "target": target,
            "task": parse_id(args.task) if args.task else None,
            "reads": args.reads,
            "before": args.after,
            "limit": args.limit + 1,
            **tx.known_values(),
        },
        into=ListedActionRow,
    )
    return page(rows, args.limit, lambda r: r.seq, _in_brief)


def _in_brief(r: ListedActionRow) -> ActionItem:
    item: ActionItem = {
        "action": event_name(r.id),
        "verb": r.action_type,
        "actor": r.actor,
        "status": r.status,
        "at": r.created_at.isoformat(),
        "reason": r.reason,
        "sequence": r.seq,
    }
    if r.undoes:
        item["undoes"] = event_name(r.undoes)
    return item


CALLED = Touch("id", "action", agent="led")


class ActionShowArgs(Args):
    """Which call."""

    id: str = first(max_length=60)
    """The `audit_event_id` a call returned, or its UUID."""


class ActionShown(Result):
    action: str
    verb: str
    actor: str
    status: str


@verb("action.show", "read", for_=EVERYONE, touches=CALLED)
async def show(tx: Tx, args: ActionShowArgs) -> ActionShown:
    """One call in full: who, what, when, how it ended, what it cost, what it wrote."""
    row = await recorded(tx, args.id)
    wrote = await tx.rows(SQL["written"], {"seq": row.seq}, into=WrittenRow)
    return ActionShown.model_validate(
        {
            "action": event_name(row.id),
            "sequence": row.seq,
            "verb": row.action_type,
            "kind": row.kind,
            "actor": row.actor,
            "principal_id": str(row.principal_id),
            "status": row.status,
            "error": row.error_code,
            "input": row.input,
            "output": row.output,
            "reason": row.reason,
            "at": row.created_at.isoformat(),
            "duration_ms": round(row.duration_ms, 3),
            "model": row.model,
            "cost_usd": str(row.cost_usd) if row.cost_usd is not None else None,
            "session_id": str(row.session_id) if row.session_id else None,
            "task_id": str(row.task_id) if row.task_id else None,
            "trace": trace_name(row.trace_id),
            "parent": event_name(row.parent_id) if row.parent_id else None,
            "target": {"type": row.target_kind, "id": str(row.target_id)} if row.target_id else None,
            "gate": row.gate,
            "decision": row.decision,
            "taint": list(row.taint),
            "wrote": [written_item(w) for w in wrote],
            "undoes": event_name(row.undoes) if row.undoes else None,
        }
    )


async def recorded(tx: Tx, ref: str) -> ActionRow:
    row = await tx.one(SQL["action"], {"id": parse_id(ref), "by": None, **tx.known_values()}, into=ActionRow)
    if row is None:
        raise _absent(ref)
    return row


def written_name(written: WrittenRow) -> str:
    return written.slug or f"{written.from_slug} {written.edge} {written.to_slug}"


class WrittenItem(TypedDict):
    """What a call wrote."""

    kind: str
    what: str
    op: str
    fields: list[str]
    made: bool
    true_from: str


def written_item(written: WrittenRow) -> WrittenItem:
    return {
        "kind": written.kind,
        "what": written_name(written),
        "op": written.op,
        "fields": plain_names(written.touched),
        "made": written.made,
        "true_from": written.valid_from.isoformat(),
    }


class LedgerVerifyArgs(Args):
    """How much of the chain."""

    after: int = Field(0, ge=0, le=2**62)
    """Start behind this link; 0 checks everything."""
    head: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    """A head that was noted down earlier: it must still be in the chain. So a ledger that was cut off shows."""


class LedgerFault(TypedDict):
    """What is not as it was."""

    link: NotRequired[int]
    sequence: NotRequired[int]
    fault: str


class Verified(Result):
    intact: bool
    links: int
    waiting: int
    """Calls that are not linked yet; the announcer takes them within a second."""
    head: str | None = None
    """The last link. Kept somewhere else, it proves later that nothing before it was cut off or written anew."""
    faults: AsJson[list[LedgerFault]] = Field(default_factory=list)


@verb("ledger.verify", "read", for_=EVERYONE, past=False, examples=[{}], text="hq.door.ledger_text:verified")
async def verify(tx: Tx, args: LedgerVerifyArgs) -> Verified:
    """Prove the ledger: every call, event and version still says what it said, in an unbroken chain."""
    chain = await tx.the_one(SQL["chain_length"], {"now": tx.now}, into=ChainLengthRow)
    faults: list[LedgerFault] = []
    for start in range(args.after, chain.length or 0, BATCH):
        rows = await tx.rows(SQL["broken_links"], {"after": start, "batch": BATCH}, into=BrokenLinkRow)
        faults += [LedgerFault(link=r.link_position, sequence=r.call_seq, fault=r.fault) for r in rows]
    if chain.unlinked:
        faults.append({"fault": f"{chain.unlinked} settled calls are not in the chain"})
    if chain.strays:
        faults.append({"fault": f"{chain.strays} events belong to no call"})
    if chain.unlike:
        faults.append({"fault": f"{chain.unlike} nodes do not look as their history says"})
    if chain.orphans:
        faults.append({"fault": f"{chain.orphans} versions belong to no call"})
    if args.head and await tx.scalar(SQL["link_of"], {"chain": bytes.fromhex(args.head)}, of=int) is None:
        faults.append({"fault": "the head noted down earlier is not in the chain: it was cut off or written anew"})
    return Verified(
        intact=not faults, links=chain.length or 0, waiting=chain.waiting, head=chain.head, faults=faults[:100]
    )


async def owner_of_action(tx: Tx, ref: str) -> Owner | None:
    """Whoever made the call, and the agent for whom a worker did."""
    row = await tx.one(SQL["action"], {"id": parse_id(ref), "by": None, **tx.known_values()}, into=ActionRow)
    if row is None:
        return None
    actor = row.actor.partition("/")[0]
    kind, _, name = actor.partition(":")
    agents = frozenset((name,)) if kind in ("agent", "worker") else frozenset[str]()
    return Owner(row.actor, agents, frozenset((actor,)), absent=_absent(ref))


def _absent(ref: str) -> Refused:
    return Refused.not_found(f"there is no action {ref!r}", hint="`hq action list` shows the latest")


VERBS = (list_, show, verify)
