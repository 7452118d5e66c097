"""The tools in each SDK's own words, checked by that SDK."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any, Literal
from unittest.mock import ANY

import anthropic.types
import jsonschema
import openai.types.chat
import pytest
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from mcp_types import ListToolsResult
from pydantic import BaseModel, TypeAdapter

from hq.app import registry
from hq.door.exporters import EXPORTERS, export
from hq.door.tool_call import tool_call
from hq.door.toolset import all_tools, offered, tool_of

TOOLS = all_tools(registry())
NAMES = [tool.name for tool in TOOLS]


class HermesFunction(BaseModel):
    """As the documentation of Hermes function calling has it."""

    name: str
    description: str | None = None
    parameters: dict[str, object] | None = None


class HermesSignature(BaseModel):
    function: HermesFunction
    type: Literal["function"]


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_a_description_is_one_sentence_and_fits_everywhere(tool):
    assert tool.description and ". " not in tool.description
    assert len(EXPORTERS["openai"](tool)["function"]["description"]) <= 1024


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_a_schema_is_flat_and_strict(tool):
    jsonschema.Draft202012Validator.check_schema(tool.schema)
    verb = registry().get(tool.verb)
    fields = {info.alias or name: info for name, info in verb.args.model_fields.items()}
    assert set(tool.schema["required"]) == {name for name, info in fields.items() if info.is_required()}
    assert set(tool.schema["properties"]) <= {*fields, "reason"}
    text = json.dumps(tool.schema)
    assert "$ref" not in text and '"oneOf"' not in text and "minLength" not in text
    assert all(part["additionalProperties"] is False for part in objects(EXPORTERS["anthropic"](tool)["input_schema"]))


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_examples_fit_the_schema_and_mean_the_verb(tool):
    for example in tool.examples:
        jsonschema.validate(dict(example), tool.schema)
        assert tool_call(registry(), tool.name, example).verb == tool.verb


@pytest.mark.parametrize("verb", [v for v in registry() if offered(v)], ids=lambda v: v.name)
def test_every_example_of_a_verb_can_be_said_to_its_tool_and_as_a_line(verb):
    for example in verb.examples:
        said = {k: json.dumps(v) if isinstance(v, dict) else v for k, v in example.args.items()}
        assert tool_call(registry(), tool_of(verb), said).args == dict(example.args)
        typed = tool_call(registry(), "hq", {"command": line(verb.noun, verb.action, example.args)})
        assert typed.verb == verb.name
        whole, meant = (verb.args.model_validate(args) for args in (example.args, typed.args))
        assert meant == whole


def line(noun: str, action: str, args: Any) -> str:
    words = [noun, action]
    for name, value in args.items():
        for each in value if isinstance(value, list) else [value]:
            flag = f"--{name.replace('_', '-')}"
            if isinstance(each, bool):
                words.append(flag if each else f"--no-{flag[2:]}")
            else:
                words += [flag, shlex.quote(json.dumps(each) if isinstance(each, dict) else str(each))]
    return " ".join(words)


def test_tools_that_models_know_from_elsewhere_keep_their_names():
    known = {tool.name: tool.verb for tool in TOOLS if tool.name != str(tool.verb).replace(".", "_")}

    assert known == {
        "edit_file": "file.edit", "glob": "file.glob", "grep": "file.grep", "read_file": "file.read", "write_file": "file.write",
    }  # fmt: skip
    made = tool_call(
        registry(), "ssh_exec", {"host": "cube", "command": "df -h", "reason": "asked to", "timeout": None}
    )
    assert (made.verb, made.args, made.reason) == ("ssh.exec", {"host": "cube", "command": "df -h"}, "asked to")


def test_names_of_once_are_understood():
    made = tool_call(registry(), "hq_task", {"action": "create", "title": "Call Ana", "reason": "asked to"})
    run = tool_call(registry(), "hq_project_run", {"project": "website", "task": "Mend it"})

    assert (made.verb, made.args, made.reason) == ("task.create", {"title": "Call Ana"}, "asked to")
    assert run.verb == "project.run"


def test_what_carries_a_secret_is_no_tool():
    assert not set(NAMES) & {"vault_set", "auth_token", "auth_login", "proposal_applied"}


def test_anthropic_takes_them():
    adapter = TypeAdapter(anthropic.types.ToolParam)

    for spec in export(TOOLS, "anthropic"):
        assert adapter.validate_python(spec)["name"] == spec["name"]
        assert spec["strict"] is True
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", spec["name"])


def test_anthropic_sends_them(monkeypatch):
    """Through the real client, up to the wire."""
    import httpx2

    sent: list[dict[str, Any]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content))
        return httpx2.Response(200, json=MESSAGE)

    client = anthropic.Anthropic(api_key="none", http_client=_http_client(anthropic, answer))
    made = client.messages.create(
        model="claude", max_tokens=10, messages=[{"role": "user", "content": "hi"}], tools=export(TOOLS, "anthropic")
    )

    assert made.content[0].type == "tool_use"
    assert [tool["name"] for tool in sent[0]["tools"]] == NAMES


def test_openai_takes_them():
    adapter = TypeAdapter(openai.types.chat.ChatCompletionFunctionToolParam)

    for spec in export(TOOLS, "openai"):
        adapter.validate_python(spec)
        parameters = spec["function"]["parameters"]
        jsonschema.Draft202012Validator.check_schema(parameters)
        for part in objects(parameters):  # what its strict mode demands
            assert sorted(part["required"]) == sorted(part["properties"]) and part["additionalProperties"] is False


def test_openai_says_null_for_what_it_leaves_out_and_that_is_understood():
    task = next(s for s in export(TOOLS, "openai") if s["function"]["name"] == "task_create")
    parameters = task["function"]["parameters"]
    said = dict.fromkeys(parameters["properties"]) | {"title": "Call Ana"}
    jsonschema.validate(said, parameters)

    assert tool_call(registry(), "task_create", said).args == {"title": "Call Ana"}


def test_langchain_makes_tools_of_them():
    for spec in export(TOOLS, "langchain"):
        said: list[dict[str, Any]] = []
        made = StructuredTool(**spec, func=lambda said=said, **values: said.append(values) or "done")

        assert convert_to_openai_tool(made)["function"]["name"] == spec["name"]
        tool = next(t for t in TOOLS if t.name == spec["name"])
        given = dict(tool.examples[0]) if tool.examples else dict.fromkeys(tool.schema["required"], "x")
        assert made.invoke(given) == "done" and said == [given]


def test_hermes_reads_them():
    specs = export(TOOLS, "hermes")

    assert [HermesSignature.model_validate(spec).function.name for spec in specs] == NAMES


def test_mcp_lists_them():
    listed = ListToolsResult.model_validate({"tools": export(TOOLS, "mcp")})

    assert [tool.name for tool in listed.tools] == NAMES
    hints = {tool.name: tool.annotations for tool in listed.tools}
    assert hints["ledger_verify"].read_only_hint and not hints["task_create"].read_only_hint
    assert hints["workspace_delete"].destructive_hint and hints["connector_call"].open_world_hint


def test_m8_a_tool_is_small():
    """In tokens, about: a tool shows what is needed every day, however much its verb takes."""
    assert {tool.name: tool.tokens for tool in TOOLS if tool.tokens > 330} == {"card_send": ANY}
    assert sum(tool.tokens for tool in TOOLS) < 125 * len(TOOLS)


def objects(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for part in schema for found in objects(part)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if "properties" in schema and isinstance(schema["properties"], dict) and "type" in schema else []
    return own + [found for part in schema.values() for found in objects(part)]


MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
    "content": [{"type": "tool_use", "id": "t1", "name": "task_list", "input": {}}],
}


def _http_client(sdk: Any, answer: Any) -> Any:
    import httpx2

    return sdk.DefaultHttpxClient(transport=httpx2.MockTransport(answer))
