"""`hq ask list|show|answer|withdraw|snooze`: whatever waits for somebody's word, in one place; `hq inbox` for short."""

from __future__ import annotations

from pydantic import Field

from hq.asks.answer import AskAnswered, WhichAsk, answer, found
from hq.asks.faces import DrawnAsk, draw_all
from hq.asks.kinds import Kinds
from hq.asks.open_asks import before, one, waiting
from hq.asks.snooze import Later, put_off
from hq.asks.withdrawal import withdraw
from hq.asks.word import line_of
from hq.door.access import EVERYONE, FOUNDER, PEOPLE_AND_STAFF, Touch
from hq.door.results import Listing, Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, verb

EVERYBODY = "all"
COUNTED = 2000
"""How many are looked through at most, and counted."""


class ListAsks(Args):
    """Whose asks, and of which sort."""

    to: str | None = Field(None, max_length=200)
    """For whom they wait: `founder`, an actor such as agent:chief, or `all`; left out, for you, and for the CEO also
    what waits for the founder."""
    type: str | None = Field(None, max_length=40)
    """Only of this type: approval, proposal, review, escalation or question."""
    kind: str | None = Field(None, max_length=60)
    """Only of this kind, such as plan or org_change."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""


class WaitingItem(DrawnAsk):
    """An ask, and what it is in one line."""

    line: str


class WaitingList(Listing[WaitingItem]):
    """Some of what waits, and how much there is beside it."""

    more: int = 0
    """How many more wait that are not shown here."""


@verb(
    "ask.list",
    "read",
    for_=EVERYONE,
    alias="inbox",
    examples=[{}, {"to": "all", "type": "approval"}],
    text="hq.asks.ask_text:inbox",
)
async def list_(tx: Tx, args: ListAsks) -> WaitingList:
    """What waits for your word: approvals and proposals first, then choices, escalations and questions; oldest first."""
    kinds = tx.use(Kinds)
    types = {each.type.type for each in kinds.kinds if args.kind in (None, each.name)}
    wanted = [each for each in types if args.type in (None, each)]
    if args.to is None:
        found = await before(tx, types=wanted, most=COUNTED)
    else:
        found = await waiting(tx, None if args.to == EVERYBODY else args.to, types=wanted, most=COUNTED)
    found = [each for each in found if args.kind in (None, kinds.of(each.props).name)]
    items: list[WaitingItem] = [{**each, "line": line_of(each)} for each in await draw_all(tx, found[: args.limit])]
    tx.taint |= {mark for each in items for mark in each["taint"]}
    return WaitingList(items=items, more=len(found) - len(items))


class Drawn(Result):
    slug: str
    id: str
    type: str
    kind: str
    title: str
    state: str
    """open, answered, withdrawn or expired."""


@verb("ask.show", "read", for_=EVERYONE, target="ask", examples=[{"ask": "prompt-tweak"}], text="hq.asks.ask_text:ask")
async def show(tx: Tx, args: WhichAsk) -> Drawn:
    """One ask: who asks what, what one should know, the ways to answer, and who answered."""
    ask = await found(tx, args.ask)
    tx.target = ask
    (drawn,) = await draw_all(tx, [await one(tx, ask)])
    return Drawn.model_validate(drawn)


class GiveAnswer(WhichAsk):
    """Which ask, and the answer."""

    option: str | None = Field(None, max_length=100, json_schema_extra={"positional": True})
    """One of its options, by its key; of a permission, which only a person answers, yes or no."""
    text: str | None = Field(None, max_length=20_000)
    """The answer in words, where it takes words; not beside `message`."""
    note: str | None = Field(None, max_length=4000)
    """What the one who asked should know."""
    always_for: str | None = Field(None, max_length=200)
    """Of an approval: from now on without asking, for `any` or the slug it is limited to."""
    days: float | None = Field(None, gt=0, le=3650)
    """How long that lasts."""
    because: list[Ref] = Field(default_factory=list, max_length=10)
    """Of an agent's answer to a question: the memories or decisions it rests on."""
    message: str | None = Field(None, max_length=60)
    """Of the CEO: the founder's message that says so, its id or `last`; the answer is then what it says, so `text` is left out.
    Never for a permission, nor for what you asked yourself."""


@verb(
    "ask.answer",
    "write",
    shows=("option", "text", "message"),
    answers=True,
    for_=PEOPLE_AND_STAFF,
    speaks=True,
    target="ask",
    examples=[{"ask": "prompt-tweak", "option": "yes"}],
    text="answered {type} {slug}: {answer|status}",
)
async def answer_(tx: Tx, args: GiveAnswer) -> AskAnswered:
    """Answer what waits for you. It acts once, however often and from wherever it is answered. A permission (an approval, a proposal)
    is answered by people alone, never by an agent, whatever the founder told it."""
    ask = await found(tx, args.ask)
    terms = {"always_for": args.always_for, "days": args.days, "because": args.because or None}
    return await answer(tx, ask, args.option, args.text, note=args.note, message=args.message, **terms)


class TakeBack(WhichAsk):
    why: str = Field("", max_length=2000)
    """Why nobody has to answer any more."""


@verb(
    "ask.withdraw",
    "write",
    for_=(*PEOPLE_AND_STAFF, "service"),
    touches=Touch("ask", "asked", ceo="own", operator="own"),
    speaks=True,
    target="ask",
    emits="ask.withdrawn",
    examples=[{"ask": "prompt-tweak"}],
)
async def withdraw_(tx: Tx, args: TakeBack) -> Row:
    """Take back what you asked; whoever waited for the answer goes on without."""
    ask = await found(tx, args.ask)
    return row(await withdraw(tx, ask, args.why or tx.call.reason or f"{tx.caller.actor} took it back"))


class Snooze(WhichAsk):
    until: Later = None


@verb(
    "ask.snooze",
    "write",
    for_=FOUNDER,
    scope="founder",
    undo="exact",
    target="ask",
    emits="ask.snoozed",
    examples=[{"ask": "prompt-tweak"}],
)
async def snooze(tx: Tx, args: Snooze) -> Row:
    """Put an ask off; it is neither listed nor brought to mind until then."""
    return row(await put_off(tx, await found(tx, args.ask), args.until))


VERBS = (list_, show, answer_, withdraw_, snooze)
