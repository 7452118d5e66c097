"""Proposed calls: which calls a proposal may carry, and what the house calls them on its face."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hq.asks.asked_text import doing
from hq.asks.quotation import in_line
from hq.door.gate import by_table
from hq.door.verb import Verb
from hq.errors import Refused

FITS: Mapping[str, frozenset[str]] = {
    "prompt_tweak": frozenset(("persona", "skill", "playbook", "lesson")),
    "org_change": frozenset(("org", "organisation", "role", "position", "position_assignment", "agent", "persona")),
}
"""Of kinds whose name says what would change: the nouns of the calls that do so."""
SHOWN, LONGEST = 3, 40
"""How many arguments stand on a button, and how much of each; all of it stands beside it."""


def check_proposable(verb: Verb, kind: str) -> None:
    """A yes to a proposal makes one change of the company. It gives no other yes, speaks for nobody, and hands out no rights:
    for each of these the founder is asked in its own way, where the house says what is asked."""
    why = None
    if verb.secret:
        why = f"{verb.name} takes a secret, and a proposal is read by many; call it directly"
    elif verb.answers or verb.speaks:
        why = f"{verb.name} speaks or answers for somebody; a proposal makes changes, and no word in another's name"
    elif verb.scope in ("founder", "install"):
        why = (
            f"{verb.name} is the founder's alone, and no proposal carries it; say in `body` what the founder should do"
        )
    elif verb.internal or not verb.for_:
        why = f"{verb.name} is a step of the house's own work; a proposal carries calls that somebody makes"
    elif verb.noun not in FITS.get(kind, (verb.noun,)):
        why = f"{verb.name} is no {kind.replace('_', ' ')}; give the proposal a kind that says what it changes"
    elif _is_asked_about(verb) and verb.noun not in FITS.get(kind, kind.split("_")):
        why = f"{verb.name} is no small change; give the proposal a kind that names it, such as {verb.noun}_change"
    if why:
        raise Refused.invalid(f"change: {why}")


def _is_asked_about(verb: Verb) -> bool:
    """Whether a company of usual caution is asked before such a call: the name of a proposal of one says what it is about."""
    return by_table(verb.gate, "balanced") == "ask"


def doing_with(verb: str, args: Mapping[str, Any]) -> str:
    """What a call does, and with what, as short as a button."""
    told = [f"{name.replace('_', ' ')}: {_short(value)}" for name, value in args.items() if _plain(value)]
    more = ["…"] if len(told) > SHOWN or len(told) < len(args) else []
    return doing(verb) + (f" ({', '.join([*told[:SHOWN], *more])})" if args else "")


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _short(value: Any) -> str:
    text = in_line(str(value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
