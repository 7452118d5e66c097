"""The company as a model: the official client talks to it as to any other."""

from __future__ import annotations

import asyncio

import openai
import pytest

from agents.conftest import Play
from api.streams import announcing, served
from hq.database.migrate import Migrated
from hq.headquarters import Headquarters
from speaking import Spoken


@pytest.fixture
async def live(own_hq, settings):
    await own_hq.do("agent.load")
    house = Headquarters(settings, own_hq.address, own_hq.door, own_hq.token, own_hq.clock, Migrated((), 1))
    async with served(house) as server, announcing(house):
        yield server


@pytest.fixture
async def client(live):
    async with openai.AsyncOpenAI(
        base_url=f"http://127.0.0.1:{live.port}/v1", api_key=live.token, max_retries=0, timeout=20
    ) as client:
        yield client


async def asked(hq) -> None:
    """Until the message is there to be answered."""
    while (await hq.do("chat.status"))["state"] != "working":
        await asyncio.sleep(0.01)


async def test_the_ceo_is_a_model_among_its_agents(client):
    names = [model.id async for model in client.models.list()]

    assert names[0] == "hq-ceo" and "hq-agent-operator" in names


async def test_a_question_is_answered(own_hq, client):
    async def work() -> None:
        await asked(own_hq)
        await Play(own_hq).runner(["All **quiet**."]).run_once()

    messages = [
        {"role": "system", "content": "Be nice."},
        {"role": "user", "content": [{"type": "text", "text": "Well?"}]},
    ]
    answer, _ = await asyncio.gather(client.chat.completions.create(model="hq-ceo", messages=messages), work())

    assert answer.choices[0].message.content == "All **quiet**." and answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens > 0
    said = (await own_hq.do("chat.history"))["items"]
    assert [line["text"] for line in said] == ["Well?", "All **quiet**."]


async def test_an_answer_streams_while_it_is_said(own_hq, client):
    mind = Spoken(["Once upon ", "a time."])

    async def work() -> None:
        await asked(own_hq)
        await Play(own_hq).runner(mind).run_once()

    working = asyncio.create_task(work())
    stream = await client.chat.completions.create(
        model="hq-ceo",
        messages=[{"role": "user", "content": "Tell me"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    pieces, usage = [], None
    async for chunk in stream:
        usage = chunk.usage or usage
        if chunk.choices and chunk.choices[0].delta.content:
            pieces.append(chunk.choices[0].delta.content)
            mind.go_on()  # only now is the rest said

    assert pieces[0] == "Once upon" and "".join(pieces) == "Once upon a time." and usage.completion_tokens > 0
    await working


async def test_an_unknown_model_and_a_bad_key_are_said_in_the_clients_own_words(live, client):
    with pytest.raises(openai.NotFoundError, match="there is no agent"):
        await client.chat.completions.create(model="gpt-x", messages=[{"role": "user", "content": "hi"}])
    with pytest.raises(openai.UnprocessableEntityError, match="no message"):
        await client.chat.completions.create(model="hq-ceo", messages=[{"role": "system", "content": "hi"}])
    with pytest.raises(openai.AuthenticationError):
        await client.with_options(api_key="nonsense").models.list()
