"""Capability of a model: how much it reads at once, whether it sees pictures and calls tools, what it costs.

Windows and prices are those of the list that comes with the program; what a family of models sees and calls is known by its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from hq.minds.config import PROVIDERS, MindConfig
from hq.minds.mind import Tier
from hq.money import money

SEES = re.compile(
    r"claude-(?!2|instant)|gpt-(4o|4\.1|4-turbo|[5-9])|\bo[34]\b|gemini|pixtral|llava|llama-?(3\.2|4)|vl\b|gemma-?3|vision|grok-[4-9]",
    re.IGNORECASE,
)
NO_TOOLS = re.compile(r"llava|gemma-?2|phi-?[23]|deepseek-r1|embed", re.IGNORECASE)
CHEAP, DEAR = Decimal("0.5"), Decimal(4)
"""Dollars for a million tokens read, up to which a model is cheap, and from which it is dear."""
CostTier = Literal["low", "medium", "high"]


@dataclass(frozen=True)
class ModelCapability:
    model: str
    """As the call log names it, such as `anthropic:claude-sonnet-5-5`."""
    context_window: int | None
    """Tokens it reads at once; nothing where the list does not say."""
    sees: bool
    """Whether it is known to see pictures."""
    tools: bool
    usd_per_million: Decimal | None
    """What a million tokens cost that it reads; nothing where the list does not say."""

    @property
    def cost_tier(self) -> CostTier | None:
        usd = self.usd_per_million
        return None if usd is None else "low" if usd <= CHEAP else "high" if usd >= DEAR else "medium"

    def lacks(self, *, sees: bool = False, reads: int = 0) -> str | None:
        """What a piece of work needs that it cannot, in words."""
        if not self.tools:
            return f"its model {self.model} calls no tools"
        if sees and not self.sees:
            return f"its model {self.model} is not known to see pictures"
        if self.context_window is not None and self.context_window < reads:
            return f"its model {self.model} reads {self.context_window:,} tokens at once, and this takes {reads:,}"
        return None

    def told(self) -> str:
        window = (
            f"reads {self.context_window:,} tokens at once" if self.context_window else "reads nobody knows how much"
        )
        price = f"{money(self.usd_per_million)} a million tokens" if self.usd_per_million is not None else "unpriced"
        can = ", ".join(word for word, can in (("calls tools", self.tools), ("sees pictures", self.sees)) if can)
        return f"{window}, {can or 'neither calls tools nor sees pictures'}, {price}"


def capability(mind: MindConfig, tier: Tier = "default") -> ModelCapability | None:
    """Of the model that answers for a tier; of the script there is none to say."""
    if mind.wire == "script":
        return None
    return _capability(mind.provider, mind.model_for(tier))


@lru_cache(maxsize=64)
def _capability(provider: str, model: str) -> ModelCapability:
    from genai_prices import calc_price
    from pydantic_ai.usage import RequestUsage

    window, usd = None, None
    try:
        found = calc_price(RequestUsage(input_tokens=1_000_000), model, provider_id=PROVIDERS[provider].prices)
        window, usd = (
            found.model.context_window,
            calc_price(RequestUsage(input_tokens=1_000), model, provider_id=PROVIDERS[provider].prices).total_price
            * 1_000,
        )
    except (LookupError, ValueError):
        pass
    known = f"{provider}:{model}"
    return ModelCapability(known, window, bool(SEES.search(model)), not NO_TOOLS.search(model), usd)
