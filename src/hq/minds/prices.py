"""What an answer cost, by the price list that comes with the program. A model that is not on it is unpriced."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from hq.minds.config import PROVIDERS, MindConfig

if TYPE_CHECKING:
    from pydantic_ai.usage import RequestUsage


def price(config: MindConfig, model: str, usage: RequestUsage) -> Decimal | None:
    """US dollars, or None when nobody can say. A server of one's own has no price, whatever its models are called."""
    from genai_prices import calc_price

    known = PROVIDERS[config.provider].prices
    try:
        if known:
            return calc_price(usage, model, provider_id=known).total_price
        return calc_price(usage, model, provider_api_url=config.url or "").total_price
    except (LookupError, ValueError):
        return None


def told(cost: Decimal | None) -> str:
    """A price in words."""
    return "unpriced" if cost is None else "free" if cost == 0 else f"${cost:.6f}".rstrip("0").rstrip(".")
