"""The front of the room `messages`: what it brings."""

from __future__ import annotations

from hq.messages import answers, delivery, inbox, verbs
from hq.messages.owners import (
    owner_of_addressee,
    owner_of_addressee_from_outside,
    owner_of_conversation,
    owner_of_group,
    owner_of_message,
    owner_of_recipient,
)
from hq.room import Room

ROOM = Room(
    name="messages",
    verbs=(*verbs.VERBS, *inbox.VERBS, *delivery.VERBS),
    nouns={
        "message": "What the house does with messages on their way.",
    },
    owners={
        "message": owner_of_message,
        "conversation": owner_of_conversation,
        "addressee": owner_of_addressee,
        "outsiders_addressee": owner_of_addressee_from_outside,
        "recipient": owner_of_recipient,
        "group": owner_of_group,
    },
    kinds=answers.KINDS,
    jobs=delivery.JOBS,
    sql=("functions.sql",),
)
