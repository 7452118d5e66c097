"""Plain words for what was wrong when a mind was tried: the key, the network, the model, the quota; for who has just set it up."""

from __future__ import annotations

from urllib.parse import urlsplit

from hq.errors import HqError
from hq.minds.config import MindConfig
from hq.minds.mind import KeyRefused, MindBusy, Tier


def trouble(mind: MindConfig, tier: Tier, error: HqError) -> str:
    who, place = mind.label, urlsplit(mind.url or "").netloc
    match error:
        case KeyRefused() if error.message.startswith(f"{mind.name} lacks"):
            return f"{who} needs a key, and there is none yet"
        case KeyRefused():
            return f"{who} refused the key: it is not whole, was revoked, or belongs to somebody else"
        case _ if error.details.get("unreachable"):
            return f"{who} cannot be reached at {place}: there is no network, or the address is wrong"
        case _ if error.details.get("timeout"):
            return f"{who} did not answer within {mind.seconds} s, at {place}"
        case MindBusy() if "quota" in error.message:
            return f"{who} knows the key, but its quota is used up: {error.message}"
        case _ if unknown := error.details.get("unknown"):
            return f"{who} has no model called {unknown}"
        case _:
            return error.message
