"""An actor's name, as history keeps it: what sort of principal goes by it, and who may end what that one put to rest."""

from __future__ import annotations

from hq.errors import Refused
from hq.grammar import with_article
from hq.graph.slugs import slugify

FOUNDER = "founder"
PEOPLE = (FOUNDER, "user", "device")
"""How the names begin under which people act."""
HOUSE_ACTOR = "service:hq"


def principal_of(actor: str | None) -> tuple[str, str | None]:
    """What sort of principal goes by this name, and of which agent it is. Nobody known is taken for the founder."""
    if actor == HOUSE_ACTOR:
        return "house", None
    kind, _, rest = (actor or FOUNDER).partition(":")
    return "founder" if kind in PEOPLE else kind, rest.partition("/")[0] if kind in ("agent", "worker") else None


def name_of(kind: str, said: str) -> str:
    """The slug of a principal by the name somebody says: `chief` or `agent:chief`, in any case. Another kind's name is refused, and
    so is what is no name: nobody is made under a name that was not said."""
    before, colon, name = (part.strip() for part in said.rpartition(":"))
    if colon and before.lower() != kind:
        raise Refused.invalid(f"{said!r} is no name of {with_article(kind)}; say {kind}:{slugify(name)}")
    if not name or "/" in name or "\\" in name:
        raise Refused.invalid(f"{said!r} is no name of {with_article(kind)}; say one such as {kind}:scout")
    return slugify(name)


def named(actor: str | None) -> str:
    """Who did something, as a person would say it."""
    kind, _ = principal_of(actor)
    return "the founder" if kind == "founder" else "the house" if kind == "house" else str(actor)


def who_lifts(actor: str | None) -> str:
    """Who may end what this one put to rest."""
    kind, agent = principal_of(actor)
    if kind == "house":
        return "whoever may change it"
    return f"{agent}, who leads {agent}, and the founder" if agent else "the founder"
