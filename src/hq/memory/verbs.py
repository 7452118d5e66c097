"""Verbs of the company's memory: said, found, confirmed, doubted, put away. Nothing is overwritten and nothing
deleted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from hq.asks.proposals import proposed
from hq.asks.types import Proposal
from hq.door.access import ANYONE, EVERYONE, LEADERS, STAFF, Touch
from hq.door.access_rule import Access
from hq.door.results import Listing, Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, MomentText, Ref, Result, first, verb
from hq.door.verbs.graph import GraphWhyArgs, explained
from hq.errors import Refused
from hq.graph.moment import parse_moment
from hq.graph.records import Stored
from hq.graph.search.embedders import Unavailable
from hq.graph.search.service import Embedders
from hq.graph.view import NodeFilter
from hq.json_types import Props
from hq.memory.confidence import KNOWN, MemoryItem, Recalled, confidence, recall
from hq.memory.similarity import SAME, clash, cosine, same_words, says_the_same
from hq.memory.types import OrgMemory

NEIGHBOURS, NEWEST = 10, 30
CURATED = "curated_for"
UNSEEN = "what the company knows"
"""Said to who does not see what it contradicts."""
Status = Literal["pending", "active", "rejected", "superseded", "expired"]
Category = Literal["decision", "preference", "fact", "lesson_learned", "context"]


class MemoryAddArgs(Args):
    """What to remember."""

    content: str = first(min_length=1, max_length=4000)
    """In plain words, one thing at a time."""
    category: Category = "fact"
    """What sort of memory it is."""
    tags: list[str] = Field(default_factory=list, max_length=20)
    """Words to find it by."""
    confidence: float = Field(1.0, gt=0, le=1)
    """How sure it is, from 0 to 1."""
    expires: MomentText | None = None
    """When it stops being true: a date or a time."""


class MemoryRemembered(Row):
    confidence: float
    merged: bool = False
    """It was known already; that is surer now."""
    contradicts: str | None = None
    """What it cannot be true together with. It waits until that is decided."""
    question: str | None = None
    """Where that is decided."""


@verb(
    "memory.add",
    "write",
    shows=("category",),
    for_=ANYONE,
    undo="exact",
    emits="memory.added",
    examples=[{"content": "The founder prefers short answers.", "category": "preference"}],
    text="hq.memory.memory_text:added",
)
async def add(tx: Tx, args: MemoryAddArgs) -> MemoryRemembered:
    """Remember something for the whole company. What is known already becomes surer; what contradicts it is asked."""
    return await add_memory(tx, args)


async def add_memory(tx: Tx, args: MemoryAddArgs) -> MemoryRemembered:
    """The work of it, also as a part of another verb's."""
    source = _source(tx)
    unsure = source.startswith("agent:") or tx.caller.mark is not None
    until = parse_moment(args.expires, tx.now) if args.expires else None
    near = await near_to(tx, args.content, ("active", "pending"))
    for known, alike in near:
        same = alike >= SAME and says_the_same(args.content, known.props.content) and not over(known, tx)
        # Who does not see it neither hears that it was right nor makes it surer: it has found something of its own.
        if same and await tx.use(Access).sees(tx, known):
            tx.taint |= known.taint
            longer = await tx.change(known, {"expires_at": until}) if until else known
            # What waits for a look is not looked at by whoever finds it once more.
            waits = unsure and known.props.status == "pending"
            return _as_remembered(longer if waits else await reinforce(tx, longer), tx, merged=True)
    # Somebody's word is not held up by what nobody has looked at; two such findings are asked about.
    against = next(
        (
            known
            for known, _ in near
            if clash(args.content, known.props.content)
            and (unsure or known.props.status == "active")
            and not over(known, tx)
        ),
        None,
    )
    memory = await tx.create(
        OrgMemory(
            category=args.category,
            content=args.content,
            source=source,
            status="pending" if against or unsure else "active",
            expires_at=until,
            last_validated_at=tx.now,
        ),
        tags=args.tags,
        confidence=args.confidence,
    )
    tx.target = memory
    told = _as_remembered(memory, tx)
    if against is None:
        return told
    question = await ask_which_holds(tx, against, memory)
    if not await tx.use(Access).sees(tx, against):  # that it is asked about, it may know; not what is known
        return told.model_copy(update={"contradicts": UNSEEN})
    return told.model_copy(update={"contradicts": against.slug, "question": question})


class MemorySearchArgs(Args):
    """What to look for."""

    query: str = first(min_length=1, max_length=2000)
    """A question, or words."""
    limit: int = Field(10, ge=1, le=50)
    """How many at most."""
    status: Status = "active"
    """Only in this state; a decision is active once it is accepted, and pending while it is proposed."""


@verb("memory.search", "read", shows=("limit",), for_=EVERYONE, examples=[{"query": "how long should answers be?"}])
async def search(tx: Tx, args: MemorySearchArgs) -> Listing[MemoryItem]:
    """What the company remembers and decided, best first, with how sure that is now."""
    return Listing[MemoryItem](
        items=[hit.as_dict() for hit in await recall(tx, args.query, KNOWN, args.limit, args.status)]
    )


class MemoryListArgs(Args):
    """Which memories."""

    status: Status | None = None
    """Only in this state; `pending` are those that wait for a look."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""


@verb("memory.list", "read", for_=EVERYONE, examples=[{}, {"status": "pending"}])
async def list_(tx: Tx, args: MemoryListArgs) -> Listing[MemoryItem]:
    """What the company remembers, newest first; with a state, what waits for a look or was put away."""
    found = await tx.find(NodeFilter(types=[OrgMemory.type], status=args.status, limit=args.limit))
    return Listing[MemoryItem](items=[Recalled(each, confidence(each, tx.true_at), 0).as_dict() for each in found])


OWN = Touch("ref", "memory", operator="own")
"""An agent puts an end to its own findings, the CEO and people to any."""


class MemoryRefArgs(Args):
    """Which memory."""

    ref: Ref = first()
    """Its slug."""


class MemoryShown(Result):
    slug: str
    content: str
    category: str
    source: str
    status: str
    confidence: float
    """How sure it is now."""


@verb("memory.show", "read", for_=EVERYONE, target="ref")
async def show(tx: Tx, args: MemoryRefArgs) -> MemoryShown:
    """One memory: what it says, where it comes from, how sure it is now."""
    tx.target = memory = await tx.get(args.ref, OrgMemory)
    props = memory.props.model_dump(mode="json", exclude_none=True)
    extra = {"tags": list(memory.tags), "since": memory.created_at.isoformat(), "id": str(memory.id)}
    return MemoryShown.model_validate({"slug": memory.slug, **props, "confidence": _sure(memory, tx), **extra})


@verb("memory.why", "read", for_=EVERYONE, target="ref")
async def why(tx: Tx, args: MemoryRefArgs) -> Result:
    """Why a memory is there: who said it, when, on what ground, and what became of it."""
    memory = await tx.get(args.ref, OrgMemory)
    return await explained(tx, GraphWhyArgs.model_validate({"ref": str(memory.id)}))


@verb(
    "memory.confirm",
    "write",
    for_=STAFF,
    touches=Touch("ref", "found_memory", operator="own"),
    undo="exact",
    emits="memory.confirmed",
    target="ref",
)
async def confirm(tx: Tx, args: MemoryRefArgs) -> MemoryRemembered:
    """Say that a memory still holds: it becomes surer. One that waited for a look is taken over."""
    memory = await tx.get(args.ref, OrgMemory)
    if memory.props.status != "active":
        await _check_free(tx, memory)
    return _as_remembered(await reinforce(tx, memory), tx)


async def _check_free(tx: Tx, memory: Stored[OrgMemory]) -> None:
    """Two that cannot both be true are never both believed."""
    for known, _ in await near_to(tx, memory.props.content):
        if known.id != memory.id and clash(memory.props.content, known.props.content) and not over(known, tx):
            raise Refused.conflict(
                f"{known.slug} says otherwise: {known.props.content}",
                hint=f"`hq memory replace --old {known.slug} --new {memory.slug}` lets the new one take its place",
            )


@verb("memory.reject", "write", for_=STAFF, touches=OWN, undo="exact", emits="memory.rejected", target="ref")
async def reject(tx: Tx, args: MemoryRefArgs) -> Row:
    """Say that a memory does not hold; it is no longer used."""
    tx.target = memory = await tx.move(await tx.get(args.ref, OrgMemory), to="rejected")
    return row(memory)


class MemoryCurateArgs(MemoryRefArgs):
    """Which memory, and for whom."""

    for_: list[Ref] = Field(default_factory=list, max_length=50)
    """Agents, personas, seats or organisations that are to know it."""
    not_for: list[Ref] = Field(default_factory=list, max_length=50)
    """Of these, those that are not any more."""


class MemoryCurated(Row):
    curated_for: list[str]
    """Who knows it, beside those who see everything."""


@verb(
    "memory.curate",
    "write",
    shows=("for",),
    for_=LEADERS,
    undo="exact",
    emits="memory.curated",
    target="ref",
    text="{slug} is known to [{curated_for}]",
)
async def curate(tx: Tx, args: MemoryCurateArgs) -> MemoryCurated:
    """Choose who is to know a memory: an agent sees of what the company knows what was chosen for it."""
    memory = await tx.get(args.ref, OrgMemory)
    await curated(tx, memory, await tx.get_all(args.for_))
    for other in await tx.get_all(args.not_for):
        await tx.unlink(memory, CURATED, other)
    tx.target = memory
    known = [link.other_slug for link in await tx.links(memory, edge=CURATED)]
    return MemoryCurated.model_validate({**memory.brief(), "curated_for": known})


async def curated(tx: Tx, memory: Stored[OrgMemory], whom: Sequence[Stored[Any]]) -> None:
    known = {link.other_id for link in await tx.links(memory, edge=CURATED)}
    for other in whom:
        if other.id not in known:
            await tx.link(memory, CURATED, other)


class MemoryReviewArgs(Args):
    """Which findings."""

    limit: int = Field(50, ge=1, le=200)
    """How many at most."""


@verb("memory.review", "read", for_=LEADERS, examples=[{}], text="hq.memory.memory_text:review")
async def review(tx: Tx, args: MemoryReviewArgs) -> Listing:
    """What agents found and nobody has looked at yet: `confirm` takes one over, `reject` does not."""
    found = await tx.find(NodeFilter(types=[OrgMemory.type], status="pending", limit=args.limit))
    return Listing(items=[Recalled(each, confidence(each, tx.true_at), 0).as_dict() for each in found])


class MemoryReplaceArgs(Args):
    """Which memory takes the place of which."""

    old: Ref
    """What no longer holds."""
    new: Ref
    """What holds instead."""


@verb("memory.replace", "write", for_=LEADERS, undo="exact", emits="memory.replaced", target="new")
async def replace(tx: Tx, args: MemoryReplaceArgs) -> Row:
    """Let one memory take another's place; the old one stays to be looked up."""
    return row(await supersede(tx, await tx.get(args.old, OrgMemory), await tx.get(args.new, OrgMemory)))


async def supersede(tx: Tx, old: Stored[OrgMemory], new: Stored[OrgMemory]) -> Stored[OrgMemory]:
    await tx.move(old, to="superseded")
    tx.target = new = await reinforce(tx, new)
    await tx.link(new, "supersedes", old)
    return new


@verb("memory.archive", "write", for_=STAFF, touches=OWN, undo="exact", emits="memory.archived", target="ref")
async def archive(tx: Tx, args: MemoryRefArgs) -> Row:
    """Put a memory away: out of sight, never gone."""
    tx.target = memory = await tx.archive(await tx.get(args.ref, OrgMemory))
    return row(memory)


async def near_to(
    tx: Tx, content: str, states: Sequence[Status] = ("active",)
) -> list[tuple[Stored[OrgMemory], float]]:
    """What may say the same or the opposite, likest first: what a search finds, and what it cannot find yet."""
    some: dict[UUID, Stored[OrgMemory]] = {}
    with tx.looking():
        for state in states:
            some |= {
                hit.memory.id: hit.memory for hit in await recall(tx, content[:2000], [OrgMemory], NEIGHBOURS, state)
            }
            newest = await tx.find(NodeFilter(types=[OrgMemory.type], status=state, limit=NEWEST))
            some |= {memory.id: memory for memory in newest}
    return await _by_likeness(tx, content, list(some.values()))


async def _by_likeness(tx: Tx, content: str, some: list[Stored[OrgMemory]]) -> list[tuple[Stored[OrgMemory], float]]:
    alike = await _likeness(tx, content, [memory.props.content for memory in some])
    return sorted(zip(some, alike, strict=True), key=lambda pair: -pair[1])


async def _likeness(tx: Tx, content: str, others: list[str]) -> list[float]:
    exact = [1.0 if same_words(content, other) else 0.0 for other in others]
    embedder = tx.use(Embedders).set
    if embedder is None or not others:
        return exact
    try:
        mine, *theirs = await embedder.embed([content, *others])
    except Unavailable:
        return exact
    return [max(sure, cosine(mine, other)) for sure, other in zip(exact, theirs, strict=True)]


def over(memory: Stored[OrgMemory], tx: Tx) -> bool:
    """Its time has passed, whether or not somebody has put it away yet."""
    return memory.props.expires_at is not None and memory.props.expires_at <= tx.now


async def reinforce(tx: Tx, memory: Stored[OrgMemory]) -> Stored[OrgMemory]:
    """Half of the doubt goes with every confirmation, and time begins anew."""
    surer = 1 - (1 - confidence(memory, tx.now)) / 2
    changes: Props = {"last_validated_at": tx.now}
    if memory.props.status != "active":
        changes["status"] = "active"
    tx.target = memory = await tx.change(memory, changes, confidence=round(surer, 4))
    return memory


async def ask_which_holds(tx: Tx, known: Stored[OrgMemory], heard: Stored[OrgMemory]) -> str:
    """A contradiction is somebody's to decide, never the machine's."""
    tx.taint |= known.taint
    made = await proposed(
        tx,
        Proposal(
            kind="memory_conflict",
            body=f"So far: {known.props.content}\nNow heard: {heard.props.content}\nDoes the new one hold instead?",
            evidence={"known": known.slug, "heard": heard.slug, "source": heard.props.source},
            change={"verb": "memory.replace", "args": {"old": known.slug, "new": heard.slug}},
        ),
    )
    tx.target = heard
    tx.emit("proposal.proposed", slug=made.slug, id=str(made.id))
    return made.slug


def _source(tx: Tx) -> str:
    """Who says so. What a worker finds is a finding of the agent it works for, the CEO's own too."""
    return "ceo" if tx.caller.role == "ceo" else tx.caller.speaks_for


def _sure(memory: Stored[OrgMemory], tx: Tx) -> float:
    return round(confidence(memory, tx.true_at), 2)


def _as_remembered(memory: Stored[OrgMemory], tx: Tx, *, merged: bool = False) -> MemoryRemembered:
    return MemoryRemembered.model_validate({**memory.brief(), "confidence": _sure(memory, tx), "merged": merged})


VERBS = (add, search, list_, show, why, confirm, reject, review, curate, replace, archive)
