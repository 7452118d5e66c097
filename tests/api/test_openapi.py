"""The description is true: every verb is in it, and what it promises is what comes."""

from __future__ import annotations

from datetime import UTC, datetime

import jsonschema
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from hq.api.jarvis import Jarvis
from hq.api.openapi import document
from hq.app import registry
from hq.errors import CODES
from hq.graph.moment import parse_moment

EXAMPLES = [(verb.name, example.args) for verb in registry() for example in verb.examples]


def operation(verb: str) -> dict:
    return document()["paths"][f"/api/{verb.replace('.', '/')}"]["post"]


async def test_it_is_served_and_describes_every_verb(web):
    served = (await web.get("/openapi.json")).json

    assert served == document()
    ours = {path: op for path, op in served["paths"].items() if path.startswith("/api/")}
    assert {op["post"]["operationId"] for op in ours.values() if "post" in op} == {verb.name for verb in registry()}


def test_every_address_of_the_supervisor_that_is_read_is_described():
    app = Starlette()
    Jarvis(None, None).add_to(app)  # type: ignore[arg-type]
    read = {route.path for route in app.routes if isinstance(route, Route) and "GET" in (route.methods or ())}

    described = {path for path, operations in document()["paths"].items() if "get" in operations}

    assert len(read) == 3 and read <= described


def test_every_error_code_is_declared():
    declared = set(operation("task.create")["responses"])

    assert declared >= {str(code.status) for code in CODES.values()}


def test_every_schema_is_a_valid_one():
    for verb in registry():
        described = operation(verb.name)
        jsonschema.Draft202012Validator.check_schema(described["requestBody"]["content"]["application/json"]["schema"])
        jsonschema.Draft202012Validator.check_schema(
            described["responses"]["200"]["content"]["application/json"]["schema"]
        )


@pytest.mark.parametrize(("verb", "args"), EXAMPLES, ids=[f"{verb}-{n}" for n, (verb, _) in enumerate(EXAMPLES)])
async def test_examples_fit_the_description(web, verb, args):
    described = operation(verb)
    jsonschema.validate(args, described["requestBody"]["content"]["application/json"]["schema"])

    answer = await web.call(verb, dict(args))

    promised = described["responses"][str(answer.status)]
    kind = answer.headers["content-type"]
    if "$ref" not in promised:
        schema = {**promised["content"][kind]["schema"], "components": document()["components"]}
        jsonschema.validate(answer.json, schema)
    else:
        jsonschema.validate(answer.json, document()["components"]["schemas"]["Problem"])


def test_x8_what_openais_clients_send_is_described_too():
    paths = document()["paths"]
    for path in ("/v1/chat/completions", "/v1/responses"):
        takes = paths[path]["post"]["requestBody"]["content"]["application/json"]["schema"]
        jsonschema.Draft202012Validator.check_schema(takes)
        assert {"tools", "tool_choice", "temperature"} <= takes["properties"].keys()
    asked = {"model": "hq-ceo", "messages": [{"role": "user", "content": "Well?"}], "n": 2}
    jsonschema.validate(
        asked, paths["/v1/chat/completions"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    )
    assert {"/v1/models", "/v1/models/{id}", "/v1/responses/{id}"} <= paths.keys()


NOT_MOMENTS = ("0", "", "2026-13-01", "2026-02-30", "1899-01-01", "999999w")


@pytest.mark.parametrize("moment", ["now", "3d", "2026-11-15", "2028-02-29", "2026-11-15T09:30:00Z"])
def test_a_moment_that_is_described_is_one(moment):
    schema = operation("graph.search")["requestBody"]["content"]["application/json"]["schema"]

    parse_moment(moment, datetime(2026, 11, 18, tzinfo=UTC))
    jsonschema.validate({"query": "x", "since": moment}, schema)
    for wrong in NOT_MOMENTS:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"query": "x", "since": wrong}, schema)


async def test_the_past_is_named_by_what_is_described(web):
    told = document()["components"]["parameters"]
    for at, known in (("0", "0"), ("0", "1d"), ("1d", "3")):
        for name, value in (("at", at), ("known_at", known)):
            jsonschema.validate(value, told[name]["schema"])
        answer = await web.call("task.list", {}, query=f"?at={at}&known_at={known}")
        assert answer.status == 200, answer.text


@pytest.mark.parametrize(
    ("verb", "good", "bad"),
    [
        ("auth.token", {"device": "phone"}, [{}, {"device": "phone", "agent": "x"}]),
        ("budget.set", {"usd_hard": 3}, [{}, {"on": "company"}, {"off": False}]),
    ],
)
def test_what_has_to_be_said_is_described(verb, good, bad):
    schema = operation(verb)["requestBody"]["content"]["application/json"]["schema"]

    jsonschema.validate(good, schema)
    for wrong in bad:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)
