"""Undo: `hq undo` takes a call back, or says what stands in the way."""

from __future__ import annotations

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import STAFF
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Result, Verb, verb
from hq.door.verbs.history import plain_names
from hq.door.verbs.ledger import CALLED, ActionShowArgs, WrittenItem, recorded, written_item, written_name
from hq.door.verbs.rows import (
    ActionRow,
    LeaningCallRow,
    MeantCallRow,
    ReadLaterRow,
    UndoneByRow,
    WrittenLaterRow,
    WrittenRow,
)
from hq.errors import Refused
from hq.ids import event_name
from hq.json_types import CallArgs

SQL = beside(__file__)
BOOKKEEPING = ("approval", "grant")  # what a call used or was allowed by stays used when it is taken back


class ActionUndoArgs(ActionShowArgs):
    preview: bool = False
    """Only show what would be put back, and what stands in the way."""


class Undone(Result):
    action: str
    """The call that is taken back."""
    possible: bool
    restores: AsJson[list[WrittenItem]] = Field(default_factory=list)
    """What goes back to how it was."""
    blocked_by: list[str] = Field(default_factory=list)
    """Later writes that stand on this one."""
    warnings: list[str] = Field(default_factory=list)
    done: bool = False


@verb(
    "action.undo",
    "write",
    for_=STAFF,
    touches=CALLED,
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
    row = await recorded(tx, args.id)
    verb_ = tx.door.registry.verbs.get(row.action_type)
    found = await previewed(tx, row, verb_)
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
        for wrote in await tx.rows(SQL["written"], {"seq": row.seq}, into=WrittenRow):
            if "status" in wrote.touched and (node := await tx.look_up(wrote.item_id)):
                await tx.check_state(node, node.status)
        kept = [type_ for type_ in BOOKKEEPING if type_ != row.target_kind]
        await tx.conn.execute(SQL["take_back"], {"seq": row.seq, "except": kept})
        if meant.invariant:
            await meant.invariant(tx)
    return found.model_copy(update={"done": True})


async def _check_could(tx: Tx, meant: Verb, given: CallArgs) -> None:
    """Whoever takes a call back could have made it; how risky that is was asked of the taking back."""
    fields = {info.alias or name: name for name, info in meant.args.model_fields.items()}
    args = meant.args.model_construct(**{fields[name]: value for name, value in given.items() if name in fields})
    for policy in tx.door.policies:
        await policy.judge(tx, meant, args)


async def previewed(tx: Tx, row: ActionRow, verb_: Verb | None) -> Undone:
    """What taking a call back would restore, and what stands in the way."""
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
        names = {w.item_id: written_name(w) for w in wrote}
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
        restores=[written_item(w) for w in wrote],
        blocked_by=blocked,
        warnings=warnings,
    )


def _times(many: int) -> str:
    return "once" if many == 1 else f"{many} times"


VERBS = (undo,)
