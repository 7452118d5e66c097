"""A connector's tools beside our own: in every format, callable by the same road, within the caller's rights."""

from __future__ import annotations

import json

import jsonschema
import pytest
from mcp_types import ListToolsResult

from hq.connectors.definition import fitted
from hq.door.exporters import EXPORTERS
from hq.door.strict_schema import dereferenced, strict
from hq.door.tool_call import tool_call
from hq.errors import Refused


@pytest.fixture
async def docs(hq, outside):
    await hq.do("connector.add", kind="mcp", name="my-docs", url=outside.url)


@pytest.mark.parametrize("form", EXPORTERS)
async def test_it_is_in_every_export(hq, docs, form):
    exported = await hq.do("tools.export", format=form, tools=["my-docs"])

    assert "Search the docs." in json.dumps(exported["tools"]) and "mcp:my-docs" in json.dumps(exported["tools"])


async def test_it_is_called_as_the_tool_it_is_offered_as(hq, docs):
    tool = (await hq.do("tools.export", format="mcp", tools=["my_docs__search"]))["tools"][0]
    ListToolsResult.model_validate({"tools": [tool]})
    said = {"query": "refund", "reason": "a customer asks"}
    jsonschema.validate(said, tool["inputSchema"])

    found = tool_call(hq.door.registry, "my_docs__search", said)
    outcome = await hq.call(found.verb, **found.args, _reason=found.reason)

    assert outcome.data["text"].startswith("3 results for refund")
    assert (await hq.do("action.list"))["items"][0]["reason"] == "a customer asks"


async def test_who_may_not_act_outside_is_not_offered_it(hq, docs):
    reader = await hq.agent("reader", scopes=["read"])

    listed = await hq.do("tools.list", _token=reader)

    assert "my-docs" not in {line["noun"] for line in listed["items"]}


def test_a_foreign_schema_becomes_flat_and_strict():
    schema = {
        "type": "object",
        "$defs": {"Node": {"type": "object", "properties": {"child": {"$ref": "#/$defs/Node"}, "n": {"type": ["integer", "null"]}}}},
        "properties": {
            "tree": {"$ref": "#/$defs/Node"},
            "either": {"oneOf": [{"type": "string", "pattern": "x"}, {"type": "number"}]},
            "many": {"type": ["string", "number", "null"]},
            "all": {"allOf": [{"type": "object"}]},
            "anything": {},
        },
    }  # fmt: skip

    parts = {name: strict(part) for name, part in dereferenced(schema)["properties"].items()}

    assert "$ref" not in json.dumps(parts) and "pattern" not in json.dumps(parts)
    assert parts["tree"]["properties"]["n"] == {"type": "integer"} and parts["tree"]["additionalProperties"] is False
    assert parts["either"]["anyOf"] == [{"type": "string"}, {"type": "number"}] == parts["many"]["anyOf"]
    assert parts["all"]["type"] == parts["anything"]["type"] == "string"


async def test_a_schema_that_names_another_place_makes_us_fetch_nothing():
    definition = {"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}}}

    with pytest.raises(Refused, match="cannot be used"):
        await fitted(definition, {"a": 1})
