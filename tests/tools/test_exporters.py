"""The tools in each SDK's own words, checked by that SDK."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import anthropic.types
import jsonschema
import openai.types.chat
import pytest
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from mcp_types import ListToolsResult
from pydantic import BaseModel, TypeAdapter

from hq.app import catalogue, registry
from hq.door.exporters import EXPORTERS, export, tokens
from hq.door.toolset import all_tools, offered, wanted

TOOLS = all_tools(registry(), catalogue())
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
def test_a_description_is_three_to_five_sentences_and_fits_everywhere(tool):
    assert 3 <= len(re.findall(r"[.!?](?:\s|$)", tool.description)) <= 5, tool.description
    assert len(EXPORTERS["openai"](tool)["function"]["description"]) <= 1024


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_a_schema_is_flat_and_strict(tool):
    jsonschema.Draft202012Validator.check_schema(tool.schema)
    assert tool.schema["additionalProperties"] is False
    fields = registry().get(tool.verb).args.model_fields if tool.verb else {}
    needed = {name for name, info in fields.items() if info.is_required()} if tool.verb else {"action"}
    assert set(tool.schema["required"]) == needed
    text = json.dumps(tool.schema)
    assert "$ref" not in text and '"oneOf"' not in text and "minLength" not in text
    assert all(part["additionalProperties"] is False for part in objects(tool.schema))


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_examples_fit_the_schema_and_mean_a_verb_that_takes_them(tool):
    assert tool.examples
    for example in tool.examples:
        jsonschema.validate(dict(example), tool.schema)
        found = wanted(registry(), tool.name, example)
        if len(example) > 1:
            registry().get(found.verb).args.model_validate(found.args)


@pytest.mark.parametrize("verb", [v for v in registry() if offered(v)], ids=lambda v: v.name)
def test_every_example_of_a_verb_can_be_said_to_its_tool(verb):
    tool = next(t for t in TOOLS if t.name == (verb.tool or f"hq_{verb.noun}"))

    for example in verb.examples:
        said = ({} if verb.tool else {"action": verb.action}) | {
            k: json.dumps(v) if isinstance(v, dict) else v for k, v in example.args.items()
        }
        jsonschema.validate(said, tool.schema)
        assert wanted(registry(), tool.name, said).args == dict(example.args)


def test_tools_that_models_know_from_elsewhere_are_tools_by_themselves():
    alone = {tool.name: tool.verb for tool in TOOLS if tool.verb}

    assert alone == {
        "container_exec": "container.exec", "edit_file": "file.edit", "glob": "file.glob", "grep": "file.grep",
        "hq_project_run": "project.run", "http_request": "http.request", "read_file": "file.read", "ssh_exec": "ssh.exec", "web_fetch": "web.fetch",
        "web_search": "web.search", "write_file": "file.write",
    }  # fmt: skip
    made = wanted(registry(), "ssh_exec", {"host": "cube", "command": "df -h", "reason": "asked to", "timeout": None})
    assert (made.verb, made.args, made.reason) == ("ssh.exec", {"host": "cube", "command": "df -h"}, "asked to")
    assert "hq_file" not in NAMES and "exec" not in next(t for t in TOOLS if t.name == "hq_ssh").actions


def test_what_carries_a_secret_is_no_tool():
    actions = {(tool.name, action) for tool in TOOLS for action in tool.actions}

    assert not actions & {("hq_vault", "set"), ("hq_auth", "token"), ("hq_auth", "login"), ("hq_proposal", "applied")}


def test_anthropic_takes_them():
    adapter = TypeAdapter(anthropic.types.ToolParam)

    for spec in export(TOOLS, "anthropic"):
        assert adapter.validate_python(spec)["name"] == spec["name"]
        assert spec["strict"] is True and spec["input_examples"]
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
    task = next(s for s in export(TOOLS, "openai") if s["function"]["name"] == "hq_task")
    parameters = task["function"]["parameters"]
    said = dict.fromkeys(parameters["properties"]) | {"action": "create", "title": "Call Ana"}
    jsonschema.validate(said, parameters)

    assert wanted(registry(), "hq_task", said).args == {"title": "Call Ana"}


def test_langchain_makes_tools_of_them():
    for spec in export(TOOLS, "langchain"):
        said: list[dict[str, Any]] = []
        made = StructuredTool(**spec, func=lambda said=said, **values: said.append(values) or "done")

        assert convert_to_openai_tool(made)["function"]["name"] == spec["name"]
        tool = next(t for t in TOOLS if t.name == spec["name"])
        given = dict(tool.examples[0]) if tool.verb else {"action": tool.actions[0]}
        assert made.invoke(given) == "done" and said == [given]


def test_hermes_reads_them():
    specs = export(TOOLS, "hermes")

    assert [HermesSignature.model_validate(spec).function.name for spec in specs] == NAMES


def test_mcp_lists_them():
    listed = ListToolsResult.model_validate({"tools": export(TOOLS, "mcp")})

    assert [tool.name for tool in listed.tools] == NAMES
    hints = {tool.name: tool.annotations for tool in listed.tools}
    assert hints["hq_ledger"].read_only_hint and not hints["hq_task"].read_only_hint
    assert hints["hq_entity"].destructive_hint and hints["hq_connector"].open_world_hint


def test_the_whole_set_is_affordable():
    """In tokens, about: those of the two widest are known, and all of them together stay bounded."""
    sizes = {tool.name: tokens(EXPORTERS["anthropic"](tool)) for tool in TOOLS}
    wide = {"hq_agent": 2500, "hq_mission": 2350}

    assert {name: size for name, size in sizes.items() if size >= wide.get(name, 1400)} == {}
    assert sum(sizes.values()) < 650 * len(sizes)


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
    "content": [{"type": "tool_use", "id": "t1", "name": "hq_task", "input": {"action": "list"}}],
}


def _http_client(sdk: Any, answer: Any) -> Any:
    import httpx2

    return sdk.DefaultHttpxClient(transport=httpx2.MockTransport(answer))
