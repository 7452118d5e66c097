"""Fit of a model to a mission: what the work needs of whoever thinks about it, and whether an agent's model has that."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.minds.capability import ModelCapability, capability
from hq.minds.service import Minds
from hq.minds.tokens import estimate
from hq.missions.types import Mission
from hq.org.agent import Agent

PICTURES = re.compile(
    r"\b(screenshots?|photos?|photographs?|pictures?|images?|scans?|scanned|drawings?|mock-?ups?|handwrit\w+|logos?|diagrams?)\b",
    re.IGNORECASE,
)
"""Words of a mission for which something has to be looked at."""
BEGINS_WITH = 16_000
"""Tokens that a mission takes at once beside its own words: who the agent is, its tools, and a few results."""


@dataclass(frozen=True)
class ModelNeeds:
    sees: bool
    reads: int
    """Tokens at once."""


def needs_of(mission: Mission) -> ModelNeeds:
    text = "\n".join(
        filter(None, (mission.title, mission.description, mission.context_notes, *mission.acceptance_criteria))
    )
    return ModelNeeds(bool(PICTURES.search(text)), BEGINS_WITH + 2 * estimate(text))


async def capability_of(tx: Tx, agent: Stored[Agent]) -> ModelCapability | None:
    """Of the model that answers for an agent now; nothing where the script does, and of earlier moments nobody kept it."""
    if tx.as_of is not None:
        return None
    minds = await tx.use(Minds).company(tx.caller.tenant_id, tx.conn)
    chain = minds.choice("default", agent.props.model).chain
    return capability(chain[0]) if chain else None
