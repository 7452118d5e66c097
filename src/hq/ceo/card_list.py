"""Cards as they are looked up: what the CEO put before the founder, and what became of it."""

from __future__ import annotations

from pydantic import Field

from hq.ceo.cards import SQL, CardShowArgs
from hq.ceo.rows import CardRow
from hq.chat.card_shape import CardItem
from hq.door.access import STAFF
from hq.door.results import Page, page
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.errors import Refused
from hq.ids import parse_id
from hq.sessions.session_verbs import EXAMPLE, moment


class CardListArgs(Args):
    """Which cards."""

    open: bool = False
    """Only those that nobody has answered and that are still of use."""
    asks: bool = False
    """Only those that want a decision; the others tell something, or lead to where it is decided."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""
    after: str | None = Field(default=None, max_length=60)
    """The `next` of the page before."""


@verb("card.list", "read", for_=STAFF, examples=[{}, {"open": True}], text="hq.chat.card_text:cards")
async def list_(tx: Tx, args: CardListArgs) -> Page[CardItem]:
    """What the CEO put before the founder, newest first."""
    values = {"open": args.open, "asks": args.asks, "limit": args.limit + 1, "now": tx.now, "then": moment(tx)}
    values["sees"] = await tx.seen_agents()
    rows = await tx.rows(SQL["cards"], values | {"before": parse_id(args.after) if args.after else None}, into=CardRow)
    return page(rows, args.limit, lambda row: row.id, lambda row: row.shape)


class CardShown(Result):
    id: str
    kind: str
    title: str
    state: str
    """open, held, pressed, or over because nobody needs an answer any more."""


@verb("card.show", "read", for_=STAFF, examples=[{"card": EXAMPLE}], text="hq.chat.card_text:card")
async def show(tx: Tx, args: CardShowArgs) -> CardShown:
    """One card: what it says, its buttons, and which was pressed."""
    values = {"id": parse_id(args.card), "now": tx.now, "then": moment(tx), "sees": await tx.seen_agents()}
    found = await tx.scalar(SQL["card"], values, of=dict)
    if found is None:
        raise Refused.not_found(f"there is no card {args.card!r}; `hq card list` shows them")
    return CardShown.model_validate(found)


VERBS = (list_, show)
