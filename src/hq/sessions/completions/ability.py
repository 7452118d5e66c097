"""Ability of whoever answers a completion: what its minds cannot do is refused before they are asked, by the name of what asks for it."""

from __future__ import annotations

from hq.errors import Refused
from hq.minds.config import lacks
from hq.minds.mind import MindUnready
from hq.minds.service import TenantMinds
from hq.sessions.completions.request import CompletionArgs

SETTINGS = {
    "anthropic": frozenset({"temperature", "top_p"}),
    "responses": frozenset({"temperature", "top_p"}),
    "chat": frozenset({"temperature", "top_p", "presence_penalty", "frequency_penalty", "seed", "logit_bias"}),
    "google": frozenset({"temperature", "top_p", "presence_penalty", "frequency_penalty", "seed"}),
}
"""What each sort of provider takes. The script chooses no words, so it has nothing to set."""


def check_ability(company: TenantMinds, asked: CompletionArgs) -> None:
    chain = [mind for mind in company.choice(asked.tier or "default").asked if mind.wire != "script"]
    if chain:
        if unknown := sorted(asked.settings.keys() - SETTINGS[chain[0].wire]):
            raise Refused.invalid(f"{chain[0].name} has no {unknown[0]} to set", param=unknown[0])
        return
    without = {
        "images": asked.has_images,
        "choice": asked.choice not in ("auto", "none"),
        "format": asked.format is not None,
    }
    for param in (name for name, wanted in without.items() if wanted):
        if mind := company.doubtful:
            raise MindUnready(lacks(mind, company.place(mind)), until=company.again.get(mind.name))
        raise Refused.invalid(f"no model is set, and scripts take no {param}; `hq mind set` sets one", param=param)
