"""P3 on OpenAI's wires: what the provider counted is booked, also of an answer that ended at its length, streamed or not."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import httpx2
import pytest
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart

from hq.clock import FakeClock
from hq.minds.config import MindConfig
from hq.minds.failures import MindDown
from hq.minds.mind import MindRequest, Reply, TokenUsage
from hq.minds.models import settings_of
from hq.minds.prices import counted
from hq.minds.provider import ProviderMind
from hq.minds.provider_apis.server import create_app
from tests.support.paying import rows
from tests.support.provider_by_hand import Line, answered_by_hand, house  # noqa: F401

ASK = MindRequest([ModelRequest.user_text_prompt("Tell me everything.")], max_tokens=10)
MODEL = "gpt-4.1"


async def hear(text: str) -> None:
    return None


class Full:
    """Says as much as it may."""

    name = "full"

    async def answer(self, ask: MindRequest, *, on_text: Any = None) -> Reply:
        if on_text:
            await on_text("Half a")
        return Reply(
            ModelResponse(parts=[TextPart("Half a")], finish_reason="length"), "m", TokenUsage(321, 10), None, 1.0
        )


def asked(provider: str, transport: Any, model: str = MODEL) -> ProviderMind:
    config = MindConfig("tested", provider, model, "http://127.0.0.1/v1", "a_key")
    return ProviderMind(config, "sk-x", httpx2.AsyncClient(transport=transport), FakeClock())


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("provider", ["openai", "openai-chat", "compatible"])
async def test_p3_an_answer_that_ended_at_its_length_is_an_answer_and_costs_what_was_counted(provider, streamed):
    mind = asked(provider, httpx2.ASGITransport(create_app(Full())))

    reply = await mind.answer(ASK, on_text=hear if streamed else None)

    assert (reply.cut, reply.response.text) == (True, "Half a")
    assert (reply.usage.tokens_in, reply.usage.tokens_out, reply.estimated) == (321, 10, False)


def chat(usage: dict[str, Any] | None, ends: str | None = "stop") -> httpx2.MockTransport:
    """A server on the chat wire that counts like this, or does not, and says so that it is finished."""
    base = {"id": "c", "created": 1, "model": MODEL}

    def answer(request: httpx2.Request) -> httpx2.Response:
        if not json.loads(request.content).get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": "Good morning"}, "finish_reason": ends}
            whole = base | {"object": "chat.completion", "choices": [choice]} | ({"usage": usage} if usage else {})
            return httpx2.Response(200, json=whole)
        said = {"index": 0, "delta": {"role": "assistant", "content": "Good morning"}, "finish_reason": None}
        ended = {"index": 0, "delta": {}, "finish_reason": ends}
        chunks: list[dict[str, Any]] = [{"choices": [said]}, {"choices": [ended]}]
        chunks += [{"choices": [], "usage": usage}] if usage else []
        data = "".join(f"data: {json.dumps(base | {'object': 'chat.completion.chunk'} | each)}\n\n" for each in chunks)
        return httpx2.Response(
            200, content=f"{data}data: [DONE]\n\n".encode(), headers={"content-type": "text/event-stream"}
        )

    return httpx2.MockTransport(answer)


@pytest.mark.parametrize(("ends", "cut"), [("max_tokens", True), ("eos", False)])
async def test_p20_a_server_says_in_words_of_its_own_that_it_is_finished(ends, cut):
    usage = {"prompt_tokens": 300, "completion_tokens": 2, "total_tokens": 302}

    reply = await asked("compatible", chat(usage, ends)).answer(ASK, on_text=hear)

    assert (reply.response.text, reply.cut, reply.usage) == ("Good morning", cut, TokenUsage(300, 2))


async def test_p20_a_stream_that_just_ends_was_cut():
    with pytest.raises(MindDown, match="broke off"):
        await asked("compatible", chat(None, None)).answer(ASK, on_text=hear)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_p3_cached_tokens_count_and_cost_by_their_price_on_that_wire(streamed):
    usage = {
        "prompt_tokens": 10_000, "completion_tokens": 100, "total_tokens": 10_100,
        "prompt_tokens_details": {"cached_tokens": 9_000},
    }  # fmt: skip

    reply = await asked("openai-chat", chat(usage)).answer(ASK, on_text=hear if streamed else None)

    assert reply.usage == TokenUsage(10_000, 100, 9_000)
    assert reply.cost_usd == Decimal("0.0073")  # 1,000 at $2, 9,000 at $0.50 and 100 at $8 the million
    assert counted(reply.model, reply.usage) == 1_000 + 100 + 9_000 // 4


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_p3_what_a_server_does_not_count_is_counted_here_and_said_to_be_an_estimate(streamed):
    reply = await asked("openai-chat", chat(None)).answer(ASK, on_text=hear if streamed else None)

    assert reply.estimated and 5 <= reply.usage.tokens_in <= 200 and 1 <= reply.usage.tokens_out <= 10
    assert reply.cost_usd and reply.cost_usd > 0


async def test_p3_an_estimate_of_what_was_said_is_booked_as_about(house):  # noqa: F811
    by_hand = await answered_by_hand(house, [Line("Good morning, Ana.", uncounted=True)], "chat")
    await by_hand.say("Good morning")
    await by_hand.work()

    [(tokens_in, tokens_out, estimated, reserved)] = await rows(
        by_hand.hq, "select tokens_in, tokens_out, estimated, reserved_tokens from ops.llm_call_log"
    )
    assert estimated and 1_000 < tokens_in < reserved and 0 < tokens_out < 20


@pytest.mark.parametrize(("lasting", "kept"), [(True, "1h"), (False, True)])
def test_tools_and_instructions_of_a_conversation_are_kept_for_an_hour(lasting, kept):
    settings = settings_of(MindConfig("m", "anthropic"), replace(ASK, lasting=lasting))

    assert settings["anthropic_cache_instructions"] == settings["anthropic_cache_tool_definitions"] == kept
