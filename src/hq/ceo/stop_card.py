"""The stop card: the kill switch put before the founder, in the house's own words. Whoever presses it stops everything at once."""

from __future__ import annotations

from hq.ceo.card_parts import Button, Content
from hq.ceo.cards import CardSent, put
from hq.door.access import LEADERS
from hq.door.tx import Tx
from hq.door.verb import Args, verb

CONTENT = Content(
    kind="attention",
    severity="critical",
    title="Stop everything?",
    text="Nobody changes anything until you let it go on, with `hq thaw` or by “let it go on” in this conversation. What is under way stays as it is.",
    buttons=[
        Button(key="freeze", label="Stop everything", verb="freeze.set", args={"scope": "all"}, main=True),
        Button(key="leave", label="Go on as it is"),
    ],
)


class CardOfferFreezeArgs(Args):
    """Nothing to say: there is one such card."""


@verb("card.offer_freeze", "write", for_=LEADERS, emits="card.sent", examples=[{}])
async def offer_freeze(tx: Tx, args: CardOfferFreezeArgs) -> CardSent:
    """Put the kill switch before the founder: a card whose button stops everything at once. Use when they want everything to stop."""
    marks = set(tx.taint)
    tx.taint.clear()  # whatever was read before, nothing of it is on this card
    sent = await put(tx, CONTENT)
    tx.taint |= marks
    return sent


VERBS = (offer_freeze,)
