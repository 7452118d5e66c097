"""A mind with a provider's model behind it: asks once, streams, counts, prices; asks again only while nothing was said."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import cast

import httpx2
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessagesTypeAdapter,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from hq.clock import Clock
from hq.minds.config import MindConfig
from hq.minds.failures import translated
from hq.minds.mind import Enough, KeyRefused, MindDown, MindRequest, OnText, Reply, Tier, TokenUsage
from hq.minds.models import messages_of, model_of, settings_of
from hq.minds.prices import price
from hq.minds.tokens import estimate

# Below a warning the clients tell what was asked and answered, which is not for a log.
for _client in ("anthropic", "openai", "google_genai", "httpx", "httpx2", "httpcore", "httpcore2"):
    logging.getLogger(_client).setLevel(logging.WARNING)

TRIES = 3
PAUSES = (0.5, 2.0)


class ProviderMind:
    def __init__(
        self,
        config: MindConfig,
        key: str | None,
        http: httpx2.AsyncClient,
        clock: Clock,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.config = config
        self._key = key
        self._http = http
        self._clock = clock
        self._pause = pause
        self._models: dict[str, Model] = {}

    @property
    def name(self) -> str:
        return self.config.name

    def says(self, tier: Tier) -> str:
        return self.config.says(tier)

    async def answer(self, ask: MindRequest, *, on_text: OnText | None = None) -> Reply:
        if self._key and not (self._key.isascii() and self._key.isprintable()):
            name = self.config.key_name
            raise KeyRefused(
                f"{self.name}: the key {name} holds letters or signs that no key has, so nothing was sent",
                hint=f"copy it again, whole, and store it with `hq vault set {name}`",
            )
        started = time.perf_counter()
        model = self.config.model_for(ask.tier)
        speech = Speech(on_text)

        def reply(response: ModelResponse) -> Reply:
            usage, estimated = response.usage, speech.ended or bool(response.usage.unmeasured_requests)
            if response.state == "incomplete":
                usage, estimated = _by_then(ask, response), True
            elif estimated:
                usage = _counted_here(ask, response)
            return Reply(
                response,
                model=self.config.says(ask.tier),
                usage=TokenUsage(usage.input_tokens or 0, usage.output_tokens or 0, usage.cache_read_tokens or 0),
                cost_usd=price(self.config, model, usage),
                latency_ms=(time.perf_counter() - started) * 1000,
                estimated=estimated,
            )

        if ask.heard:
            speech.stream = _not_begun
            ask.heard.so_far = lambda: reply(replace(speech.stream(), state="incomplete"))
        return reply(await self._persistently(model, ask, speech))

    async def _persistently(self, model: str, ask: MindRequest, speech: Speech) -> ModelResponse:
        for attempt in range(TRIES):
            try:
                async with asyncio.timeout(self.config.seconds):
                    return await self._once(model, ask, speech)
            except Interrupted as interrupted:
                raise interrupted.cause from None
            except Exception as error:
                # `from None`: what the clients raise carries the request, and with it the key.
                failure = translated(error, self.config, model, self._key, self._clock.now())
                if speech.spoke and isinstance(failure, MindDown):
                    raise MindDown(f"{failure.message}; the answer broke off", spoke=True) from None
                again = isinstance(failure, MindDown) and "timeout" not in failure.details
                if not again or speech.spoke or attempt == TRIES - 1:
                    raise failure from None
            await self._pause(PAUSES[attempt])
        raise AssertionError("unreachable")

    async def _once(self, model: str, ask: MindRequest, speech: Speech) -> ModelResponse:
        adapter = self._models.get(model) or self._models.setdefault(
            model, model_of(self.config, model, self._key, self._http)
        )
        settings = cast("ModelSettings", {**settings_of(self.config, ask), **ask.settings})
        parameters = ModelRequestParameters(
            function_tools=[_sent(tool) for tool in ask.tools],
            instruction_parts=[InstructionPart(content=ask.instructions)] if ask.instructions else None,
        )
        messages = messages_of(self.config, ask)
        if not speech.wanted and not ask.heard:
            reply = await model_request(adapter, messages, model_settings=settings, model_request_parameters=parameters)
            return _whole(reply, f"{self.name} ({model})")
        async with model_request_stream(
            adapter, messages, model_settings=settings, model_request_parameters=parameters
        ) as stream:
            speech.stream = stream.get
            async for event in stream:
                match event:
                    case _ if not speech.wanted:
                        continue
                    case PartStartEvent(part=TextPart(content=text)) if text:
                        await speech.say(text)
                    case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                        await speech.say(text)
                    case _:
                        continue
                if why := ask.enough and ask.enough():
                    speech.ended = True
                    return _broken_off(stream.get(), why)
            return _whole(stream.get(), f"{self.name} ({model})")


def _sent(tool: ToolDefinition) -> ToolDefinition:
    """What is not to be held to strictly goes without the word that only strict modes read."""
    if tool.strict is not False:
        return tool
    fields = {key: value for key, value in tool.parameters_json_schema.items() if key != "additionalProperties"}
    return replace(tool, parameters_json_schema=fields)


FULL = ("max_tokens", "max_output_tokens", "model_length", "MAX_TOKENS")
"""How servers that speak OpenAI's protocol say `length` in their own words."""


class Interrupted(Exception):
    """Whoever listens to the stream failed: that is not the provider's fault."""

    def __init__(self, cause: Exception) -> None:
        self.cause = cause


class Speech:
    """Passes text on, and knows whether any was."""

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self.spoke = False
        self.stream: Callable[[], ModelResponse] = _not_begun
        """What has come so far."""
        self.ended = False
        """Who listens had enough: the provider was not heard to the end, and so did not say what it took."""

    @property
    def wanted(self) -> bool:
        return self._on_text is not None

    async def say(self, text: str) -> None:
        assert self._on_text is not None
        self.spoke = True
        try:
            await self._on_text(text)
        except Exception as error:
            raise Interrupted(error) from error


def _not_begun() -> ModelResponse:
    return ModelResponse(parts=[])


def _by_then(ask: MindRequest, response: ModelResponse) -> RequestUsage:
    """What an answer had taken when it was broken off: what its provider said at its beginning of what went in, else what was sent;
    and what had come of it."""
    here, told = _counted_here(ask, response), response.usage
    said = max(told.output_tokens, here.output_tokens if response.parts else 0)
    return replace(told if told.input_tokens else here, output_tokens=said)


def _broken_off(response: ModelResponse, why: Enough) -> ModelResponse:
    """What was said by then; of a call that was begun nobody knows how it would have gone on."""
    said = [part for part in response.parts if not isinstance(part, ToolCallPart)]
    return replace(response, parts=said, finish_reason=why, state="complete")


def _counted_here(ask: MindRequest, response: ModelResponse) -> RequestUsage:
    """For servers that do not count: what was sent and what was said, about."""
    tools = "".join(f"{tool.name}{tool.description}{json.dumps(tool.parameters_json_schema)}" for tool in ask.tools)
    sent = ModelMessagesTypeAdapter.dump_json(list(ask.messages)).decode() + tools + ask.instructions + ask.now
    said = [part.content for part in response.parts if isinstance(part, TextPart | ThinkingPart)]
    said += [f"{part.tool_name}{part.args_as_json_str()}" for part in response.parts if isinstance(part, ToolCallPart)]
    return RequestUsage(input_tokens=estimate(sent), output_tokens=max(1, estimate("".join(said))))


def _whole(response: ModelResponse, name: str) -> ModelResponse:
    """A stream that just ends looks like a short answer; what did not say that it was finished was cut. Servers say it in words of
    their own, too: those of other protocols for a full answer are one, any other is an end."""
    said = (response.provider_details or {}).get("finish_reason")
    if (response.finish_reason is None and not said) or response.state == "incomplete":
        raise MindDown(f"the connection to {name} was cut in the middle of the answer")
    if response.finish_reason is None:
        response.finish_reason = "length" if said in FULL else "stop"
    return response
