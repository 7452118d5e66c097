"""The front of the room `ceo`: what it brings."""

from __future__ import annotations

from hq.asks.word import AskCard
from hq.ceo import brief, capture, card_list, cards, heartbeat, onboarding, prompt, stop_card, tick
from hq.room import Room

ROOM = Room(
    name="ceo",
    verbs=(
        *cards.VERBS,
        *card_list.VERBS,
        *stop_card.VERBS,
        *tick.VERBS,
        *prompt.VERBS,
        *brief.VERBS,
        *capture.VERBS,
        *onboarding.VERBS,
    ),
    nouns={
        "card": "What the CEO puts before the founder in the conversation, with buttons that act once.",
        "ceo": "The CEO by itself: what it notices, what it does about it, what changed, when it keeps quiet.",
        "onboard": "The questions that make a working company, and how far they are answered.",
    },
    kinds=cards.KINDS,
    services=(lambda _: AskCard("card.send"),),
    jobs=(*brief.JOBS, *capture.JOBS, *heartbeat.JOBS),
    tables=("occurrences",),
    sql=("unheard.sql", "notice.sql", "functions.sql"),
)
