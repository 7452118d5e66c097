"""The company as a model: the official client talks to it as to any other."""

from __future__ import annotations

import asyncio
import re

import openai
import pytest

from agents.conftest import Play, Told
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
        base_url=f"http://127.0.0.1:{live.port}/v1", api_key=live.token, max_retries=0, timeout=60
    ) as client:
        yield client


async def asked(hq, many: int = 1) -> None:
    """Until as many messages are there to be answered."""
    while len((await hq.do("session.list", state="queued"))["items"]) < many:
        await asyncio.sleep(0.01)


async def test_the_ceo_is_a_model_among_its_agents(client):
    names = [model.id async for model in client.models.list()]

    assert names[0] == "hq-ceo" and "hq-agent-operator" in names


async def test_who_is_retired_or_archived_is_no_model_any_more(own_hq, client):
    for name in ("scout", "forge", "anvil"):
        await own_hq.do("agent.create", name=name, role="Scout")
    await own_hq.do("agent.update", ref="scout", status="retired")
    await own_hq.do("agent.archive", ref="forge")

    names = {model.id async for model in client.models.list()}

    assert "hq-agent-anvil" in names and not names & {"hq-agent-scout", "hq-agent-forge"}


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
    assert (await own_hq.do("chat.history"))["items"] == []  # the founder's thread is the founder's


async def test_clients_at_once_each_get_their_own_answer_to_what_they_sent(own_hq, client):
    """They share neither a thread nor a word; what was said before is what each of them says was."""
    mind = Told(lambda ask: f"To {re.findall('I am (.)', str(ask.messages))}")

    async def work() -> None:
        await asked(own_hq, 3)
        await Play(own_hq).runner(mind).run_once()

    async def ask(name: str) -> str:
        messages = [
            {"role": "user", "content": f"I am {name}"},
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": "Who am I?"},
        ]
        answer = await client.chat.completions.create(model="hq-ceo", messages=messages)
        return answer.choices[0].message.content

    *answers, _ = await asyncio.gather(*(ask(name) for name in "ABC"), work())

    assert answers == ["To ['A']", "To ['B']", "To ['C']"]
    assert (await own_hq.do("chat.history"))["items"] == []


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
