"""The record of a coding run, written while it runs, and how others follow it or wait for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from pydantic import Field

from hq.coding.adapter import Kind
from hq.coding.rows import AddedStepRow, CodingStepRow
from hq.coding.types import CodeRun
from hq.database.queries import beside
from hq.door.access import INSIDE, STAFF
from hq.door.nouns import nouns
from hq.door.results import Awaited, Page, Row, page, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.ids import new_id
from hq.json_types import Props
from hq.workspace.types import Workspace

SQL = beside(__file__)
TOLD = 300
"""Characters of a step that an event carries; `hq code steps` has the rest."""
EXAMPLE = "some-code-run"
SOURCE = "code"
"""Where a run's external id comes from: the key of the call that began it."""


class CodeBeginArgs(Args):
    """A run to begin, or to go on with."""

    workspace: Ref
    run: Ref | None = None
    call_key: str | None = Field(None, max_length=200)
    """The key of the call that began it: by that it is found again where the call never reported back."""
    props: Props


@verb("code.begin", "write", for_=INSIDE, internal=True, target="workspace")
async def begin(tx: Tx, args: CodeBeginArgs) -> Row:
    """Note that a coding program starts."""
    workspace = await tx.get(args.workspace, Workspace)
    if args.run:
        run = await tx.get(args.run, CodeRun)
        run = await tx.change(run, {**args.props, "status": "running", "wants": None, "answer": None, "why": None})
    else:
        run = await tx.create(
            CodeRun.model_validate(args.props),
            slug=f"{workspace.slug}-{new_id().hex[-6:]}",
            links=[NewLink("in_workspace", workspace)],
            external=(SOURCE, args.call_key) if args.call_key else None,
        )
    tx.target = run
    tx.emit("code.started", run=run.slug, workspace=workspace.slug, cli=run.props.cli, mode=run.props.mode)
    return row(run)


class NotedStepArgs(Args):
    kind: Kind
    text: str
    tool: str = ""


class CodeNoteArgs(Args):
    """What it did."""

    run: Ref
    steps: list[NotedStepArgs] = Field(max_length=10_000)


class CodeNoted(Result):
    run: str
    last: int


@verb("code.note", "write", for_=INSIDE, internal=True, target="run")
async def note(tx: Tx, args: CodeNoteArgs) -> CodeNoted:
    """Write down what a coding program did, and tell whoever follows."""
    run = await tx.get(args.run, CodeRun)
    tx.target = run
    values = {f"{name}s": [getattr(step, name) for step in args.steps] for name in ("kind", "tool", "text")}
    rows = await tx.rows(SQL["add_steps"], {"run": run.id, "now": tx.now, **values}, into=AddedStepRow)
    for each in sorted(rows, key=lambda each: each.step):
        tx.emit("code.stepped", run=run.slug, step=each.step, kind=each.kind, tool=each.tool, text=each.text[:TOLD])
    return CodeNoted(run=run.slug, last=max((each.step for each in rows), default=0))


class CodeSettleArgs(Args):
    """What came of it."""

    run: Ref
    props: Props


@verb("code.settle", "write", for_=INSIDE, internal=True, target="run")
async def settle(tx: Tx, args: CodeSettleArgs) -> Row:
    """Note how a coding program ended, or what it waits for."""
    run = await tx.change(await tx.get(args.run, CodeRun), args.props)
    tx.target = run
    # Only what is over carries an id: that is what wakes whoever waits for the run.
    over = {"id": run.slug} if run.over else {}
    tx.emit(f"code.{run.props.status}", run=run.slug, why=run.props.why or "", **over)
    return row(run)


class CodingStepItem(TypedDict):
    """One thing that a coding program said or did."""

    step: int
    at: str
    kind: str
    tool: str
    text: str


class CodeStepsArgs(Args):
    """Which run."""

    ref: Ref = first()
    """The run: slug or id."""
    after: int = Field(0, ge=0)
    """Only steps after this one."""
    limit: int = Field(200, ge=1, le=1000)
    """How many at most."""


@verb(
    "code.steps",
    "read",
    for_=STAFF,
    past=False,
    target="ref",
    examples=[{"ref": EXAMPLE}],
    text="hq.coding.coding_text:steps",
)
async def steps(tx: Tx, args: CodeStepsArgs) -> Page[CodingStepItem]:
    """What a coding program said and did, step by step."""
    run = await tx.get(args.ref, CodeRun)
    tx.target = run
    asked = {"run": run.id, "after": args.after, "limit": args.limit + 1}
    rows = await tx.rows(SQL["steps"], asked, into=CodingStepRow)
    return page(rows, args.limit, lambda r: r.step, _told)


def _told(row: CodingStepRow) -> CodingStepItem:
    return {"step": row.step, "at": row.at.isoformat(), "kind": row.kind, "tool": row.tool, "text": row.text}


class CodeWaitArgs(Args):
    """Which run."""

    ref: Ref = first()
    """The run: slug or id."""


class RunWait(TypedDict, total=False):
    """What a call names that waits for a run."""

    waits_for: str
    waits_since: int


class CodeWaited(Awaited):
    run: str
    status: str
    why: str | None = None


async def _outcome(tx: Tx, ref: str) -> CodeWaited:
    run = await tx.get(ref, CodeRun)
    tx.target = run
    return CodeWaited(run=run.slug, status=run.props.status, why=run.props.why, **waiting_for(run))


def waiting_for(run: Stored[CodeRun]) -> RunWait:
    """What a call names that waits for the run; nothing once it is over. What ended it before does not count."""
    return {} if run.over else {"waits_for": f"code:{run.slug}", "waits_since": run.seq}


async def _settled(tx: Tx, earlier: Mapping[str, Any]) -> CodeWaited:
    return await _outcome(tx, str(earlier["run"]))


@verb("code.wait", "wait", for_=STAFF, result_of_wait=_settled, target="ref", examples=[{"ref": EXAMPLE}])
async def wait(tx: Tx, args: CodeWaitArgs) -> CodeWaited:
    """Wait until a coding run is over, also where it waits for somebody's yes. A session costs nothing meanwhile."""
    return await _outcome(tx, args.ref)


async def workspace_of(tx: Tx, run: Stored[CodeRun]) -> Stored[Workspace]:
    (link,) = await tx.links(run, edge="in_workspace")
    return await tx.get(link.other_id, Workspace)


VERBS = (
    begin,
    note,
    settle,
    steps,
    wait,
    *nouns(CodeRun, without=("create", "update", "archive", "restore")),
)
