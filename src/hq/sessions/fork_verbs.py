"""`hq session fork|diff`: branch a session at any step, and see where two part."""

from __future__ import annotations

from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import Field, ValidationError

from hq.database.queries import beside
from hq.door.access import FOUNDER, STAFF, Touch
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.engine.sessions.lookup import found
from hq.engine.sessions.steps import read_step
from hq.errors import Refused
from hq.graph.fault_text import fault_text
from hq.ids import new_id
from hq.json_types import StepJson
from hq.sessions.rows import StepRow
from hq.sessions.session_verbs import EXAMPLE, SessionShowArgs, in_short

SQL = beside(__file__)


class SessionForkArgs(SessionShowArgs):
    at: int = Field(ge=1)
    """The last step that both have."""
    edit: StepJson | None = None
    """What that step says in the branch instead."""


class Forked(Result):
    session: str
    of: str
    at: int


# A branch acts as the session's agent, on words that whoever made it chose: so only the founder makes one.
@verb(
    "session.fork",
    "write",
    for_=FOUNDER,
    emits="session.queued",
    examples=[{"id": EXAMPLE, "at": 2}],
    text="forked at step {at}; `hq session diff {of} {session}` compares the two",
)
async def fork(tx: Tx, args: SessionForkArgs) -> Forked:
    """Branch a session at a step, change what that step says if wanted, and let it run on from there. The founder's alone."""
    row = await found(tx, args.id)
    if args.at > row.steps:
        raise Refused.invalid(f"it has {row.steps} steps; there is no step {args.at}")
    made = new_id()
    edited = await _edited(tx, row.id, args) if args.edit else None
    await tx.conn.execute(SQL["fork"], {"id": made, "of": row.id, "upto": args.at, "edited": edited, "now": tx.now})
    tx.queues_work = True
    return Forked(session=str(made), of=str(row.id), at=args.at)


async def _edited(tx: Tx, session: UUID, args: SessionForkArgs) -> Jsonb:
    (step,) = await tx.rows(SQL["steps"], {"id": session, "after": args.at - 1, "limit": 1, "at": None}, into=StepRow)
    unknown = set(args.edit or {}) - set(step.payload)
    if unknown:
        raise Refused.invalid(
            f"step {args.at} is of kind {step.kind} and has no {', '.join(sorted(unknown))}; it has "
            f"{', '.join(sorted(step.payload))}"
        )
    edited = step.payload | (args.edit or {})
    try:
        read_step(step.kind, edited)
    except ValidationError as error:
        raise Refused.invalid(f"step {args.at} cannot say that: {fault_text(error, 'it')}") from error
    return Jsonb(edited)


class SessionDiffArgs(Args):
    """Which two sessions."""

    a: str = first(max_length=60)
    """One session."""
    b: str = first(max_length=60)
    """The other."""


class Differences(Result):
    same: int
    """How many steps they share."""
    a: list[str]
    b: list[str]


@verb(
    "session.diff",
    "read",
    for_=STAFF,
    touches=(Touch("a", "session", agent="led"), Touch("b", "session", agent="led")),
    past=False,
    examples=[{"a": EXAMPLE, "b": EXAMPLE[:-1] + "4"}],
    text="hq.sessions.session_text:parted",
)
async def diff(tx: Tx, args: SessionDiffArgs) -> Differences:
    """Where two sessions part, and what each did from there."""
    sides = []
    for ref in (args.a, args.b):
        row = await found(tx, ref)
        steps = await tx.rows(SQL["steps"], {"id": row.id, "after": 0, "limit": 1000, "at": None}, into=StepRow)
        sides.append([(s.kind, s.payload) for s in steps])
    same = next((n for n, (x, y) in enumerate(zip(*sides, strict=False)) if x != y), min(map(len, sides)))
    a, b = ([f"{n + 1} {in_short(*step)}" for n, step in enumerate(side)][same:] for side in sides)
    return Differences(same=same, a=a, b=b)


VERBS = (fork, diff)
