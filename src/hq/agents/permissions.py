"""Permissions of agents: each owns its verbs, and whoever reaches across is told whom to ask (002 §16.6, §17.1)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any
from uuid import UUID

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.errors import Refused

SQL = beside(__file__)
FRESH = 2.0
"""Seconds for which what was read of a company's agents is good; who changes them in this process says so."""
OWN_RULES = ("agent.create", "agent.update", "agent.archive", "agent.restore")


@dataclass(frozen=True)
class Share:
    """What one agent owns, and what it never does."""

    agent: str
    owns: tuple[str, ...]
    never: tuple[str, ...]


class Permissions:
    """The policy for the door. Borders are between those that declare what they own; who declares nothing has none."""

    def __init__(self) -> None:
        self._known: dict[UUID, tuple[float, tuple[Share, ...]]] = {}

    def forget(self, tenant: UUID) -> None:
        self._known.pop(tenant, None)

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if not verb.changes or verb.internal or tx.call.inside or tx.caller.human or tx.caller.house:
            return None  # a step of another call was judged with that one
        agent = tx.caller.agent  # a worker has the borders of who spawned it
        shares = await self._shares(tx)
        if agent is None:
            return self._judge_service(tx, verb, shares)
        own = next((share for share in shares if share.agent == agent), None)
        if own and not _covered(own.owns, verb):
            owner = next((share.agent for share in shares if share.agent != agent and _covered(share.owns, verb)), None)
            if owner or _covered(own.never, verb):
                raise across(agent, verb.name, owner)
        return "system" if verb.name in OWN_RULES else None

    def _judge_service(self, tx: Tx, verb: Verb, shares: tuple[Share, ...]) -> str | None:
        """A service does what an agent owns only where its token names that; to write in general is not enough."""
        owner = next((share.agent for share in shares if _covered(share.owns, verb)), None)
        if owner and not tx.caller.scopes & {f"{verb.scope}:{verb.noun}", verb.name}:
            raise across(tx.caller.actor, verb.name, owner)
        return "system" if verb.name in OWN_RULES else None

    async def _shares(self, tx: Tx) -> tuple[Share, ...]:
        tenant, now = tx.caller.tenant_id, time.monotonic()
        read_at, shares = self._known.get(tenant, (0.0, ()))
        if now - read_at > FRESH or not read_at:
            rows = await tx.rows(SQL["shares"])
            shares = tuple(Share(row.slug, tuple(row.owns), tuple(row.never)) for row in rows)
            self._known[tenant] = (now, shares)
        return shares


def across(agent: str, verb: str, owner: str | None) -> Refused:
    whose = f"{owner}'s" if owner else "not an agent's"
    hint = (
        f'`hq agent send {owner} "…"`: say what you need, why, and the slugs it is about'
        if owner
        else "`hq proposal propose` puts it before the founder"
    )
    return Refused(
        f"{verb} is {whose} to call, not {agent}'s", code="cross_scope_violation", hint=hint, **_named(owner)
    )


def _named(owner: str | None) -> dict[str, str]:
    return {"ask": owner} if owner else {"ask": "founder"}


def _covered(patterns: Sequence[str], verb: Verb) -> bool:
    return any(covers(pattern, verb.name, verb.kind) for pattern in patterns)


def covers(pattern: str, name: str, kind: str) -> bool:
    """`entity.*` by name; `effect:*` whatever reaches outside, by any name."""
    wanted, colon, rest = pattern.partition(":")
    if colon and wanted == "effect":
        return kind == "effect" and fnmatchcase(name, rest)
    return fnmatchcase(name, pattern)
