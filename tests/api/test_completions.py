"""The company as a model: the official client talks to it as to any other."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai
import pytest
from pydantic_ai.messages import BinaryContent, ModelResponse, TextPart, ToolReturnPart

from hq.agents.worker_process import runner_for
from hq.api.openai import follower
from hq.minds.mind import MindAway, MindBusy, MindDown, MindRefused, Reply, TokenUsage
from tests.api.openai_house import FIGURE, WEATHER, answered, open_client, open_house, queued, user, with_a_model
from tests.support.paying import rows
from tests.support.play import Told, texts
from tests.support.speaking import Spoken


@pytest.fixture
async def live(own_hq, settings):
    async with open_house(own_hq, settings) as server:
        yield server


@pytest.fixture
async def client(live):
    async with open_client(live) as client:
        yield client


class Heeding(Told):
    """Also keeps what it was told last, as it was then."""

    last: str = ""

    async def answer(self, ask, *, on_text=None):
        self.last = texts(ask.messages)[-1]
        return await super().answer(ask, on_text=on_text)


class Long(Told):
    """Says its line a word at a time, until who listens has heard enough."""

    def __init__(self, line: str) -> None:
        super().__init__([line])
        self.line = line
        self.pieces: list[int] = []
        """How many words it said, each time."""

    async def answer(self, ask, *, on_text=None):
        self.asked.append(ask)
        said, why = [], None
        for word in self.line.split(" "):
            said.append(word + " ")
            await on_text(said[-1])
            if why := ask.enough():
                break
        self.pieces.append(len(said))
        parts = [TextPart(content="".join(said))]
        return Reply(ModelResponse(parts=parts, finish_reason=why or "stop"), self.name, TokenUsage(9, 9), None, 1.0)


async def test_the_ceo_is_a_model_among_its_agents(client):
    names = [model.id async for model in client.models.list()]

    assert names[0] == "hq-ceo" and "hq-agent-operator" in names
    assert (await client.models.retrieve("hq-ceo")).id == "hq-ceo"
    with pytest.raises(openai.NotFoundError) as error:
        await client.models.retrieve("gpt-x")
    assert error.value.code == "model_not_found"
    with pytest.raises(openai.NotFoundError, match="/v1/embeddings"):
        await client.chat.completions.create(model="hq-embedding", messages=[user("hi")])


async def test_who_is_retired_or_archived_is_no_model_any_more(own_hq, client):
    for name in ("scout", "forge", "anvil"):
        await own_hq.do("agent.create", name=name, role="Scout")
    await own_hq.do("agent.update", ref="scout", status="retired")
    await own_hq.do("agent.archive", ref="forge")

    names = {model.id async for model in client.models.list()}

    assert "hq-agent-anvil" in names and not names & {"hq-agent-scout", "hq-agent-forge"}


async def test_a_question_is_answered_by_the_ceo_as_the_program_wants_it(own_hq, client):
    mind = Told(["All **quiet**."])
    messages = [
        {"role": "system", "content": "You are a pirate."},
        user("I am Ana"),
        {"role": "assistant", "content": "Hello, Ana."},
        {"role": "user", "content": [{"type": "text", "text": "Well?"}]},
    ]
    answer = await answered(own_hq, client.chat.completions.create(model="hq-ceo", messages=messages), mind)

    choice = answer.choices[0]
    assert choice.message.content == "All **quiet**." and choice.finish_reason == "stop"
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (100, 10)
    (ask,) = mind.asked
    assert "You are a pirate." in ask.instructions and ask.tools  # and it has its own tools
    assert texts(ask.messages)[-3:] == ["I am Ana", "Hello, Ana.", "Well?"]


async def test_the_founder_sees_what_programs_asked_and_it_is_not_in_the_thread(own_hq, client):
    await answered(own_hq, client.chat.completions.create(model="hq-ceo", messages=[user("Well?")]), ["Well."])

    assert (await own_hq.do("chat.history"))["items"] == []
    (item,) = (await own_hq.do("client.list"))["items"]
    assert item["asked"] == "Well?" and "OpenAI/Python" in item["client"] and item["state"] == "done"
    shown = await own_hq.do("client.show", completion=item["completion"])
    assert shown["answer"] == "Well." and (shown["tokens_in"], shown["tokens_out"]) == (100, 10)
    (session,) = (await own_hq.do("session.list"))["items"]
    assert "OpenAI/Python" in session["trigger"] and session["trigger"].endswith("asks: Well?")


async def test_ten_at_once_each_get_their_own_answer(own_hq, client):
    """They share neither a thread nor a word; what was said before is what each of them says was."""
    mind = Told(lambda ask: f"To {re.findall('I am (.)', str(ask.messages))}")

    async def ask(name: str) -> str:
        messages = [user(f"I am {name}"), {"role": "assistant", "content": "Hello."}, user("Who am I?")]
        answer = await client.chat.completions.create(model="hq-ceo", messages=messages)
        return answer.choices[0].message.content

    answers = await answered(own_hq, asyncio.gather(*(ask(name) for name in "ABCDEFGHIJ")), mind, many=10)

    assert answers == [f"To ['{name}']" for name in "ABCDEFGHIJ"]


async def test_an_answer_streams_while_it_is_said(own_hq, client):
    mind = Spoken(["Once upon ", "a time."])

    async def listen() -> None:
        stream = await client.chat.completions.create(
            model="hq-ceo", messages=[user("Tell me")], stream=True, stream_options={"include_usage": True}
        )
        pieces, usage, ends = [], None, []
        async for chunk in stream:
            usage = chunk.usage or usage
            ends += [each.finish_reason for each in chunk.choices if each.finish_reason]
            if chunk.choices and chunk.choices[0].delta.content:
                pieces.append(chunk.choices[0].delta.content)
                mind.go_on()  # only now is the rest said
        assert pieces[0] == "Once upon" and "".join(pieces) == "Once upon a time."
        assert usage.completion_tokens == 10 and ends == ["stop"]

    await answered(own_hq, listen(), mind)


async def test_a_function_of_the_programs_is_called_by_the_program(own_hq, client):
    """The CEO looks with its own tools first; what it found is still there when the program comes back with the result."""
    mind = Told(
        [("hq_agent", {"action": "list"}), ("get_weather", {"town": "Porto"}), "It rains, and the company has a CEO."]
    )
    asked = [user("What is the weather where we are?")]
    first = await answered(
        own_hq, client.chat.completions.create(model="hq-ceo", messages=asked, tools=[WEATHER]), mind
    )

    choice = first.choices[0]
    (call,) = choice.message.tool_calls
    assert choice.finish_reason == "tool_calls" and call.function.name == "get_weather"
    assert json.loads(call.function.arguments) == {"town": "Porto"}

    mine = choice.message.model_dump() | {"provider_specific_fields": {"refusal": None}}  # as litellm sends it back
    asked += [mine, {"role": "tool", "tool_call_id": call.id, "content": "rain"}]
    second = await answered(
        own_hq, client.chat.completions.create(model="hq-ceo", messages=asked, tools=[WEATHER]), mind
    )

    assert second.choices[0].message.content == "It rains, and the company has a CEO."
    returned = [
        part for message in mind.asked[-1].messages for part in message.parts if isinstance(part, ToolReturnPart)
    ]
    assert [part.tool_name for part in returned] == ["hq_agent", "get_weather"] and returned[-1].content == "rain"


async def test_what_a_programs_function_brought_is_from_outside(own_hq, client):
    calls = [{"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]
    messages = [
        user("Weather?"),
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    ]
    await answered(own_hq, client.chat.completions.create(model="hq-ceo", messages=messages), ["It rains."])

    assert await rows(own_hq, "select taint from ops.sessions where trigger ? 'client'") == [(["client"],)]


async def test_a_stream_tells_calls_too(own_hq, client):
    async def listen():
        async with client.chat.completions.stream(
            model="hq-ceo", messages=[user("Weather?")], tools=[WEATHER]
        ) as stream:
            return await stream.get_final_completion()

    done = await answered(own_hq, listen(), [[("get_weather", {"town": "Porto"}), ("get_weather", {"town": "Lyon"})]])

    calls = done.choices[0].message.tool_calls
    assert [json.loads(call.function.arguments)["town"] for call in calls] == ["Porto", "Lyon"]
    assert done.choices[0].finish_reason == "tool_calls" and len({call.id for call in calls}) == 2


async def test_one_call_at_a_time_where_the_program_wants_that(own_hq, client):
    asking = client.chat.completions.create(
        model="hq-ceo", messages=[user("Weather?")], tools=[WEATHER], parallel_tool_calls=False
    )
    done = await answered(own_hq, asking, [[("get_weather", {"town": "Porto"}), ("get_weather", {"town": "Lyon"})]])

    (call,) = done.choices[0].message.tool_calls
    assert json.loads(call.function.arguments) == {"town": "Porto"}


async def test_a_call_can_be_required_forced_and_forbidden(own_hq, client):
    await with_a_model(own_hq)
    other = {"type": "function", "function": {"name": "other"}}

    async def ask(choice, lines):
        mind = Told(lines)
        asking = client.chat.completions.create(
            model="hq-ceo", messages=[user("Weather?")], tools=[WEATHER, other], tool_choice=choice
        )
        return (await answered(own_hq, asking, mind)).choices[0], [tool.name for tool in mind.asked[0].tools], mind

    choice, offered, mind = await ask("required", ["I would rather not.", ("other", {})])
    assert choice.message.tool_calls[0].function.name == "other" and offered == ["get_weather", "other"]
    assert mind.asked[0].settings["tool_choice"] == "required"
    choice, offered, _ = await ask({"type": "function", "function": {"name": "other"}}, [("other", {})])
    assert choice.message.tool_calls[0].function.name == "other" and offered == ["other"]
    choice, offered, _ = await ask("none", ["No."])
    assert choice.message.content == "No." and not {"get_weather", "other"} & set(offered)


async def test_an_answer_in_a_format_is_checked_and_asked_for_again(own_hq, client):
    await with_a_model(own_hq)
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    wanted = {"type": "json_schema", "json_schema": {"name": "number", "schema": schema}}
    mind = Heeding(["Three.", '```json\n{"n": "3"}\n```', '```json\n{"n": 3}\n```'])
    asking = client.chat.completions.create(model="hq-ceo", messages=[user("A number")], response_format=wanted)

    done = await answered(own_hq, asking, mind)

    assert json.loads(done.choices[0].message.content) == {"n": 3}
    assert "'3' is not of type 'integer'" in mind.last

    asking = client.chat.completions.create(
        model="hq-ceo", messages=[user("An object")], response_format={"type": "json_object"}
    )
    assert json.loads((await answered(own_hq, asking, ['{"a": 1}'])).choices[0].message.content) == {"a": 1}
    asking = client.chat.completions.create(
        model="hq-ceo", messages=[user("An object")], response_format={"type": "json_object"}
    )
    with pytest.raises(openai.APIStatusError, match="does not fit") as error:
        await answered(own_hq, asking, ["never"])
    assert error.value.status_code == 502 and error.value.code == "response_format_not_met"


async def test_what_never_fits_is_not_asked_for_again_by_the_client(own_hq, live):
    """The official clients tried a 502 twice more, each time three calls of a model."""
    await with_a_model(own_hq)
    mind = Told(["No."])
    async with open_client(live) as client:
        asking = client.with_options(max_retries=2).chat.completions.create(
            model="hq-ceo", messages=[user("Go")], response_format={"type": "json_object"}
        )
        with pytest.raises(openai.InternalServerError) as error:
            await answered(own_hq, asking, mind)

    assert error.value.code == "response_format_not_met" and len(mind.asked) == 3


async def test_arguments_of_a_strict_function_are_held_to_its_schema(own_hq, client):
    await with_a_model(own_hq)
    strict = {**WEATHER["function"], "strict": True}
    asked: dict[str, Any] = {"messages": [user("Go")], "tools": [{"type": "function", "function": strict}]}
    mind = Told([[("get_weather", {"city": "Rome"})], [("get_weather", {"town": "Rome"})]])

    done = await answered(own_hq, client.chat.completions.create(model="hq-ceo", **asked), mind)

    (call,) = done.choices[0].message.tool_calls
    assert json.loads(call.function.arguments) == {"town": "Rome"} and len(mind.asked) == 2
    assert "is a required property" in str(mind.asked[1].messages)
    with pytest.raises(openai.InternalServerError, match="is a required property"):
        await answered(own_hq, client.chat.completions.create(model="hq-ceo", **asked), [("get_weather", {})])


async def test_images_reach_a_mind_that_takes_them(own_hq, client):
    await with_a_model(own_hq)
    mind = Told(["A dot."])
    said = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": FIGURE}}]

    done = await answered(
        own_hq,
        client.chat.completions.create(model="hq-ceo", messages=[{"role": "user", "content": said}]),
        mind,
    )

    assert done.choices[0].message.content == "A dot."
    content = mind.asked[0].messages[0].parts[-1].content
    assert content[0] == "What is this?" and isinstance(content[1], BinaryContent)


async def test_without_a_model_images_formats_and_forced_calls_are_refused_by_name(own_hq, client):
    seen = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": FIGURE}}]}
    for param, asked in {
        "messages": {"messages": [seen]},
        "response_format": {"messages": [user("hi")], "response_format": {"type": "json_object"}},
        "tool_choice": {"messages": [user("hi")], "tools": [WEATHER], "tool_choice": "required"},
    }.items():
        with pytest.raises(openai.BadRequestError, match="no model is set") as error:
            await answered(own_hq, client.chat.completions.create(model="hq-ceo", **asked), ["never asked"])
        assert error.value.param == param


async def test_input_may_be_as_long_as_a_book(own_hq, client):
    mind = Heeding(["Long."])
    book = "word " * 200_000
    await answered(own_hq, client.chat.completions.create(model="hq-ceo", messages=[user(book)]), mind)

    assert mind.last == book


async def test_several_answers_come_from_one_request(own_hq, client):
    asking = client.chat.completions.create(model="hq-ceo", messages=[user("Say something")], n=3)
    done = await answered(own_hq, asking, ["Something."], many=3)

    assert [choice.index for choice in done.choices] == [0, 1, 2]
    assert {choice.message.content for choice in done.choices} == {"Something."}
    assert done.usage.completion_tokens == 30


@pytest.mark.parametrize("checked", ["format", "call"])
async def test_what_does_not_fit_is_never_streamed(own_hq, client, checked):
    """It is said by the status, before a word."""
    await with_a_model(own_hq)
    wanted: dict[str, Any] = {"response_format": {"type": "json_object"}}
    if checked == "call":
        wanted = {"tools": [WEATHER], "tool_choice": "required"}
    asking = client.chat.completions.create(model="hq-ceo", messages=[user("An object")], stream=True, **wanted)

    with pytest.raises(openai.APIStatusError, match="does not fit") as error:
        await answered(own_hq, asking, ["never"])

    assert error.value.status_code == 502


async def _all(lines: AsyncIterator[str]) -> list[str]:
    return [line async for line in lines]


@pytest.mark.parametrize("checked", [{}, {"response_format": {"type": "json_object"}}])
async def test_a_stream_has_begun_before_anything_was_said(own_hq, live, monkeypatch, checked):
    """A stream that is checked sent not even headers until the whole of it was there: proxies cut it."""
    monkeypatch.setattr(follower, "AT_FIRST", 0.01)
    monkeypatch.setattr(follower, "STILL", 0.01)
    await with_a_model(own_hq)
    body = {"model": "hq-ceo", "stream": True, "messages": [user("hi")], **checked}
    url, sign = f"http://127.0.0.1:{live.port}/v1/chat/completions", {"Authorization": f"Bearer {live.token}"}
    async with httpx2.AsyncClient(timeout=60) as http, http.stream("POST", url, json=body, headers=sign) as answer:
        assert answer.status_code == 200
        lines = answer.aiter_lines()
        async for line in lines:
            if line.startswith(":"):
                break
        told = await answered(own_hq, _all(lines), ['{"a": 1}'])

    assert "data: [DONE]" in told and '\\"a\\": 1' in "".join(told)


async def test_what_could_not_be_used_is_no_part_of_what_is_streamed(own_hq, client):
    await with_a_model(own_hq)

    async def said() -> tuple[str, str]:
        asked = {"messages": [user("Weather?")], "tools": [WEATHER], "tool_choice": "required"}
        chunks = [
            c.choices[0] async for c in await client.chat.completions.create(model="hq-ceo", stream=True, **asked)
        ]
        calls = [call.function.name for chunk in chunks for call in chunk.delta.tool_calls or []]
        return "".join(chunk.delta.content or "" for chunk in chunks), *calls

    assert await answered(own_hq, said(), ["I'd rather talk.", ("get_weather", {"town": "Linz"})]) == (
        "",
        "get_weather",
    )


async def test_a_limit_reaches_the_mind_and_ends_the_call(own_hq, client):
    await with_a_model(own_hq)
    mind = Long("one two three four five six ")
    asked = {"model": "hq-ceo", "messages": [user("Count")]}

    async def ask(**more: Any) -> tuple[str, str]:
        done = await answered(own_hq, client.chat.completions.create(**asked, **more), mind)
        return done.choices[0].message.content, done.choices[0].finish_reason

    assert await ask(max_tokens=2) == ("one two", "length")
    assert await ask(stop=["four", "nine"]) == ("one two three ", "stop")
    first, second = mind.asked
    assert first.max_tokens == 2_048 and second.max_tokens is None and list(second.stops) == ["four", "nine"]
    assert mind.pieces == [2, 4]


@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer_ends_where_the_program_wants_it(own_hq, client, stream):
    async def ask(**more):
        made = await client.chat.completions.create(model="hq-ceo", messages=[user("Count")], stream=stream, **more)
        if not stream:
            return made.choices[0].message.content, made.choices[0].finish_reason
        chunks = [chunk.choices[0] async for chunk in made]
        return "".join(chunk.delta.content or "" for chunk in chunks), chunks[-1].finish_reason

    assert await answered(own_hq, ask(stop=["THREE", "FOUR"]), ["one two THREE FOUR"]) == ("one two ", "stop")
    assert await answered(own_hq, ask(max_completion_tokens=2), ["one two three four"]) == ("one two", "length")
    assert await answered(own_hq, ask(max_tokens=200), ["one two"]) == ("one two", "stop")


async def test_how_words_are_chosen_reaches_the_mind_or_is_refused(own_hq, client):
    await with_a_model(own_hq)
    mind = Told(["Yes."])
    asking = client.chat.completions.create(
        model="hq-ceo", messages=[user("Well?")], temperature=0.1, top_p=0.5, seed=7, presence_penalty=0.3
    )
    await answered(own_hq, asking, mind)
    assert mind.asked[0].settings == {"temperature": 0.1, "top_p": 0.5, "seed": 7, "presence_penalty": 0.3}

    await own_hq.do("mind.set", name="own", provider="anthropic", model="m", base_url="http://127.0.0.1:9", key="k")
    await own_hq.do("vault.set", name="k", value="secret")
    with pytest.raises(openai.BadRequestError, match="has no seed") as error:
        asking = client.chat.completions.create(model="hq-ceo", messages=[user("Well?")], seed=7)
        await answered(own_hq, asking, ["never asked"])
    assert error.value.param == "seed"


async def test_what_is_not_done_is_refused_by_its_name(client):
    async def refused(**more) -> openai.BadRequestError:
        with pytest.raises(openai.BadRequestError) as error:
            await client.chat.completions.create(**({"model": "hq-ceo", "messages": [user("hi")]} | more))
        return error.value

    assert (await refused(extra_body={"top_k": 3})).code == "unknown_parameter"
    assert (await refused(logprobs=True)).param == "logprobs"
    assert (await refused(n=99)).param == "n"
    assert "tools" in (await refused(functions=[{"name": "f"}])).message
    assert (await refused(messages=[])).param == "messages"
    assert "last message" in (await refused(messages=[user("a"), {"role": "assistant", "content": "b"}])).message
    assert "tool_calls" in (await refused(messages=[{"role": "tool", "tool_call_id": "x", "content": "b"}])).message
    other = {"type": "function", "function": {"name": "other"}}
    assert (await refused(tools=[WEATHER], tool_choice=other)).param == "tool_choice"
    bad = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}]}
    assert (await refused(messages=[bad])).code == "invalid_image_url"


async def test_wrong_keys_models_paths_and_bodies_are_said_in_the_clients_own_words(live, client):
    with pytest.raises(openai.NotFoundError, match="there is no agent") as error:
        await client.chat.completions.create(model="hq-agent-nobody", messages=[user("hi")])
    assert (error.value.code, error.value.param, error.value.type) == (
        "model_not_found",
        "model",
        "invalid_request_error",
    )
    with pytest.raises(openai.NotFoundError) as error:
        await client.chat.completions.create(model="gpt-x", messages=[user("hi")])
    assert error.value.code == "model_not_found"
    with pytest.raises(openai.AuthenticationError) as error:
        await client.with_options(api_key="nonsense").models.list()
    assert error.value.code == "invalid_api_key" and "Incorrect API key provided" in error.value.message
    with pytest.raises(openai.NotFoundError) as error:
        await client.embeddings.create(model="hq-ceo", input="x")
    assert error.value.body["type"] == "invalid_request_error"
    with pytest.raises(openai.BadRequestError, match="JSON"):
        await client.post(
            "/chat/completions", cast_to=object, content=b"{", options={"headers": {"content-type": "application/json"}}
        )


@pytest.mark.parametrize("stream", [False, True])
async def test_a_mind_that_cannot_answer_is_said_by_the_status(own_hq, client, stream, monkeypatch):
    monkeypatch.setattr(follower, "AT_FIRST", 60)

    def ask():
        return client.chat.completions.create(model="hq-ceo", messages=[user("hi")], stream=stream)

    until = own_hq.clock.now().replace(microsecond=0)
    with pytest.raises(openai.RateLimitError) as error:
        await answered(own_hq, ask(), [MindBusy("used up", until.replace(year=until.year + 1))])
    assert error.value.code == "rate_limit_exceeded" and int(error.value.response.headers["retry-after"]) > 60
    with pytest.raises(openai.InternalServerError) as error:
        await answered(own_hq, ask(), [MindDown("does not answer")])
    assert error.value.status_code == 503
    with pytest.raises(openai.BadRequestError, match="too long"):
        await answered(own_hq, ask(), [MindRefused("the conversation is too long")])
    with pytest.raises(openai.InternalServerError) as error:
        await answered(own_hq, ask(), [MindAway("does not answer", until.replace(year=until.year + 1))])
    assert error.value.code == "service_unavailable" and int(error.value.response.headers["retry-after"]) > 60
    assert (await own_hq.do("agent_incident.list"))["items"] == []


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"stream": True},
        {"response_format": {"type": "json_object"}},
        {"tools": [WEATHER], "tool_choice": "required"},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": FIGURE}}]}]},
    ],
)
async def test_a_mind_that_is_set_and_has_not_answered_yet_is_an_outage_whatever_is_asked(own_hq, client, more):
    """Formats, forced calls and images heard that no model is set: a 400, which is final."""
    await with_a_model(own_hq)
    assert not (await own_hq.call("mind.test")).ok
    runner = await runner_for(own_hq.door, own_hq.address, 8)
    asking = asyncio.ensure_future(client.chat.completions.create(model="hq-ceo", **{"messages": [user("hi")], **more}))
    await queued(own_hq)
    await runner.run_once()

    with pytest.raises(openai.InternalServerError, match=r"has not answered yet|does not answer") as error:
        await asking

    assert error.value.status_code == 503 and int(error.value.response.headers["retry-after"]) <= 5


async def test_asked_again_under_the_same_key_it_is_the_same_answer(own_hq, client):
    def ask():
        return client.chat.completions.create(
            model="hq-ceo", messages=[user("hi")], extra_headers={"Idempotency-Key": "once"}
        )

    first = await answered(own_hq, ask(), ["Hi."])
    again = await ask()

    assert again.id == first.id and len((await own_hq.do("client.list"))["items"]) == 1


async def test_a_key_keeps_an_answer_and_no_outage(own_hq, client):
    """The same key gave the 503 of an hour ago for ever, while others were answered."""
    until = own_hq.clock.now().replace(year=own_hq.clock.now().year + 1)

    def ask(text: str = "hi"):
        return client.chat.completions.create(
            model="hq-ceo", messages=[user(text)], n=2, extra_headers={"Idempotency-Key": "once"}
        )

    for trouble in (MindAway("does not answer", until), MindBusy("used up", until)):
        with pytest.raises(openai.APIStatusError) as error:
            await answered(own_hq, ask(), [trouble], many=2)
        assert error.value.status_code in (429, 503)
    begun = len((await own_hq.do("client.list"))["items"])
    both = await answered(own_hq, asyncio.gather(ask(), ask()), ["Hi."], many=2)

    assert [each.message.content for each in both[0].choices] == ["Hi.", "Hi."] and both[0].id == both[1].id
    assert (await ask()).id == both[0].id and len((await own_hq.do("client.list"))["items"]) == begun + 2
    with pytest.raises(openai.ConflictError, match="Idempotency-Key 'once'") as error:
        await ask("And now?")
    assert "client" not in error.value.message


async def test_what_was_done_before_an_outage_is_not_done_again_under_its_key(own_hq, client):
    until = own_hq.clock.now().replace(year=own_hq.clock.now().year + 1)

    def ask():
        return client.chat.completions.create(
            model="hq-ceo", messages=[user("Note it.")], extra_headers={"Idempotency-Key": "once"}
        )

    note = ("hq_task", {"action": "create", "title": "Call Ana"})
    with pytest.raises(openai.APIStatusError):
        await answered(own_hq, ask(), [note, MindAway("does not answer", until)])
    with pytest.raises(openai.APIStatusError) as error:
        await ask()

    assert error.value.status_code == 503
    assert [each["title"] for each in (await own_hq.do("task.list"))["items"]] == ["Call Ana"]
    assert len((await own_hq.do("client.list"))["items"]) == 1


async def test_a_key_keeps_what_was_refused(own_hq, client):
    def ask():
        return client.responses.create(model="hq-ceo", input="hi", extra_headers={"Idempotency-Key": "once"})

    with pytest.raises(openai.BadRequestError, match="too long"):
        await answered(own_hq, ask(), [MindRefused("the conversation is too long")])
    with pytest.raises(openai.BadRequestError, match="too long"):
        await ask()


async def test_a_completion_is_the_founders_to_ask_for(own_hq, live):
    async with open_client(live) as client:
        stranger = client.with_options(api_key=await own_hq.agent("operator"))
        with pytest.raises(openai.PermissionDeniedError) as error:
            await stranger.chat.completions.create(model="hq-ceo", messages=[user("hi")])
    assert error.value.type == "permission_error"


@pytest.mark.parametrize(
    ("content", "param", "named"),
    [
        (
            [{"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}],
            "messages[0].content[0].type",
            "audio",
        ),
        ([{"type": "file", "file": {"file_id": "x"}}], "messages[0].content[0].type", "'file'"),
        ([{"type": "image_url", "image_url": {"url": 3}}], "messages[0].content[0].image_url.url", "string"),
    ],
)
async def test_what_a_message_may_not_hold_is_named(client, content, param, named):
    with pytest.raises(openai.BadRequestError, match=named) as error:
        await client.chat.completions.create(model="hq-ceo", messages=[{"role": "user", "content": content}])

    assert error.value.param == param


async def test_only_allowed_tools_are_offered(own_hq, client):
    await with_a_model(own_hq)
    other = {"type": "function", "function": {"name": "other", "parameters": {"type": "object", "properties": {}}}}
    named = [{"type": "function", "function": {"name": "other"}}]
    choice: dict[str, Any] = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": named}}
    mind = Told([("other", {})])
    asked: dict[str, Any] = {"messages": [user("Go")], "tools": [WEATHER, other], "tool_choice": choice}

    done = await answered(own_hq, client.chat.completions.create(model="hq-ceo", **asked), mind)

    assert done.choices[0].message.tool_calls[0].function.name == "other"
    assert [tool.name for tool in mind.asked[0].tools] == ["other"]


async def test_texts_become_vectors(own_hq, client):
    made = await client.embeddings.create(
        model="hq-embedding", input=["A dog barks.", "A hound bays.", "Taxes are due."]
    )
    one = await client.embeddings.create(model="hq-embedding", input="A dog barks.", encoding_format="float")

    dog, hound, taxes = (each.embedding for each in made.data)
    assert one.data[0].embedding == pytest.approx(dog, abs=1e-6) and made.usage.prompt_tokens > 0
    assert _alike(dog, hound) > _alike(dog, taxes)
    for wrong, param in (({"model": "text-embedding-3-small"}, "model"), ({"dimensions": 3}, "dimensions")):
        with pytest.raises(openai.APIStatusError) as error:
            await client.embeddings.create(**{"model": "hq-embedding", "input": "x", **wrong})
        assert error.value.param == param
    with pytest.raises(openai.BadRequestError, match="tokens"):
        await client.embeddings.create(model="hq-embedding", input=[[1, 2]])


def _alike(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


async def test_every_answer_has_the_name_of_its_request(own_hq, client):
    asking = client.chat.completions.create(model="hq-ceo", messages=[user("hi")])
    done = await answered(own_hq, asking, ["Hello."])
    with pytest.raises(openai.APIStatusError) as error:
        await client.get("/chat/completions", cast_to=object)

    assert done._request_id.startswith("trc_")
    assert error.value.status_code == 405 and error.value.code == "method_not_allowed"
    assert error.value.request_id.startswith("trc_")
