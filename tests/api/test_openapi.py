"""The description is true: every verb is in it, and what it promises is what comes."""

from __future__ import annotations

import jsonschema
import pytest

from hq.api.openapi import document
from hq.app import registry
from hq.errors import CODES

EXAMPLES = [(verb.name, example.args) for verb in registry() for example in verb.examples]


def operation(verb: str) -> dict:
    return document()["paths"][f"/api/{verb.replace('.', '/')}"]["post"]


async def test_it_is_served_and_describes_every_verb(web):
    served = (await web.get("/openapi.json")).json

    assert served == document()
    assert {op["post"]["operationId"] for op in served["paths"].values() if "post" in op} == {
        verb.name for verb in registry()
    }


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
