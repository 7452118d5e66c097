"""The company by OpenAI's newer protocol: the official client's `responses`."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from pydantic_ai.messages import ToolReturnPart

from hq.minds.mind import MindBusy
from tests.api.openai_house import FIGURE, answered, open_client, open_house, with_a_model
from tests.support.play import Told, texts

WEATHER = {
    "type": "function",
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"town": {"type": "string"}}},
    "strict": False,
}


@pytest.fixture
async def live(own_hq, settings):
    async with open_house(own_hq, settings) as server:
        yield server


@pytest.fixture
async def client(live):
    async with open_client(live) as client:
        yield client


async def test_a_response_is_the_ceos_answer(own_hq, client):
    mind = Told(["Well."])
    made = await answered(
        own_hq, client.responses.create(model="hq-ceo", input="Well?", instructions="Be a pirate."), mind
    )

    assert made.output_text == "Well." and made.status == "completed"
    assert (made.usage.input_tokens, made.usage.output_tokens) == (100, 10)
    assert "Be a pirate." in mind.asked[0].instructions
    again = await client.responses.retrieve(made.id)
    assert again.output_text == "Well." and again.model == "hq-ceo"


async def test_a_response_goes_on_from_an_earlier_one(own_hq, client):
    mind = Told(["Hello, Ana.", "You are Ana."])
    first = await answered(own_hq, client.responses.create(model="hq-ceo", input="I am Ana"), mind)
    second = await answered(
        own_hq,
        client.responses.create(model="hq-ceo", input="Who am I?", previous_response_id=first.id),
        mind,
    )

    assert second.output_text == "You are Ana." and second.previous_response_id == first.id
    assert texts(mind.asked[-1].messages)[-3:] == ["I am Ana", "Hello, Ana.", "Who am I?"]
    with pytest.raises(openai.NotFoundError) as error:
        await client.responses.create(model="hq-ceo", input="?", previous_response_id="resp_" + "0" * 32)
    assert error.value.code == "previous_response_not_found"


async def test_a_function_is_called_by_the_program_and_its_output_comes_back(own_hq, client):
    mind = Told([("get_weather", {"town": "Porto"}), "It rains."])
    first = await answered(own_hq, client.responses.create(model="hq-ceo", input="Weather?", tools=[WEATHER]), mind)
    (call,) = first.output
    assert call.type == "function_call" and json.loads(call.arguments) == {"town": "Porto"}

    output = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    second = await answered(
        own_hq,
        client.responses.create(model="hq-ceo", input=[output], tools=[WEATHER], previous_response_id=first.id),
        mind,
    )
    assert second.output_text == "It rains."

    whole = [{"role": "user", "content": "Weather?"}, call.model_dump(), output]
    third = await answered(own_hq, client.responses.create(model="hq-ceo", input=whole, tools=[WEATHER]), mind)
    assert third.output_text == "It rains."
    back = [part for message in mind.asked[-1].messages for part in message.parts if isinstance(part, ToolReturnPart)]
    assert [part.content for part in back] == ["rain"]


async def test_a_stream_tells_a_response_event_by_event(own_hq, client):
    async def listen(**more):
        stream = await client.responses.create(model="hq-ceo", input="Weather?", stream=True, **more)
        return [event async for event in stream]

    events = await answered(own_hq, listen(), ["It rains."])
    assert [event.type for event in events] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert [event.sequence_number for event in events] == list(range(9))
    assert events[-1].response.output_text == "It rains."

    events = await answered(own_hq, listen(tools=[WEATHER]), [("get_weather", {"town": "Porto"})])
    assert [event.type for event in events[2:]] == [
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ]
    events = await answered(own_hq, listen(max_output_tokens=2), ["one two three"])
    assert events[-1].type == "response.incomplete" and events[-1].response.output_text == "one two"


async def test_formats_and_images_are_honoured(own_hq, client):
    await with_a_model(own_hq)
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    image = {"role": "user", "content": [{"type": "input_image", "image_url": FIGURE, "detail": "auto"}]}
    mind = Told(["no", '{"n": 1}'])
    made = await answered(
        own_hq,
        client.responses.create(
            model="hq-ceo", input=[image], text={"format": {"type": "json_schema", "name": "n", "schema": schema}}
        ),
        mind,
    )

    assert json.loads(made.output_text) == {"n": 1}


async def test_what_goes_wrong_is_said_in_the_clients_own_words(own_hq, client):
    with pytest.raises(openai.BadRequestError) as error:
        await client.responses.create(model="hq-ceo", input="hi", background=True)
    assert error.value.param == "background"
    with pytest.raises(openai.BadRequestError):
        await client.responses.create(model="hq-ceo", input="hi", tools=[{"type": "web_search"}])
    with pytest.raises(openai.NotFoundError):
        await client.responses.retrieve("resp_nonsense")
    later = own_hq.clock.now().replace(year=own_hq.clock.now().year + 1)
    with pytest.raises(openai.RateLimitError):
        await answered(own_hq, client.responses.create(model="hq-ceo", input="hi"), [MindBusy("used up", later)])


async def test_harmless_fields_are_taken(own_hq, client):
    more: dict[str, Any] = {
        "truncation": "auto",
        "include": ["reasoning.encrypted_content"],
        "max_tool_calls": 3,
        "tools": [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}],
        "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]},
    }

    done = await answered(own_hq, client.responses.create(model="hq-ceo", input="hi", **more), ["Hello."])

    assert done.output_text == "Hello." and done.truncation == "auto"
    with pytest.raises(openai.BadRequestError) as error:
        await client.responses.create(model="hq-ceo", input="hi", include=["message.output_text.logprobs"])
    assert error.value.param == "include[0]"
    with pytest.raises(openai.BadRequestError, match="input_file") as error:
        said = [{"role": "user", "content": [{"type": "input_file", "file_id": "x"}]}]
        await client.responses.create(model="hq-ceo", input=said)
    assert error.value.param == "input[0].content[0].type"


async def test_what_a_response_was_asked_is_told_until_it_is_forgotten(own_hq, client):
    said = [
        {"role": "user", "content": "One"},
        {"role": "assistant", "content": "Two"},
        {"role": "user", "content": "3"},
    ]
    done = await answered(own_hq, client.responses.create(model="hq-ceo", input=said), ["Four."])

    first = await client.responses.input_items.list(done.id, limit=2, order="asc")
    assert [(item.role, item.content[0].text) async for item in first] == [
        ("user", "One"),
        ("assistant", "Two"),
        ("user", "3"),
    ]

    await client.responses.delete(done.id)

    for gone in (client.responses.retrieve(done.id), client.responses.delete(done.id)):
        with pytest.raises(openai.NotFoundError):
            await gone
    with pytest.raises(openai.NotFoundError) as error:
        await client.responses.create(model="hq-ceo", input="On", previous_response_id=done.id)
    assert error.value.param == "previous_response_id"
    assert [each["asked"] for each in (await own_hq.do("client.list"))["items"]] == ["3"]  # the record stays
