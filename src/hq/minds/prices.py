"""Prices of answers, by the list that comes with the program. A model that is not on it is unpriced."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from hq.minds.config import PROVIDERS, MindConfig
from hq.minds.mind import TokenUsage

if TYPE_CHECKING:
    from pydantic_ai.usage import RequestUsage

USUAL_SHARE = Decimal("0.1")
"""What a token from the provider's cache costs of one that is read anew, where the list does not say."""


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


def has_price(config: MindConfig, model: str) -> bool:
    """Whether a limit in money holds it: of what has no price nobody knows what was spent."""
    from pydantic_ai.usage import RequestUsage

    return price(config, model, RequestUsage(input_tokens=1_000, output_tokens=1_000)) is not None


def counted(model: str, usage: TokenUsage) -> int:
    """The tokens of a call, those from the provider's cache by their price: what counts against a limit in tokens."""
    kept = usage.tokens_cached or usage.tokens_kept
    if not kept:
        return usage.tokens_in + usage.tokens_out
    return usage.tokens_in - kept + usage.tokens_out + round(kept * cached_share(model))


@lru_cache(maxsize=64)
def cached_share(model: str) -> Decimal:
    """What a cached token of a model, such as `anthropic:claude-sonnet-5-5`, costs of one that is not."""
    from genai_prices import calc_price
    from pydantic_ai.usage import RequestUsage

    many = 1_000
    provider, _, name = model.partition(":")
    known = PROVIDERS[provider].prices if provider in PROVIDERS else None
    if not known:
        return USUAL_SHARE
    try:
        anew = calc_price(RequestUsage(input_tokens=many), name, provider_id=known).total_price
        again = calc_price(RequestUsage(input_tokens=many, cache_read_tokens=many), name, provider_id=known).total_price
    except (LookupError, ValueError):
        return USUAL_SHARE
    return min(Decimal(1), again / anew) if anew else USUAL_SHARE
