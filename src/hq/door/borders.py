"""Borders between agents: what their files say that they own, and what they never do."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from hq.errors import Refused

if TYPE_CHECKING:
    from hq.door.caller import Caller
    from hq.door.verb import Verb


@dataclass(frozen=True)
class Share:
    """What one agent's file says it owns, and what it never does (002 §16.6, §17.1)."""

    agent: str
    owns: tuple[str, ...]
    never: tuple[str, ...]


def check_borders(caller: Caller, verb: Verb) -> None:
    """Borders are between agents that declare what they own; who declares nothing has none. A worker has those of who
    spawned it, and a service does what an agent owns only where its token names that."""
    if not caller.shares or not verb.changes or verb.internal:
        return
    if caller.agent is None:
        owner = next((share.agent for share in caller.shares if _covered(share.owns, verb)), None)
        if owner and not caller.scopes & {f"{verb.scope}:{verb.noun}", verb.name}:
            raise across(caller.actor, verb.name, owner)
        return
    own = next((share for share in caller.shares if share.agent == caller.agent), None)
    if own and not _covered(own.owns, verb):
        others = (share.agent for share in caller.shares if share is not own and _covered(share.owns, verb))
        owner = next(others, None)
        if owner or _covered(own.never, verb):
            raise across(own.agent, verb.name, owner)


def across(who: str, verb: str, owner: str | None) -> Refused:
    whose = f"{owner}'s" if owner else "not an agent's"
    hint = (
        f'`hq agent send {owner} "…"`: say what you need, why, and the slugs it is about'
        if owner
        else "`hq proposal propose` puts it before the founder"
    )
    return Refused(
        f"{verb} is {whose} to call, not {who}'s", code="cross_scope_violation", hint=hint, ask=owner or "founder"
    )


def _covered(patterns: tuple[str, ...], verb: Verb) -> bool:
    return any(covers(pattern, verb.name, verb.kind) for pattern in patterns)


def covers(pattern: str, name: str, kind: str) -> bool:
    """`entity.*` by name; `effect:*` whatever reaches outside, by any name."""
    wanted, colon, rest = pattern.partition(":")
    if colon and wanted == "effect":
        return kind == "effect" and fnmatchcase(name, rest)
    return fnmatchcase(name, pattern)
