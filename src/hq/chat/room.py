"""The front of the room `chat`: what it brings."""

from __future__ import annotations

from hq.chat import agent_status, run_verbs, verbs
from hq.chat.owners import owner_of_founders_conversation
from hq.room import Room
from hq.sessions.conversation_hooks import ConversationHooks

ROOM = Room(
    name="chat",
    verbs=(*verbs.VERBS, *agent_status.VERBS, *run_verbs.VERBS),
    nouns={
        "chat": "The conversation with the CEO: talk, read what was said, see how it is.",
        "run": "Something the supervisor is asked to do in one go: start it, follow it, see what came of it.",
    },
    owners={"founders_conversation": owner_of_founders_conversation},
    services=(
        lambda wiring: run_verbs.RunLimits(wiring.run_timeout),
        lambda _: ConversationHooks(summed_up="chat.sum_up", joined="chat.join", run_ended="run.finish"),
    ),
    tables=("chat_reads",),
)
