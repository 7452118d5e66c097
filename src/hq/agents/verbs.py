"""The noun agent: who works here."""

from __future__ import annotations

from hq.agents import beats, control, loading, tending, waking
from hq.agents.supervision import supervisor
from hq.agents.types import Agent
from hq.door.nouns import nouns

VERBS = (
    *nouns(Agent, examples={"create": [{"name": "scout", "role": "Scout"}]}),
    *waking.VERBS,
    *loading.VERBS,
    *control.VERBS,
    *beats.VERBS,
    *tending.VERBS,
    *supervisor.VERBS,
)
