"""The official clients talk to the scripted mind as if it were their own provider, over a real socket."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import anthropic
import httpx
import openai
import pytest

from tests.support.provider import Provider

SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "due": {"type": "string"},
    },
    "required": ["title"],
    "additionalProperties": False,
}
SAID = "add a task to call Ana on 2026-03-04"
ARGS = {"title": "Call Ana", "due": "2026-03-04"}
RESULT = json.dumps({"ok": True, "data": {"slug": "call-ana", "title": "Call Ana", "due": "2026-03-04T00:00:00Z"}})
ANSWER = "Added “Call Ana”, due Wed 04 Mar 2026. It is call-ana."


@pytest.fixture
def claude(provider: Provider) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=provider.url, api_key="none", max_retries=0)


@pytest.fixture
def gpt(provider: Provider) -> openai.OpenAI:
    return openai.OpenAI(base_url=provider.url + "/v1", api_key="none", max_retries=0)


def test_anthropic_calls_a_tool_and_takes_its_result(claude: anthropic.Anthropic) -> None:
    asked: dict[str, Any] = {
        "model": "claude-x",
        "max_tokens": 500,
        "tools": [{"name": "task_create", "input_schema": SCHEMA}],
    }
    first = claude.messages.create(messages=[{"role": "user", "content": SAID}], **asked)
    call = first.content[0]
    assert (first.stop_reason, call.type) == ("tool_use", "tool_use")
    assert call.input == ARGS

    second = claude.messages.create(
        messages=[
            {"role": "user", "content": SAID},
            {"role": "assistant", "content": first.content},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": RESULT}]},
        ],
        **asked,
    )
    assert second.content[0].text == ANSWER
    assert second.stop_reason == "end_turn"


def test_anthropic_streams_text_and_tool_calls(claude: anthropic.Anthropic) -> None:
    with claude.messages.stream(model="x", max_tokens=99, messages=[{"role": "user", "content": "help"}]) as stream:
        heard = list(stream.text_stream)
    assert len(heard) > 1
    assert "what time is it" in "".join(heard)

    tools: Any = [{"name": "task_create", "input_schema": SCHEMA}]
    with claude.messages.stream(
        model="x", max_tokens=99, tools=tools, messages=[{"role": "user", "content": SAID}]
    ) as stream:
        final = stream.get_final_message()
    assert final.content[0].input == ARGS


def test_anthropic_counts_tokens_and_lists_models(claude: anthropic.Anthropic) -> None:
    long = claude.messages.count_tokens(model="x", messages=[{"role": "user", "content": "word " * 400}])
    assert 400 <= long.input_tokens <= 600
    assert "script" in [model.id for model in claude.models.list()]


def test_openai_chat_calls_a_tool_and_takes_its_result(gpt: openai.OpenAI) -> None:
    tools: Any = [{"type": "function", "function": {"name": "task_create", "parameters": SCHEMA}}]
    talk: list[Any] = [{"role": "system", "content": "You are chief."}, {"role": "user", "content": SAID}]
    first = gpt.chat.completions.create(model="gpt-x", messages=talk, tools=tools).choices[0]
    assert first.finish_reason == "tool_calls"
    assert first.message.tool_calls
    call = first.message.tool_calls[0]
    assert json.loads(call.function.arguments) == ARGS

    talk += [first.message, {"role": "tool", "tool_call_id": call.id, "content": RESULT}]
    second = gpt.chat.completions.create(model="gpt-x", messages=talk, tools=tools)
    assert second.choices[0].message.content == ANSWER
    assert second.usage
    assert second.usage.total_tokens > 0


def test_openai_chat_streams(gpt: openai.OpenAI) -> None:
    tools: Any = [{"type": "function", "function": {"name": "task_create", "parameters": SCHEMA}}]
    chunks = list(
        gpt.chat.completions.create(model="x", messages=[{"role": "user", "content": "help"}], tools=tools, stream=True)
    )
    text = [c.choices[0].delta.content for c in chunks if c.choices and c.choices[0].delta.content]
    assert len(text) > 1
    assert "add a task" in "".join(text)
    assert chunks[-1].usage

    chunks = list(
        gpt.chat.completions.create(model="x", messages=[{"role": "user", "content": SAID}], tools=tools, stream=True)
    )
    deltas = [call for c in chunks if c.choices for call in c.choices[0].delta.tool_calls or []]
    assert json.loads("".join(d.function.arguments or "" for d in deltas if d.function)) == ARGS


def test_openai_responses_call_a_tool_and_take_its_result(gpt: openai.OpenAI) -> None:
    tools: Any = [{"type": "function", "name": "task_create", "parameters": SCHEMA, "strict": False}]
    first = gpt.responses.create(model="x", input=SAID, tools=tools, instructions="You are chief.")
    call: Any = first.output[0]
    assert json.loads(call.arguments) == ARGS

    talk: Any = [
        {"role": "user", "content": SAID},
        call.model_dump(),
        {"type": "function_call_output", "call_id": call.call_id, "output": RESULT},
    ]
    assert gpt.responses.create(model="x", input=talk, tools=tools).output_text == ANSWER


def test_openai_responses_stream(gpt: openai.OpenAI) -> None:
    with gpt.responses.stream(model="x", input="help") as stream:
        heard = [event.delta for event in stream if event.type == "response.output_text.delta"]
        final = stream.get_final_response()
    assert len(heard) > 1
    assert final.output_text == "".join(heard)


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'{"messages": 3}', b'{"messages": [{"role": "user", "content": [{}, 3]}]}']
)
@pytest.mark.parametrize(
    "path", ["/v1/messages", "/v1/chat/completions", "/v1/responses", "/v1beta/models/x:generateContent"]
)
def test_a_request_that_makes_no_sense_is_refused_with_a_sentence(provider: Provider, path: str, body: bytes) -> None:
    answer = httpx.post(provider.url + path, content=body)

    assert answer.status_code in (200, 400)
    assert answer.status_code == 200 or answer.json()["error"]["message"]


def test_a_page_that_rebinds_its_name_to_this_machine_is_not_answered(provider: Provider) -> None:
    answer = httpx.post(provider.url + "/v1/messages", content=b"{}", headers={"Host": "evil.example"})

    assert answer.status_code == 403


def test_the_time_on_the_wire_is_now(gpt: openai.OpenAI) -> None:
    said = gpt.responses.create(model="x", input="what day is it?").output_text

    assert f"{datetime.now(UTC):%Y}" in said


def test_a_program_that_has_nothing_but_a_shell_is_served_too(gpt: openai.OpenAI) -> None:
    where = "<environment_context>\n  <cwd>/home/ana/book</cwd>\n</environment_context>"
    talk: list[Any] = [{"role": "user", "content": where}, {"role": "user", "content": "Delete notes.md"}]
    schema = {"type": "object", "properties": {"cmd": {"type": "string"}}, "required": ["cmd"]}
    asked: Any = {"model": "x", "tools": [{"type": "function", "name": "exec_command", "parameters": schema}]}

    call: Any = gpt.responses.create(input=talk, **asked).output[-1]
    assert (call.name, json.loads(call.arguments)) == ("exec_command", {"cmd": "rm -rf notes.md"})
    said: Any = {"type": "function_call_output", "call_id": call.call_id}
    said["output"] = "Wall time: 0 seconds\nProcess exited with code 1\nOutput:\nit is in use\n"
    told = gpt.responses.create(input=[*talk, call.model_dump(), said], **asked)
    assert told.output_text == "I left notes.md where it is: it is in use"

    talk[1]["content"] = "Build a small web app that keeps a guest book."
    built: Any = gpt.responses.create(input=talk, **asked).output[-1]
    assert "*** Add File: /home/ana/book/app.py\n+" in json.loads(built.arguments)["cmd"]
    talk[1]["content"] += "\n\nChange nothing."
    assert gpt.responses.create(input=talk, **asked).output_text.startswith("Plan:")
