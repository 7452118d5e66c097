"""The front of the room `ceo`: what it brings."""

from __future__ import annotations

from hq.asks.word import AskCard
from hq.ceo import brief, capture, cards, heartbeat, onboarding, tick
from hq.room import Room

ROOM = Room(
    name="ceo",
    verbs=(*cards.VERBS, *tick.VERBS, *brief.VERBS, *capture.VERBS, *onboarding.VERBS),
    kinds=cards.KINDS,
    services=(lambda _: AskCard("card.send"),),
    jobs=(*brief.JOBS, *capture.JOBS, *heartbeat.JOBS),
    tables=("occurrences",),
    sql=("functions.sql",),
)
