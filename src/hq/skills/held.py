"""A held skill: one as this company has it, its own or one that comes with hq, and which agents have it.

What comes with hq and only looks is there from the first day: enabled, and the CEO's and the operator's, for this machine. For any other
machine, and for any other agent, it is given like every skill.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hq.artifacts.store import bytes_of
from hq.door.caller import FOUNDER
from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.org.agent import Agent
from hq.skills.shipped import is_shipped, shipped, shipped_folder
from hq.skills.types import Skill

MANY = 500
LEADING = ("ceo", "operator")
"""The kinds of agents that have from the first day what only looks at this machine."""


@dataclass(frozen=True)
class HeldSkill:
    """A skill, and the node of it where there is one."""

    slug: str
    skill: Skill
    node: Stored[Skill] | None
    ours: bool
    """It is as it comes with hq, so it may run on this machine too."""

    @property
    def looks(self) -> bool:
        """Ours, and nothing it does changes anything."""
        return self.ours and all(command.effect == "read" for command in self.skill.commands)

    @property
    def status(self) -> str:
        return self.node.props.status if self.node else "enabled" if self.looks else "available"

    @property
    def enabled(self) -> bool:
        return self.status == "enabled"

    async def files(self, tx: Tx) -> dict[str, bytes]:
        if self.ours or self.node is None:
            return shipped()[self.slug]
        return await contents_of(tx, self.node)


async def held(tx: Tx, name: str) -> HeldSkill | None:
    """The skill of that name: the company's own, or one that comes with hq."""
    node = await tx.look_up(name, Skill)
    if node is not None and node.archived_at is not None:
        node = None
    if node is not None and not is_ours(node):
        return HeldSkill(node.slug, node.props, node, ours=False)
    if name not in shipped():
        return None
    return HeldSkill(name, shipped_folder(name).skill, node, ours=True)


def is_ours(node: Stored[Skill]) -> bool:
    """It was made from what comes with hq, with this one or with one before it: then it is as this one brings it."""
    brought = any(mark.startswith("skill:") for mark in node.taint)
    return node.slug in shipped() and (not brought or is_shipped(node.slug, node.props.files))


@dataclass(frozen=True)
class SkillLoans:
    """Skills that are somebody's for a while, as a room above knows it: of one, the agents that have it by a brief."""

    lent: Callable[[Tx, str], Awaitable[frozenset[str]]]


async def holders(tx: Tx, skill: HeldSkill, *, elsewhere: bool = False) -> frozenset[str]:
    """The agents that have it; for another machine only those to which it was given."""
    given: list[Stored[Agent]] = []
    if skill.node is not None:
        related = [EdgeFilter("has_skill", skill.node.id)]
        given = await tx.find(NodeFilter(types=[Agent.type], related=related, limit=MANY))
    if skill.looks and not elsewhere:
        for kind in LEADING:
            given += await tx.find(NodeFilter(types=[Agent.type], props={"kind": kind}, limit=MANY))
    found = frozenset(agent.slug for agent in given)
    if skill.enabled:
        found |= await tx.use(SkillLoans).lent(tx, skill.slug)
    return found | {FOUNDER} if skill.looks and not elsewhere else found  # a worker of the founder's own looks too


async def contents_of(tx: Tx, node: Stored[Skill]) -> dict[str, bytes]:
    found = {}
    for file in node.props.files:
        content = await bytes_of(tx, bytes.fromhex(file.hash))
        if content is None:
            raise Refused.conflict(f"{file.path} of {node.slug} is not kept any more", hint="import the skill again")
        found[file.path] = content
    return found
