"""An estimate of what a model call may cost at most: all that goes in, and as long an answer as may come."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from hq.minds.config import MindConfig
from hq.minds.mind import MindRequest
from hq.minds.tokens import estimate

MARGIN = 1.25
"""Counting without the model's own tokenizer errs; it must not err downwards."""
IMAGE = re.compile(r'"data":"[A-Za-z0-9+/_=-]+"')
"""An image as it stands in a message."""
AN_IMAGE = 3_000
"""Tokens for which an image counts, whatever its bytes: what providers take for a large one."""
LONGEST_ANSWER = 8192
"""Tokens of an answer where the ask names no limit, as the providers are told."""


@dataclass(frozen=True)
class Estimate:
    provider: str
    model: str
    tier: str
    tokens_in: int
    tokens_out: int
    usd: Decimal | None
    """None: nobody knows a price, so only tokens can be set aside."""
    share: Decimal = Decimal(1)
    """What a token from the provider's cache counts."""
    least: int | None = None
    """How short the answer may have to be where tokens are short; nothing means that it may not."""
    usd_in: Decimal | None = None
    """What the question alone costs, where no answer comes."""
    silent: bool = False
    """Whether who answers may say nothing of its cache, as many servers of one's own do."""


def estimated(ask: MindRequest, chain: Sequence[MindConfig]) -> Estimate:
    """By the dearest mind that might answer: which of the chain it will be is not known before."""
    from pydantic_ai.usage import RequestUsage

    from hq.minds.prices import price

    tokens_in, tokens_out = tokens_of(ask), ask.max_tokens or LONGEST_ANSWER

    def dearest(usage: RequestUsage) -> Decimal | None:
        prices = (price(mind, mind.model_for(ask.tier), usage) for mind in chain if mind.wire != "script")
        return max((cost for cost in prices if cost is not None), default=None)

    first = chain[0]
    return Estimate(
        first.provider,
        first.says(ask.tier),
        ask.tier,
        tokens_in,
        tokens_out,
        dearest(RequestUsage(input_tokens=tokens_in, output_tokens=tokens_out)),
        usd_in=dearest(RequestUsage(input_tokens=tokens_in)),
        silent=first.wire == "chat",
    )


def tokens_of(ask: MindRequest) -> int:
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    said, images = IMAGE.subn("", ModelMessagesTypeAdapter.dump_json(list(ask.messages)).decode())
    tools = "".join(f"{tool.name}{tool.description}{json.dumps(tool.parameters_json_schema)}" for tool in ask.tools)
    text = estimate(said) + estimate(tools) + estimate(ask.instructions + ask.now)
    return round(MARGIN * text) + images * AN_IMAGE + 1
