"""The ledger: what was called, taking it back, and proof that nobody changed it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import EVERYONE, STAFF
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, Verb, first, verb
from hq.door.verbs.history import plain_names
from hq.door.verbs.rows import (
    ActionRow,
    BrokenLinkRow,
    ChainLengthRow,
    LeaningCallRow,
    ListedActionRow,
    MeantCallRow,
    ReadLaterRow,
    UndoneByRow,
    WrittenLaterRow,
    WrittenRow,
)
from hq.errors import Refused
from hq.ids import event_name, parse_id, trace_name
from hq.json_types import JsonObject

SQL = beside(__file__)
BATCH = 5_000
BOOKKEEPING = ("approval", "grant")  # what a call used or was allowed by stays used when it is taken back


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


@verb("action.list", "read", for_=EVERYONE, examples=[{"limit": 5}])
async def list_(tx: Tx, args: ActionListArgs) -> Listing:
    """What was done, newest first: every call is one row."""
    target = (await tx.get(args.target)).id if args.target else None
    rows = await tx.rows(
        SQL["actions"],
        {
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
    items = [
        {
            "action": event_name(r.id),
            "verb": r.action_type,
            "actor": r.actor,
            "status": r.status,
            "at": r.created_at.isoformat(),
            "reason": r.reason,
            "sequence": r.seq,
            **({"undoes": event_name(r.undoes)} if r.undoes else {}),
        }
        for r in rows[: args.limit]
    ]
    return Listing(items=items, next=str(rows[args.limit - 1].seq) if len(rows) > args.limit else None)


class ActionShowArgs(Args):
    """Which call."""

    id: str = first(max_length=60)
    """The `audit_event_id` a call returned, or its UUID."""


class ActionShown(Result):
    action: str
    verb: str
    actor: str
    status: str


@verb("action.show", "read", for_=EVERYONE)
async def show(tx: Tx, args: ActionShowArgs) -> ActionShown:
    """One call in full: who, what, when, how it ended, what it cost, what it wrote."""
    row = await _action(tx, args.id)
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
            "wrote": [_item(w) for w in wrote],
            "undoes": event_name(row.undoes) if row.undoes else None,
        }
    )


class ActionUndoArgs(ActionShowArgs):
    preview: bool = False
    """Only show what would be put back, and what stands in the way."""


class Undone(Result):
    action: str
    """The call that is taken back."""
    possible: bool
    restores: list[JsonObject] = Field(default_factory=list)
    """What goes back to how it was."""
    blocked_by: list[str] = Field(default_factory=list)
    """Later writes that stand on this one."""
    warnings: list[str] = Field(default_factory=list)
    done: bool = False


@verb(
    "action.undo",
    "write",
    for_=STAFF,
    undo="exact",
    emits="action.undone",
    alias="undo",
    gate="destructive",
    preview="preview",
    past=False,
    text="hq.door.history_text:undo",
)
async def undo(tx: Tx, args: ActionUndoArgs) -> Undone:
    """Take a call back. Later writes on the same things block it; later reads only warn."""
    row = await _action(tx, args.id)
    verb_ = tx.door.registry.verbs.get(row.action_type)
    found = await _preview(tx, row, verb_)
    if args.preview:
        return found
    if not found.possible:
        raise Refused(
            f"{row.action_type} cannot be taken back: {'; '.join(found.blocked_by)}",
            code="blocked",
            reasons=found.blocked_by,
        )
    first_ = await tx.one(SQL["meant"], {"id": row.id}, into=MeantCallRow)
    meant = tx.door.registry.verbs.get(first_.action_type if first_ else "")
    if verb_ is None or first_ is None or meant is None or not tx.caller.may(meant):
        raise Refused.forbidden(f"whoever may not call {meant.name if meant else row.action_type} may not take it back")
    if not tx.caller.human:
        await _check_could(tx, meant, first_.input or {})
    tx.undoes = row.id
    if verb_.undo == "compensating" and verb_.undo_by:
        await tx.inner(*verb_.undo_by(row.input or {}, row.output or {}))  # in this transaction: both or neither
    else:
        kept = [type_ for type_ in BOOKKEEPING if type_ != row.target_kind]
        await tx.conn.execute(SQL["take_back"], {"seq": row.seq, "except": kept})
        if meant.invariant:
            await meant.invariant(tx)
    return found.model_copy(update={"done": True})


async def _check_could(tx: Tx, meant: Verb, given: JsonObject) -> None:
    """Whoever takes a call back could have made it; how risky that is was asked of the taking back."""
    fields = {info.alias or name: name for name, info in meant.args.model_fields.items()}
    args = meant.args.model_construct(**{fields[name]: value for name, value in given.items() if name in fields})
    for policy in tx.door.policies:
        await policy.judge(tx, meant, args)


async def _preview(tx: Tx, row: ActionRow, verb_: Verb | None) -> Undone:
    wrote = await tx.rows(SQL["written"], {"seq": row.seq}, into=WrittenRow)
    blocked: list[str] = []
    warnings: list[str] = []
    if row.kind == "inner" and row.parent_id:
        blocked.append(f"it was part of {event_name(row.parent_id)}; take that back")
    elif row.status != "ok":
        blocked.append(f"it ended {row.status}, so there is nothing to take back")
    elif undone := await tx.one(SQL["undone_by"], {"id": row.id}, into=UndoneByRow):
        blocked.append(f"it was already taken back by {event_name(undone.id)}")
    elif verb_ is None or verb_.undo == "none":
        blocked.append(f"{row.action_type} has no way back")
    elif verb_.undo == "exact":
        names = {w.item_id: _name(w) for w in wrote}
        for later in await tx.rows(SQL["written_later"], {"seq": row.seq}, into=WrittenLaterRow):
            what = ", ".join(plain_names(later.both))
            blocked.append(
                f"{later.action_type} by {later.actor} changed {what} of {names.get(later.item_id, later.item_id)} since"
                f" ({event_name(later.action_id)})"
            )
        for lean in await tx.rows(SQL["leaning_on"], {"seq": row.seq}, into=LeaningCallRow):
            blocked.append(
                f"{lean.action_type} by {lean.actor} linked something to it since ({event_name(lean.action_id)})"
            )
        reads = await tx.the_one(SQL["read_later"], {"seq": row.seq}, into=ReadLaterRow)
        if reads.times:
            warnings.append(f"it was read {_times(reads.times)} since; what was concluded from it stays")
    return Undone(
        action=event_name(row.id),
        possible=not blocked,
        restores=[_item(w) for w in wrote],
        blocked_by=blocked,
        warnings=warnings,
    )


async def _action(tx: Tx, ref: str) -> Any:
    row = await tx.one(SQL["action"], {"id": parse_id(ref), **tx.known_values()}, into=ActionRow)
    if row is None:
        raise Refused.not_found(f"there is no action {ref!r}", hint="`hq action list` shows the latest")
    return row


def _times(many: int) -> str:
    return "once" if many == 1 else f"{many} times"


def _name(written: Any) -> str:
    return written.slug or f"{written.from_slug} {written.edge} {written.to_slug}"


def _item(written: Any) -> JsonObject:
    return {
        "kind": written.kind,
        "what": _name(written),
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


class Verified(Result):
    intact: bool
    links: int
    waiting: int
    """Calls that are not linked yet; the announcer takes them within a second."""
    head: str | None = None
    """The last link. Kept somewhere else, it proves later that nothing before it was cut off or written anew."""
    faults: list[JsonObject] = Field(default_factory=list)


@verb("ledger.verify", "read", for_=EVERYONE, past=False, examples=[{}], text="hq.door.ledger_text:verified")
async def verify(tx: Tx, args: LedgerVerifyArgs) -> Verified:
    """Prove the ledger: every call, event and version still says what it said, in an unbroken chain."""
    chain = await tx.the_one(SQL["chain_length"], {"now": tx.now}, into=ChainLengthRow)
    faults: list[JsonObject] = []
    for start in range(args.after, chain.length or 0, BATCH):
        rows = await tx.rows(SQL["broken_links"], {"after": start, "batch": BATCH}, into=BrokenLinkRow)
        faults += [{"link": r.link_position, "sequence": r.call_seq, "fault": r.fault} for r in rows]
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


VERBS = (list_, show, undo, verify)
