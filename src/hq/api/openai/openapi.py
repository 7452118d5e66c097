"""`/v1` in the OpenAPI document: what hq takes of OpenAI's protocol, and how that fails."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from hq.api.openai.chat_request import ChatRequest
from hq.api.openai.embeddings import EmbeddingRequest
from hq.api.openai.fields import ProtocolModel
from hq.api.openai.input_items import InputPage
from hq.api.openai.response_request import ResponseRequest
from hq.graph.catalogue import flat_schema
from hq.json_types import JsonSchema

TEXT: JsonSchema = {"type": "string"}
NUMBER: JsonSchema = {"type": "integer"}
WORD: JsonSchema = {"type": ["string", "null"]}
PROBLEM: JsonSchema = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {"message": TEXT, "type": TEXT, "param": WORD, "code": WORD},
            "required": ["message", "type", "param", "code"],
        }
    },
    "required": ["error"],
}
FAILURES = {
    400: "Something in the request does not fit, or is not done here: `param` names it.",
    401: "No key, or a wrong one.",
    403: "The key may not do this, or everything is frozen.",
    404: "There is no such model, or no such response.",
    409: "The same Idempotency-Key was used for something else, or the agent does not work now.",
    413: "The request is too large.",
    421: "The Host header names another server.",
    429: "A quota or a budget is used up; `Retry-After` says until when.",
    500: "A bug in hq.",
    502: "The model did not keep to the format that was asked for.",
    503: "The model, or the database, does not answer.",
}
MODEL: JsonSchema = {
    "type": "object",
    "properties": {"id": TEXT, "object": {"const": "model"}, "created": NUMBER, "owned_by": TEXT},
    "required": ["id", "object", "created", "owned_by"],
}
MODELS: JsonSchema = {
    "type": "object",
    "properties": {"object": {"const": "list"}, "data": {"type": "array", "items": MODEL}},
    "required": ["object", "data"],
}
COMPLETION: JsonSchema = {
    "type": "object",
    "properties": {
        "id": TEXT,
        "object": {"const": "chat.completion"},
        "created": NUMBER,
        "model": TEXT,
        "choices": {"type": "array", "items": {"type": "object"}},
        "usage": {"type": "object"},
    },
    "required": ["id", "object", "created", "model", "choices", "usage"],
}
RESPONSE: JsonSchema = {
    "type": "object",
    "properties": {
        "id": TEXT,
        "object": {"const": "response"},
        "created_at": NUMBER,
        "status": {"enum": ["completed", "incomplete"]},
        "model": TEXT,
        "output": {"type": "array", "items": {"type": "object"}},
    },
    "required": ["id", "object", "created_at", "status", "model", "output"],
}
DELETED: JsonSchema = {
    "type": "object",
    "properties": {"id": TEXT, "object": {"const": "response"}, "deleted": {"const": True}},
    "required": ["id", "object", "deleted"],
}
ITEMS: JsonSchema = {
    "type": "object",
    "properties": {
        "object": {"const": "list"},
        "data": {"type": "array", "items": {"type": "object"}},
        "first_id": WORD,
        "last_id": WORD,
        "has_more": {"type": "boolean"},
    },
    "required": ["object", "data", "first_id", "last_id", "has_more"],
}
EMBEDDINGS: JsonSchema = {
    "type": "object",
    "properties": {
        "object": {"const": "list"},
        "data": {"type": "array", "items": {"type": "object"}},
        "model": TEXT,
        "usage": {"type": "object"},
    },
    "required": ["object", "data", "model", "usage"],
}
ID: JsonSchema = {"name": "id", "in": "path", "required": True, "schema": TEXT, "description": "Which one."}


def openai_paths() -> JsonSchema:
    return {
        "/v1/models": {"get": _read("models.list", "The CEO and its agents, as models.", MODELS)},
        "/v1/models/{id}": {"get": _read("models.retrieve", "One of them.", MODEL, ID)},
        "/v1/chat/completions": {
            "post": _ask("chat.completions.create", "Ask the company as a model is asked.", ChatRequest, COMPLETION)
        },
        "/v1/responses": {
            "post": _ask("responses.create", "The same, by OpenAI's newer protocol.", ResponseRequest, RESPONSE)
        },
        "/v1/responses/{id}": {
            "get": _read("responses.retrieve", "An earlier response.", RESPONSE, ID),
            "delete": _read("responses.delete", "Have it forgotten.", DELETED, ID),
        },
        "/v1/responses/{id}/input_items": {
            "get": _read("responses.input_items.list", "What it was asked.", ITEMS, ID, *_queries(InputPage))
        },
        "/v1/embeddings": {
            "post": _ask("embeddings.create", "Texts as vectors.", EmbeddingRequest, EMBEDDINGS, streams=False)
        },
    }


def _read(operation: str, summary: str, gives: JsonSchema, *parameters: JsonSchema) -> JsonSchema:
    return {
        "operationId": operation,
        "summary": summary,
        "tags": ["openai"],
        "security": [{"token": []}],
        "parameters": list(parameters),
        "responses": {"200": _json("Here it is.", gives)} | _failures(),
    }


def _ask(
    operation: str, summary: str, takes: type[ProtocolModel], gives: JsonSchema, *, streams: bool = True
) -> JsonSchema:
    said = _json(
        "The answer; with `stream`, server-sent events as OpenAI names them." if streams else "The answer.", gives
    )
    if streams:
        said["content"]["text/event-stream"] = {"schema": TEXT}
    body = {"required": True, "content": {"application/json": {"schema": _plain(flat_schema(takes))}}}
    return _read(operation, summary, gives) | {"requestBody": body, "responses": {"200": said} | _failures()}


def _queries(takes: type[BaseModel]) -> list[JsonSchema]:
    fields = flat_schema(takes)["properties"]
    return [{"name": name, "in": "query", "required": False, "schema": part} for name, part in fields.items()]


def _plain(part: Any) -> Any:
    """Without what points to definitions that are written out here."""
    if isinstance(part, dict):
        return {
            key: _plain(value)
            for key, value in part.items()
            if not (key == "discriminator" and isinstance(value, dict) and "mapping" in value)
        }
    return [_plain(each) for each in part] if isinstance(part, list) else part


def _failures() -> JsonSchema:
    return {str(status): _json(says, PROBLEM) for status, says in FAILURES.items()}


def _json(description: str, schema: JsonSchema) -> JsonSchema:
    return {"description": description, "content": {"application/json": {"schema": schema}}}
