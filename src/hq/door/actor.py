"""An actor's name, as history keeps it: what sort of principal goes by it, and who may end what that one put to rest."""

from __future__ import annotations

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
