"""The one way a coding program reaches a model: a server of ours, opened for one run, that asks the company's own mind.

So no provider's key is ever in the sandbox, every call is in the call log and under the budgets, and what a run used is
counted here, not taken from what the program says. It speaks every wire, whatever the mind behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from hq.clock import Clock, SystemClock
from hq.errors import Refused
from hq.guard.budgets import BudgetReached, Budgets, Spender
from hq.guard.estimate import Estimate, estimated, tokens_of
from hq.minds.config import MindConfig
from hq.minds.mind import Heard, Mind, MindBusy, MindRequest, OnText, Reply

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

PATIENCE = timedelta(minutes=4)
"""How long a program's question may lie: shorter than the programs' own time-outs."""
LONGEST_ANSWER = 32_000
"""Tokens of one answer, whatever a program asks for: that much is set aside."""


@dataclass
class MindUsage:
    """What a run used of a mind, as counted here."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    tokens_kept: int = 0
    """Those from a provider's cache, or as many as one would have kept where it says nothing of it."""
    cost_usd: Decimal | None = Decimal(0)
    """None as soon as one call had no price: then nobody knows."""
    model: str = ""
    understood: bool = True
    """Whether who answered last could make anything of it: without a model, whether there was a script."""

    @property
    def tokens(self) -> int:
        """What counts against the budget: what a provider's cache kept does not."""
        return self.tokens_in + self.tokens_out - self.tokens_kept


@dataclass
class Metered:
    """A mind under a run's token budget and the company's budgets."""

    mind: Mind
    chain: Sequence[MindConfig]
    budgets: Budgets
    spender: Spender
    token_budget: int
    one_call_at_a_time: bool
    """Only the first call of an answer is passed on: an operation that has to be asked about must be alone."""
    stop: Callable[[str], None]
    """Told why, when the run may not go on."""
    clock: Clock = field(default_factory=SystemClock)
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    used: MindUsage = field(default_factory=MindUsage)
    _asked: int = 0
    """Tokens of the last question."""

    @property
    def name(self) -> str:
        return self.mind.name

    async def answer(self, ask: MindRequest, *, on_text: OnText | None = None) -> Reply:
        left = self._left(ask)
        longest = min(ask.max_tokens or LONGEST_ANSWER, LONGEST_ANSWER, left)
        heard = Heard()
        ask = replace(ask, max_tokens=longest, purpose=self.spender.purpose, heard=heard)
        try:
            reserved = await self.budgets.reserve(self.spender, self._estimate(ask))
        except BudgetReached as over:
            raise self._over(over.why) from over
        try:
            reply = reserved.weighed(await self._patiently(ask))
        except BaseException as error:
            if begun := heard.by(error):
                self._count(reserved.weighed(begun))
            await reserved.settle(begun, error if isinstance(error, Exception) else None)
            raise
        await reserved.settle(reply)
        self._count(reply)
        return replace(reply, response=_first_call(reply.response)) if self.one_call_at_a_time else reply

    async def _patiently(self, ask: MindRequest) -> Reply:
        """A program waits with its question while a provider is away; what lasts it is told, and knows to ask again."""
        waited = timedelta()
        while True:
            try:
                return await self.mind.answer(ask)
            except MindBusy as busy:
                wait = max(busy.until - self.clock.now(), timedelta(seconds=1))
                waited += wait
                if waited > PATIENCE:
                    raise
                await self.pause(wait.total_seconds())

    def _left(self, ask: MindRequest) -> int:
        """What the answer may take, once the question is paid for. A budget binds before it is spent, not after."""
        asked = tokens_of(ask)
        # Of a conversation that a provider keeps in its cache, only what is new counts.
        new = max(0, asked - self._asked) if self.used.tokens_kept else asked
        self._asked = asked
        used = f"the run has used {self.used.tokens:,} of {self.token_budget:,} tokens"
        if self.used.tokens >= self.token_budget:
            raise self._over(used)
        left = self.token_budget - self.used.tokens - new
        if left <= 0:
            raise self._over(f"{used}, and the next question alone takes about {new:,}; `--token-budget` gives it more")
        return left

    def _estimate(self, ask: MindRequest) -> Estimate:
        if any(mind.wire != "script" for mind in self.chain):
            return estimated(ask, self.chain)
        return Estimate("script", "script", ask.tier, tokens_of(ask), 0, Decimal(0))

    def _count(self, reply: Reply) -> None:
        used, cost = self.used, reply.cost_usd
        used.calls += 1
        used.tokens_in += reply.usage.tokens_in
        used.tokens_out += reply.usage.tokens_out
        used.tokens_cached += reply.usage.tokens_cached
        used.tokens_kept += reply.usage.tokens_cached or reply.usage.tokens_kept
        used.cost_usd = None if used.cost_usd is None or cost is None else used.cost_usd + cost
        used.understood = not reply.model.startswith("script:unknown")
        used.model = reply.model.partition(":")[0] if reply.model.startswith("script") else reply.model

    def _over(self, why: str) -> Refused:
        self.stop(why)
        return Refused.invalid(why)


def _first_call(response: ModelResponse) -> ModelResponse:
    from pydantic_ai.messages import ToolCallPart

    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    return replace(response, parts=[part for part in response.parts if part not in calls[1:]])


@dataclass(frozen=True)
class Gateway:
    address: tuple[str, int]
    key: str


def open_gateway(mind: Mind) -> AbstractAsyncContextManager[Gateway]:
    """Serve a mind on a free port of this machine, to whoever has the key."""
    from hq.coding.gateway_server import serve_mind  # a web server, which few calls need

    return serve_mind(mind)
