"""Offers about a mission, such as its plan or other terms: who gave the mission answers them, the CEO or the founder."""

from __future__ import annotations

from hq.asks.proposals import NamedProposalOffer
from hq.asks.types import Proposal
from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.missions.parties import about_mission, commands


class MissionOffer(NamedProposalOffer):
    """What whoever works on a mission asks of who gave it. It is work, no permission."""

    permission, severity = False, "warning"

    async def may_answer(self, tx: Tx, ask: Stored[Proposal]) -> bool:
        return await commands(tx, await about_mission(tx, ask))
