"""Artifacts, as one looks at them: which there are, all of one, lines in one."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TypedDict

from pydantic import Field

from hq import patterns
from hq.artifacts.excerpt import readable
from hq.artifacts.rows import ArtifactRow, ListedArtifactRow
from hq.artifacts.search import matching
from hq.artifacts.store import SQL
from hq.door.access import HOUSE, STAFF
from hq.door.results import Listing, Page, page
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.errors import Refused
from hq.ids import event_name, parse_id

EXAMPLE = "0198c0de-0000-7000-8000-000000000001"
LONGEST_LINE = 500


class ArtifactListArgs(Args):
    """Which artifacts."""

    action: str | None = Field(None, max_length=60)
    """Only of this call, as `hq action list` shows it."""
    name: str | None = Field(None, max_length=100)
    """Only of this tool, such as ssh_exec."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""
    after: str | None = Field(None, max_length=60)
    """The `next` of the page before."""


class ArtifactItem(TypedDict):
    """What a tool gave back, in brief."""

    artifact: str
    name: str
    media_type: str
    size: int
    complete: bool
    by: str
    at: str
    action: str


class ArtifactLine(TypedDict):
    """A line of an artifact."""

    line: int
    text: str


@verb("artifact.list", "read", for_=STAFF, past=False, examples=[{"name": "ssh_exec"}])
async def list_(tx: Tx, args: ArtifactListArgs) -> Page[ArtifactItem]:
    """What tools gave back, newest first."""
    values = {
        "action": parse_id(args.action) if args.action else None,
        "name": args.name,
        "before": parse_id(args.after) if args.after else None,
        "limit": args.limit + 1,
        "sees": await tx.seen_agents(),
    }
    rows = await tx.rows(SQL["artifacts"], values, into=ListedArtifactRow)
    return page(rows, args.limit, lambda r: r.id, _in_brief)


def _in_brief(r: ListedArtifactRow) -> ArtifactItem:
    return {
        "artifact": str(r.id),
        "name": r.name,
        "media_type": r.media_type,
        "size": r.size,
        "complete": r.complete,
        "by": r.created_by,
        "at": r.created_at.isoformat(),
        "action": event_name(r.action_id),
    }


class ArtifactReadArgs(Args):
    """Which artifact, and which part of it."""

    id: str = first(max_length=60)
    """As the tool's answer named it."""
    offset: int = Field(0, ge=0)
    """How many characters to leave out at the start."""
    limit: int = Field(20_000, ge=1, le=200_000)
    """How many characters at most."""


class ArtifactRead(Result):
    artifact: str
    name: str
    text: str
    offset: int
    characters: int
    """How many there are in all."""
    complete: bool
    taint: list[str]


@verb(
    "artifact.read",
    "read",
    for_=STAFF,
    past=False,
    examples=[{"id": EXAMPLE}],
    text="hq.artifacts.content_text:content",
)
async def read(tx: Tx, args: ArtifactReadArgs) -> ArtifactRead:
    """Read an artifact, all of it or from one place on."""
    found = await _artifact(tx, args.id)
    text = readable(bytes(found.content))
    return ArtifactRead(
        artifact=str(found.id),
        name=found.name,
        text=text[args.offset : args.offset + args.limit],
        offset=args.offset,
        characters=len(text),
        complete=found.complete,
        taint=sorted(found.taint),
    )


class ArtifactGrepArgs(Args):
    """What to look for, and where."""

    id: str = first(max_length=60)
    """As the tool's answer named it."""
    pattern: str = first(min_length=1, max_length=1000)
    """A regular expression, as RE2 has them."""
    ignore_case: bool = False
    """Capital and small letters alike."""
    limit: int = Field(100, ge=1, le=1000)
    """How many lines at most."""


@verb("artifact.grep", "read", for_=STAFF, past=False, examples=[{"id": EXAMPLE, "pattern": "error|failed"}])
async def grep(tx: Tx, args: ArtifactGrepArgs) -> Listing[ArtifactLine]:
    """Lines of an artifact that match a pattern."""
    pattern = patterns.compiled(args.pattern, ignore_case=args.ignore_case)
    found = await _artifact(tx, args.id)
    hits = await asyncio.to_thread(lambda: list(matching(pattern, readable(bytes(found.content)))))
    lines: list[ArtifactLine] = [{"line": number, "text": line[:LONGEST_LINE]} for number, line in hits]
    more = f"{len(lines) - args.limit} more lines match" if len(lines) > args.limit else None
    return Listing[ArtifactLine](items=lines[: args.limit], **({"left_off": more} if more else {}))


class ArtifactExpireArgs(Args):
    """What is too old."""

    days: int = Field(ge=1, le=36_500)
    """How long artifacts are kept."""


class Expired(Result):
    artifacts: int
    """How many went."""


@verb("artifact.expire", "write", for_=HOUSE, internal=True, emits="artifact.expired")
async def expire(tx: Tx, args: ArtifactExpireArgs) -> Expired:
    """Let artifacts go that were kept long enough; a duty does it every night."""
    gone = await tx.the_scalar("select ops.expire_artifacts(%s)", [tx.now - timedelta(days=args.days)], of=int)
    return Expired(artifacts=gone)


async def _artifact(tx: Tx, id: str) -> ArtifactRow:
    found = await tx.one(SQL["artifact"], {"id": parse_id(id), "sees": await tx.seen_agents()}, into=ArtifactRow)
    if found is None:
        raise Refused.not_found(
            f"there is no artifact {id!r}, or it was kept long enough", hint="`hq artifact list` shows those there are"
        )
    tx.taint |= set(found.taint)
    return found


VERBS = (list_, read, grep, expire)
