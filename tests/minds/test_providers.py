"""Every provider's adapter against a server on this machine that answers well, badly, late or not at all."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import httpx2
import pytest
from pydantic_ai.messages import ModelRequest, ToolCallPart, ToolReturnPart
from pydantic_ai.tools import ToolDefinition

from hq.clock import FakeClock
from hq.minds.config import MindConfig
from hq.minds.mind import KeyRefused, MindBusy, MindDown, MindRefused, MindRequest
from hq.minds.provider import ProviderMind
from tests.support.provider import Fault, Provider

from .test_wires import ANSWER, ARGS, RESULT, SAID, SCHEMA

KEY = "sk-test-very-secret-0123456789"
PLACES = {
    "anthropic": ("claude-sonnet-5-5", ""),
    "openai": ("gpt-5.4", "/v1"),
    "openai-chat": ("gpt-5.4", "/v1"),
    "google": ("gemini-3.5-flash", ""),
    "compatible": ("llama-local", "/v1"),
    "openrouter": ("some/unheard-of", "/v1"),
    "ollama": ("qwen3", "/v1"),
}
TOOL = ToolDefinition(name="task_create", parameters_json_schema=SCHEMA, description="Tasks.")


class Pauses(list[float]):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
async def http() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient() as client:
        yield client


@pytest.fixture(params=PLACES)
def config(request: pytest.FixtureRequest, provider: Provider) -> MindConfig:
    model, path = PLACES[request.param]
    return MindConfig("tested", request.param, model, provider.url + path, "a_key")


@pytest.fixture
def mind(config: MindConfig, http: httpx2.AsyncClient, clock: FakeClock, pauses: Pauses) -> ProviderMind:
    return ProviderMind(config, KEY, http, clock, pauses)


def asking(text: str = SAID) -> MindRequest:
    return MindRequest([ModelRequest.user_text_prompt(text)], [TOOL], "You are chief.")


async def test_a_tool_call_goes_round(mind: ProviderMind) -> None:
    first = await mind.answer(asking())
    call = next(part for part in first.response.parts if isinstance(part, ToolCallPart))
    assert call.args_as_dict() == ARGS

    back = ModelRequest(parts=[ToolReturnPart("task_create", json.loads(RESULT), call.tool_call_id)])
    second = await mind.answer(replace(asking(), messages=[*asking().messages, first.response, back]))

    assert second.response.text == ANSWER
    assert second.usage.tokens_in > 0
    assert second.usage.tokens_out > 0
    assert second.latency_ms > 0


async def test_text_is_passed_on_as_it_comes(mind: ProviderMind) -> None:
    heard: list[str] = []

    async def listen(text: str) -> None:
        heard.append(text)

    reply = await mind.answer(asking("help"), on_text=listen)

    assert len(heard) > 2
    assert "".join(heard) == reply.response.text


async def test_who_has_heard_enough_ends_the_call(mind: ProviderMind, provider: Provider) -> None:
    """The provider says no more until it is left alone: an answer that is waited for to its end would never come."""
    provider.faults.append(Fault("stall", after=20))
    heard: list[str] = []

    async def listen(text: str) -> None:
        heard.append(text)

    ask = replace(asking("help"), max_tokens=50, stops=("THE END",), enough=lambda: "length" if heard else None)
    reply = await mind.answer(ask, on_text=listen)

    assert reply.cut and reply.response.text == "".join(heard) and reply.estimated
    sent = json.dumps(provider.seen[-1]["body"])
    assert "50" in sent and ("THE END" in sent or mind.config.wire == "responses")


async def test_a_tool_call_comes_out_of_a_stream_whole(mind: ProviderMind) -> None:
    reply = await mind.answer(asking(), on_text=_ignore)

    assert [p.args_as_dict() for p in reply.response.parts if isinstance(p, ToolCallPart)] == [ARGS]


async def test_a_price_is_known_or_said_to_be_unknown(mind: ProviderMind, config: MindConfig) -> None:
    cost = (await mind.answer(asking("help"))).cost_usd

    if config.provider in ("compatible", "openrouter", "ollama"):
        assert cost is None
    else:
        assert cost is not None
        assert cost > Decimal(0)


async def test_429_says_when_the_door_opens(
    mind: ProviderMind, provider: Provider, clock: FakeClock, pauses: Pauses
) -> None:
    provider.fail(429, retry_after="90")

    with pytest.raises(MindBusy) as told:
        await mind.answer(asking())

    if mind.config.provider != "google":  # Google says it in its body, not in a header
        assert told.value.until == clock.now() + timedelta(seconds=90)
        assert told.value.promised
    assert len(provider.seen) == 1
    assert pauses == []


@pytest.mark.parametrize("status", [500, 503, 529])
async def test_a_failing_server_is_asked_again_while_nothing_was_said(
    mind: ProviderMind, provider: Provider, pauses: Pauses, status: int
) -> None:
    provider.fail(status, times=2)

    reply = await mind.answer(asking("what time is it"))

    assert "UTC" in (reply.response.text or "")
    assert pauses == [0.5, 2.0]


async def test_a_server_that_keeps_failing_is_down(mind: ProviderMind, provider: Provider) -> None:
    provider.fail(500, times=9)

    with pytest.raises(MindDown) as told:
        await mind.answer(asking())

    assert not told.value.spoke
    assert len(provider.seen) == 3


async def test_an_overloaded_server_that_asks_for_a_long_pause_closes_the_door(
    mind: ProviderMind, provider: Provider
) -> None:
    provider.fail(529, retry_after="120")

    with pytest.raises(MindBusy if mind.config.wire == "anthropic" else (MindBusy, MindDown)):
        await mind.answer(asking())
    provider.faults.clear()


async def test_a_wrong_key_is_refused_and_never_repeated(mind: ProviderMind, provider: Provider) -> None:
    body = json.dumps(
        {"error": {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key", "type": "x"}}
    )
    provider.faults.append(Fault("status", 401, body=body.encode()))

    with pytest.raises(MindRefused) as told:
        await mind.answer(asking())

    assert "a_key" in told.value.message
    assert KEY not in f"{told.value.message} {told.value.hint} {told.value.details}"
    assert told.value.__cause__ is None


@pytest.mark.parametrize("key", ["sk-schlüssel", "sk-“quoted”", "sk-two\nlines"])
async def test_a_key_that_is_none_is_refused_in_words_before_anything_is_sent(
    config: MindConfig, http, clock, pauses, provider: Provider, key: str
) -> None:
    with pytest.raises(KeyRefused) as told:
        await ProviderMind(config, key, http, clock, pauses).answer(asking())

    assert "holds letters or signs that no key has" in told.value.message and "hq vault set" in str(told.value.hint)
    assert key not in f"{told.value.message} {told.value.hint}" and not provider.seen


async def test_an_unknown_model_is_refused_with_what_to_do(mind: ProviderMind, provider: Provider) -> None:
    provider.faults.append(
        Fault("status", 404, body=b'{"error": {"message": "model not found", "type": "not_found_error"}}')
    )

    with pytest.raises(MindRefused):
        await mind.answer(asking())


async def test_garbage_is_an_outage_not_a_crash(mind: ProviderMind, provider: Provider) -> None:
    provider.faults += [Fault("garbage")] * 3

    with pytest.raises(MindDown):
        await mind.answer(asking())


async def test_a_hanging_server_is_given_up_after_its_time(
    config: MindConfig, http, clock, pauses, provider: Provider
) -> None:
    provider.faults.append(Fault("hang"))
    mind = ProviderMind(replace(config, seconds=1), KEY, http, clock, pauses)

    with pytest.raises(MindDown, match="within 1 s"):
        await mind.answer(asking())
    assert pauses == []


async def test_nobody_there_is_an_outage(config: MindConfig, http, clock, pauses) -> None:
    mind = ProviderMind(replace(config, base_url="http://127.0.0.1:9/v1"), KEY, http, clock, pauses)

    with pytest.raises(MindDown):
        await mind.answer(asking())
    assert len(pauses) == 2


@pytest.mark.parametrize("how", ["cut", "ended"])
async def test_a_stream_that_spoke_and_broke_is_not_asked_again(
    mind: ProviderMind, provider: Provider, how: Any
) -> None:
    provider.faults.append(Fault(how, after=6))
    heard: list[str] = []

    async def listen(text: str) -> None:
        heard.append(text)

    with pytest.raises(MindDown) as told:
        await mind.answer(asking("help"), on_text=listen)

    assert heard
    assert told.value.spoke
    assert len(provider.seen) == 1


async def test_a_stream_that_broke_before_a_word_is_asked_again(mind: ProviderMind, provider: Provider) -> None:
    provider.faults.append(Fault("cut", after=0))

    reply = await mind.answer(asking("help"), on_text=_ignore)

    assert reply.response.text
    assert len(provider.seen) == 2


async def test_who_listens_and_fails_is_heard_himself(mind: ProviderMind, provider: Provider) -> None:
    async def broken(text: str) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await mind.answer(asking("help"), on_text=broken)
    assert len(provider.seen) == 1


async def _ignore(text: str) -> None:
    return None
