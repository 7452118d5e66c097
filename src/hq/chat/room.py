"""The front of the room `chat`: what it brings."""

from __future__ import annotations

from hq.agents.conversation_hooks import ConversationHooks
from hq.chat import run_verbs, verbs
from hq.chat.owners import owner_of_founders_conversation
from hq.room import Room

ROOM = Room(
    name="chat",
    verbs=(*verbs.VERBS, *run_verbs.VERBS),
    owners={"founders_conversation": owner_of_founders_conversation},
    services=(
        lambda wiring: run_verbs.RunLimits(wiring.run_timeout),
        lambda _: ConversationHooks(summed_up="chat.sum_up", joined="chat.join", run_ended="run.finish"),
    ),
    tables=("chat_reads",),
)
