"""Schemas that programs send: what they say is checked, and none can hold up the house or send it elsewhere."""

from __future__ import annotations

import asyncio
import json

import openai
import pytest

from tests.api.openai_house import answered, open_client, open_house, user, with_a_model
from tests.support.play import Told

SLOW = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
LAUGHS = {
    f"d{n}": {"type": "object", "properties": {key: {"$ref": f"#/$defs/d{n + 1}"} for key in "ab"}} for n in range(40)
}
UNUSABLE = {
    "elsewhere": ({"$ref": "http://127.0.0.1:{port}/schema"}, "nothing is fetched"),
    "a file": ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "nothing is fetched"),
    "nowhere": ({"$ref": "#/$defs/a"}, "no such part"),
    "look-around": ({"properties": {"a": {"type": "string", "pattern": "(?=a)"}}}, "without look-around"),
    "a million laughs": ({"$ref": "#/$defs/d0", "$defs": LAUGHS | {"d40": {}}}, "written out"),
    "beside others": ({"type": "object", "unevaluatedProperties": False}, "additionalProperties"),
}


@pytest.fixture
async def client(own_hq, settings):
    await with_a_model(own_hq)
    async with open_house(own_hq, settings) as server, open_client(server) as client:
        yield client


def chat(client, schema):
    format = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    return client.chat.completions.create(model="hq-ceo", messages=[user("hi")], response_format=format)


def respond(client, schema):
    format = {"type": "json_schema", "name": "x", "schema": schema}
    return client.responses.create(model="hq-ceo", input="hi", text={"format": format})


def call(client, schema):
    tool = {"type": "function", "function": {"name": "look", "parameters": schema, "strict": True}}
    return client.chat.completions.create(model="hq-ceo", messages=[user("hi")], tools=[tool])


def call_in_a_response(client, schema):
    tool = {"type": "function", "name": "look", "parameters": schema, "strict": True}
    return client.responses.create(model="hq-ceo", input="hi", tools=[tool])


@pytest.fixture
async def elsewhere():
    """A port of ours, and who came to it."""
    came: list[str] = []
    server = await asyncio.start_server(lambda reader, writer: (came.append("fetched"), writer.close()), "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], came


@pytest.mark.parametrize("ask", [chat, respond])
async def test_a_pattern_that_would_take_for_ever_is_matched_at_once(own_hq, client, ask):
    fits, never = json.dumps({"a": "a" * 44}), json.dumps({"a": "a" * 44 + "!"})
    mind = Told([never, fits])

    await answered(own_hq, ask(client, SLOW), mind)

    assert "does not match '^(a+)+$'" in str(mind.asked[-1].messages)
    with pytest.raises(openai.APIStatusError, match="does not match"):
        await answered(own_hq, ask(client, SLOW), [never] * 3)


@pytest.mark.parametrize("case", UNUSABLE)
@pytest.mark.parametrize("ask", [chat, respond, call, call_in_a_response])
async def test_a_schema_that_cannot_be_checked_is_refused_before_a_mind_is_asked(client, elsewhere, ask, case):
    port, came = elsewhere
    schema, why = UNUSABLE[case]

    with pytest.raises(openai.BadRequestError, match=why) as error:
        await ask(client, json.loads(json.dumps(schema).replace("{port}", str(port))))

    assert error.value.param in ("response_format", "text.format", "tools") and came == []


async def test_what_goes_round_for_ever_is_given_up_and_the_house_goes_on(own_hq, client):
    """Each level doubles the work, and a mind may nest as deep as it likes."""
    tree = {"properties": {"t": {"allOf": [{"$ref": "#/$defs/tree"}] * 2}}}
    deep: dict = {}
    for _ in range(40):
        deep = {"t": deep}

    with pytest.raises(openai.BadRequestError, match="too many steps"):
        await answered(own_hq, chat(client, {"$ref": "#/$defs/tree", "$defs": {"tree": tree}}), [json.dumps(deep)])


async def test_a_pattern_of_a_function_that_is_not_strict_is_the_models_alone_to_read(own_hq, client):
    look = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=a)"}}}
    tool = {"type": "function", "function": {"name": "look", "parameters": look}}
    asking = client.chat.completions.create(model="hq-ceo", messages=[user("hi")], tools=[tool])

    assert (await answered(own_hq, asking, ["Hello."])).choices[0].message.content == "Hello."
