"""The OpenAPI document, made from the verbs: what each takes, gives back, and how it can fail."""

from __future__ import annotations

from functools import cache

from hq import __version__
from hq.api.calls import HEADER_LIMITS
from hq.api.credentials import COOKIE
from hq.api.openai.openapi import openai_paths
from hq.api.openapi_streams import RUN, streams
from hq.api.problems import ALL_CODES, MEDIA_TYPE
from hq.app import registry
from hq.door.verb import Verb
from hq.graph.catalogue import flat_schema
from hq.graph.moment import AS_OF
from hq.json_types import JsonSchema

ANY_CALL = (
    "invalid",
    "unauthenticated",
    "forbidden",
    "not_found",
    "conflict",
    "expired",
    "too_large",
    "frozen",
    "paused",
    "too_many_calls",
    "outage",
)
ANY_REQUEST = ("unsupported_media_type", "misdirected", "defect")
SAYS = {
    "Idempotency-Key": "The same key with the same arguments acts once; the answer of the first call comes back.",
    "X-HQ-Actor": "Act as somebody narrower, such as an agent of your own.",
    "X-HQ-Reason": "Why, for the ledger. Percent-encode what is not ASCII.",
}
PARAMETERS: dict[str, JsonSchema] = {
    **{
        name: {
            "name": name, "in": "header", "description": SAYS[name],
            "schema": {"type": "string", "minLength": 1, "maxLength": limit},
        }
        for name, limit in HEADER_LIMITS.items()
    },
    "at": {
        "name": "at", "in": "query", "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": AS_OF},
        "description": "Read as it was: 2026-11-15, 3d (ago), or the `sequence` of an earlier answer.",
    },
    "known_at": {
        "name": "known_at", "in": "query", "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": AS_OF},
        "description": "Read what was believed then, when that is another moment than `at`.",
    },
}  # fmt: skip
TEXT_OR_NULL: JsonSchema = {"type": ["string", "null"]}


@cache
def document() -> JsonSchema:
    verbs = sorted(registry(), key=lambda verb: verb.name)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "hq",
            "version": __version__,
            "description": "Every verb is one POST; what it takes and gives back is the same on the command line.",
        },
        "security": [{"token": []}, {"session": []}],
        "tags": [{"name": noun} for noun in sorted({verb.noun for verb in verbs})],
        "paths": {f"/api/{v.noun}/{v.action}": {"post": _operation(v)} for v in verbs} | _house() | openai_paths(),
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "`hq auth token --device NAME` prints one.",
                },
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": COOKIE,
                    "description": "A browser that logged in.",
                },
            },
            "parameters": PARAMETERS,
            "schemas": {"Problem": _problem(), "Waiting": _envelope({"type": "object"}, ok=False)},
            "responses": {name: _problem_response(name) for name in (*ANY_CALL, *ANY_REQUEST)},
        },
    }


def _operation(verb: Verb) -> JsonSchema:
    takes = flat_schema(verb.args)
    wanted = [*HEADER_LIMITS, *(() if verb.changes or not verb.past else ("at", "known_at"))]
    return {
        "operationId": verb.name,
        "summary": verb.summary,
        "description": _description(verb),
        "tags": [verb.noun],
        "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in wanted],
        "requestBody": {
            "required": bool(takes.get("required")),
            "content": {"application/json": {"schema": takes, **_examples(verb)}},
        },
        "responses": _responses(verb),
    }


def _description(verb: Verb) -> str:
    facts = [f"Kind: {verb.kind}. Needs the scope `{verb.scope}`. Gate: {verb.gate}. Undo: {verb.undo}."]
    if verb.emits:
        facts.append(f"Emits `{verb.emits}`.")
    return " ".join([verb.summary, *facts])


def _examples(verb: Verb) -> JsonSchema:
    if not verb.examples:
        return {}
    return {"examples": {f"example {n}": {"value": dict(e.args)} for n, e in enumerate(verb.examples, 1)}}


def _responses(verb: Verb) -> JsonSchema:
    done = _json("Done.", _envelope(_result(verb), ok=True))
    if verb.changes:
        done["headers"] = {
            "Idempotent-Replay": {
                "schema": {"const": "true"},
                "description": "The answer of an earlier call with this key.",
            }
        }
    waits = {"202": _json("Waits for approval.", {"$ref": "#/components/schemas/Waiting"})} if verb.changes else {}
    failures = {str(ALL_CODES[name].status): _reference(name) for name in (*ANY_CALL, *ANY_REQUEST)}
    return {"200": done} | waits | dict(sorted(failures.items()))


def _result(verb: Verb) -> JsonSchema:
    """What the verb gives back. Empty fields are left out, and what is shown once is missing from a replay."""
    schema = flat_schema(verb.result)
    empty = {name for name, part in schema.get("properties", {}).items() if _nullable(part)}
    schema["required"] = [name for name in schema.get("required", []) if name not in empty | verb.shown_once]
    return schema


def _nullable(part: JsonSchema) -> bool:
    return any(option.get("type") == "null" for option in part.get("anyOf", []))


def _envelope(data: JsonSchema, *, ok: bool) -> JsonSchema:
    """The result contract."""
    properties: JsonSchema = {
        "ok": {"const": ok},
        "action": {"type": "string"},
        "data": data,
        "audit_event_id": TEXT_OR_NULL,
        "trace_id": {"type": "string"},
        "error": {"type": "null"} if ok else _error(),
        "sequence": TEXT_OR_NULL,
    }
    return {"type": "object", "properties": properties, "required": list(properties)}


def _error() -> JsonSchema:
    return {
        "type": "object",
        "properties": {
            "code": {"enum": sorted(ALL_CODES)},
            "message": {"type": "string"},
            "hint": {"type": "string"},
            "details": {"type": "object"},
        },
        "required": ["code", "message"],
    }


def _problem() -> JsonSchema:
    """RFC 9457, with the contract beside it."""
    contract = _envelope({}, ok=False)
    text: JsonSchema = {"type": "string"}
    own: JsonSchema = {"type": text, "title": text, "status": {"type": "integer"}, "detail": text, "instance": text}
    return contract | {"properties": own | contract["properties"], "required": [*own, *contract["required"]]}


def _problem_response(name: str) -> JsonSchema:
    code = ALL_CODES[name]
    meaning = " ".join(c.meaning for c in ALL_CODES.values() if c.status == code.status)
    return {"description": meaning, "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}


def _reference(name: str) -> JsonSchema:
    return {"$ref": f"#/components/responses/{name}"}


def _json(description: str, schema: JsonSchema) -> JsonSchema:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _house() -> JsonSchema:
    """What is no verb: how the server is."""
    report: JsonSchema = {
        "type": "object",
        "properties": {
            "status": {"enum": ["ok", "degraded"]},
            "version": {"type": "string"},
            "parts": {
                "type": "object",
                "additionalProperties": {
                    "type": "object", "properties": {"status": {"enum": ["ok", "degraded"]}}, "required": ["status"],
                },
            },
        },
        "required": ["status", "version", "parts"],
    }  # fmt: skip
    health = {"200": _json("The database answers.", report), "503": _json("The database does not answer.", report)}
    plain = {"200": {"description": "Prometheus text.", "content": {"text/plain": {"schema": {"type": "string"}}}}}
    refused = {str(ALL_CODES[name].status): _reference(name) for name in ("unauthenticated", "forbidden", "outage")}
    misdirected = {"421": _reference("misdirected")}
    return {
        **streams(),
        "/api/jarvis/runs/{run_id}": {"get": _run()},
        "/health": {"get": {"summary": "How each part is.", "security": [], "responses": health | misdirected}},
        "/metrics": {
            "get": {
                "summary": "Numbers for Prometheus.",
                "security": [{}, {"token": []}],
                "responses": plain | refused | misdirected,
            }
        },
    }


def _run() -> JsonSchema:
    """A run as it is now: what `run.show` answers, without the contract around it."""
    refused = ("invalid", "unauthenticated", "forbidden", "not_found", "misdirected", "outage")
    return {
        "operationId": "run.read",
        "summary": "What came of a run of the supervisor: its result, its workers, what it used.",
        "tags": ["run"],
        "parameters": [
            {
                "name": "run_id",
                "in": "path",
                "required": True,
                "schema": RUN,
                "description": "Which run.",
            }
        ],
        "responses": {
            "200": _json("The run as it is now.", _result(registry().verbs["run.show"])),
            **{str(ALL_CODES[name].status): _reference(name) for name in refused},
        },
    }
