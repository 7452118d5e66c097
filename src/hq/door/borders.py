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
    if refused := crossed(caller, verb):
        raise refused


def crossed(caller: Caller, verb: Verb) -> Refused | None:
    """What an agent owns is refused to the others. Who declares what it owns itself has no other; who declares nothing has what
    it was given; a worker has the borders of who spawned it. Who is no agent on the record, a service among them, does what
    an agent owns only where its token names that."""
    if not caller.shares or not verb.changes or verb.internal:
        return None
    own = next((share for share in caller.shares if share.agent == caller.agent), None)
    if own is None:
        owner = owner_of_verb(caller, verb)
        if owner and caller.given is None and caller.role is None and not caller.names(verb):
            return across(caller.actor, verb.name, owner)
    elif not _covered(own.owns, verb):
        owner = owner_of_verb(caller, verb)
        if owner or _covered(own.never, verb):
            return across(own.agent, verb.name, owner)
    return None


def owner_of_verb(caller: Caller, verb: Verb) -> str | None:
    """The agent whose file says that it owns a verb, other than who calls."""
    owners = (share.agent for share in caller.shares if share.agent != caller.agent and _covered(share.owns, verb))
    return next(owners, None)


def not_given(caller: Caller, verb: Verb) -> Refused:
    """What is said to who has not been given a verb, in a session and to a token alike: whose it is, and how to get it."""
    owner = owner_of_verb(caller, verb) if verb.changes else None
    whose = f"; it is {owner}'s to call" if owner else ""
    first = f'`hq agent send {owner} "…"` has {owner} do it; ' if owner else ""
    return Refused.forbidden(
        f"{verb.name} is not among your tools{whose}",
        hint=f"{first}`hq tools request` asks the founder for it, with why; `hq help` lists what you have",
        ask=owner or "founder",
    )


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
