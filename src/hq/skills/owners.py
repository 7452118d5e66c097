"""Owners of skills: the agents that have one. What is mandatory is everybody's; for what one has not, the founder is asked."""

from __future__ import annotations

import re
from typing import Any

from hq.door.access import Owner, Touch
from hq.door.tx import Tx
from hq.json_types import CallArgs
from hq.skills.held import held, holders

_LOCAL = re.compile(r"(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)(?::\d{1,5})?|/[^:@]*", re.IGNORECASE)
"""An address of this machine, or a path on it."""


def elsewhere(args: Any) -> bool:
    """Whether a run concerns any machine but this one: it goes there, or is told to reach it from here."""
    return args.host is not None or any(map(_names_another, _texts(getattr(args, "args", {}))))


def _texts(given: CallArgs) -> list[str]:
    """What may name a machine: addresses, certificates and repositories. Services and tools are names on this one."""
    named = [given.get(name) for name in ("reach", "certificates", "path")]
    return [str(text) for each in named if each for text in (each if isinstance(each, list) else [each])]


def _names_another(text: str) -> bool:
    return not _LOCAL.fullmatch(text)


GIVEN = tuple(
    Touch("skill", noun, ceo="own", operator="own", house="own", beyond="ask", when=when)
    for noun, when in (("skill", lambda args: not elsewhere(args)), ("skill_elsewhere", elsewhere))
)


async def owner_of_skill(tx: Tx, ref: str) -> Owner | None:
    return await _owner(tx, ref)


async def owner_elsewhere(tx: Tx, ref: str) -> Owner | None:
    """Whose it is for other machines than this one: theirs alone to whom it was given."""
    return await _owner(tx, ref, elsewhere=True)


async def _owner(tx: Tx, ref: str, *, elsewhere: bool = False) -> Owner | None:
    skill = await held(tx, ref)
    if skill is None or (skill.node is not None and skill.node.props.mandatory):
        return None
    return Owner(skill.slug, await holders(tx, skill, elsewhere=elsewhere))
