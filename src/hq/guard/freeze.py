"""The kill switch: one control stops every write, or those of one organisation, agent or mission, at once."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypedDict
from uuid import UUID

from hq.database.queries import beside
from hq.door.access import EVERYONE, FOUNDER, goes_through
from hq.door.actor import named, who_lifts
from hq.door.results import Listing
from hq.door.text import short_texts
from hq.door.tx import Freeze, Tx
from hq.door.verb import Args, MomentText, Result, Verb, first, verb
from hq.errors import Refused
from hq.graph.moment import parse_moment
from hq.guard.rows import FreezeRow, HomeRow
from hq.ids import is_id, new_id, parse_id

SQL = beside(__file__)
EVERYTHING = "all"
NOUNS = {"organisation": "org"}
"""What a type is called on the command line, where that is another word."""


class FreezePolicy:
    """Refuses what is frozen, and whoever acts for what is frozen or paused. All of that comes with the opening of the
    call, so each call sees the newest."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if not tx.freezes or not verb.changes or goes_through(tx, verb, args):
            return None
        stops = [stop for stop in tx.freezes if not _under_way(tx, verb, stop)]
        for stop in stops:
            if stop.binds:
                raise _stopped(stop)
        if not stops or verb.while_frozen:
            return None
        homes = await self._homes(tx, args)
        for stop in stops:
            if stop.scope in homes:
                raise _stopped(stop)
        return None

    async def _homes(self, tx: Tx, args: Any) -> set[str]:
        """Whatever the arguments name, or a named call wrote, and everything that belongs to, as scopes."""
        texts = set(short_texts(args.model_dump(mode="json")))
        ids = [node.id for node in await tx.named(texts)]
        calls = [parse_id(text) for text in texts if is_id(text)]
        rows = await tx.rows(SQL["homes"], {"ids": ids, "calls": calls}, into=HomeRow)
        return {f"{row.type}:{row.slug}" for row in rows}


def _under_way(tx: Tx, verb: Verb, stop: Freeze) -> bool:
    """A step of a call that was made before: a pause lets that come to its end, a freeze only lets it say what became of it."""
    made_before = tx.call.inside and tx.call.approval_id is None
    return made_before and (stop.state != "frozen" or not verb.for_)


def _stopped(stop: Freeze) -> Refused:
    why = f": {stop.reason}" if stop.reason else ""
    if stop.scope == EVERYTHING:
        return Refused(f"all is frozen{why}", code="frozen", hint="`hq thaw all` lifts it")
    if stop.state == "frozen":
        return Refused(f"{stop.scope} is frozen{why}", code="frozen", hint=f"`hq thaw {stop.scope}` lifts it")
    kind, _, slug = stop.scope.partition(":")
    way = (
        f"hq {kind} resume {slug}"
        if kind in ("agent", "mission")
        else f"hq {NOUNS.get(kind, kind)} update {slug} --status …"
    )
    if stop.state == "archived":
        restore = f"`hq agent restore {slug}` lets it come back; the founder may"
        return Refused(f"{stop.scope} is archived; nobody acts for it", code="paused", hint=restore)
    # Who rests does nothing, so it does not end its own rest either.
    may = f"who leads {slug}, and the founder," if stop.scope == stop.by else who_lifts(stop.by)
    return Refused(
        f"{stop.scope} is {stop.state}, by {named(stop.by)}{why}; until that ends nobody acts for it",
        code="paused",
        hint=f"`{way}` lets it go on; {may} may",
    )


class FreezeSetArgs(Args):
    """What to stop."""

    scope: str = first(default=EVERYTHING, max_length=200)
    """`all`, an actor such as agent:chief, or type:slug such as mission:launch, organisation:acme, project:site."""
    until: MomentText | None = None
    """Thaws by itself then; left out, it stays until `hq thaw`."""


class Frozen(Result):
    scope: str
    until: str | None = None


@verb(
    "freeze.set",
    "write",
    on_card=True,
    for_=FOUNDER,
    scope="founder",
    alias="freeze",
    emits="freeze.set",
    while_frozen=FOUNDER,
    undo="compensating",
    undo_by=lambda _input, output: ("freeze.lift", {"scope": output["scope"]}),
    gate="system",
    text="froze {scope}[ until {until}]",
)
async def freeze(tx: Tx, args: FreezeSetArgs) -> Frozen:
    """Stop every write, or those of one agent, organisation, mission or other node, at once."""
    scope = await _scope(tx, args.scope)
    until = _until(args.until, tx.now)
    await tx.conn.execute(SQL["lift_expired"], {"now": tx.now})
    made = await tx.scalar(
        SQL["freeze"],
        {
            "id": new_id(),
            "scope": scope,
            "reason": tx.call.reason,
            "until": until,
            "now": tx.now,
            "by": tx.caller.actor,
        },
        of=UUID,
    )
    if made is None:
        raise Refused.conflict(f"{scope} is already frozen")
    return Frozen(scope=scope, until=until.isoformat() if until else None)


class FreezeLiftArgs(Args):
    """What to let go again."""

    scope: str | None = first(default=None, max_length=200)
    """The scope that was frozen; left out, everything."""


class FreezeLifted(Result):
    thawed: list[str]


@verb(
    "freeze.lift",
    "write",
    for_=FOUNDER,
    scope="founder",
    alias="thaw",
    emits="freeze.lifted",
    while_frozen=FOUNDER,
    text="thawed {thawed}",
)
async def thaw(tx: Tx, args: FreezeLiftArgs) -> FreezeLifted:
    """Let frozen writes go on."""
    scope = await _scope(tx, args.scope) if args.scope else None
    thawed = await tx.scalars(SQL["thaw"], {"now": tx.now, "by": tx.caller.actor, "scope": scope}, of=str)
    if not thawed:
        raise Refused.not_found(f"{args.scope or 'nothing'} is {'not ' if args.scope else ''}frozen")
    return FreezeLifted(thawed=thawed)


class FreezeListArgs(Args):
    """Nothing to choose."""


class FreezeItem(TypedDict):
    """What is frozen, by whom and why."""

    scope: str
    reason: str | None
    by: str
    since: str
    until: str | None


@verb("freeze.list", "read", for_=EVERYONE, examples=[{}])
async def list_(tx: Tx, args: FreezeListArgs) -> Listing[FreezeItem]:
    """What is frozen, by whom and why."""
    rows = await tx.rows(SQL["freezes"], {"now": tx.seen_at}, into=FreezeRow)
    return Listing[FreezeItem](
        items=[
            {
                "scope": r.scope,
                "reason": r.reason,
                "by": r.created_by,
                "since": r.created_at.isoformat(),
                "until": r.until.isoformat() if r.until else None,
            }
            for r in rows
        ]
    )


async def _scope(tx: Tx, text: str) -> str:
    if text == EVERYTHING or await tx.scalar(
        "select 1 from ops.principals where tenant_id = ops.tenant() and actor = %s", [text], of=int
    ):
        return text
    node = await tx.get(text)
    return f"{node.type}:{node.slug}"


def _until(text: str | None, now: datetime) -> datetime | None:
    if text is None:
        return None
    until = parse_moment(text, now)
    if until <= now:
        raise Refused.invalid(
            f"--until {text} is already past; say a moment in the future such as 2030-01-01T00:00:00Z"
        )
    return until


VERBS = (freeze, thaw, list_)
