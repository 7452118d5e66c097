"""Streams in the OpenAPI document: answers that do not end by themselves, which no verb gives."""

from __future__ import annotations

from hq.api.problems import ALL_CODES
from hq.json_types import JsonSchema
from hq.stream.topics import TOPIC_PATTERN

TEXT: JsonSchema = {"type": "string"}
TOPIC: JsonSchema = {"type": "string", "pattern": TOPIC_PATTERN}
RUN: JsonSchema = {"type": "integer", "minimum": 1, "maximum": 999_999_999_999_999_999}
"""The number of a run."""
EVENT: JsonSchema = {
    "type": "object",
    "description": "Each event of the stream; its data is JSON.",
    "properties": {"id": TEXT, "event": TEXT, "data": TEXT, "retry": {"type": ["integer", "string"]}},
}
COMES_BACK: JsonSchema = {
    "name": "Last-Event-ID", "in": "header", "schema": TEXT,
    "description": "The same, as a browser says it when it comes back; it wins.",
}  # fmt: skip


def streams() -> dict[str, JsonSchema]:
    """The paths."""
    return {
        "/api/events": {"get": _stream()},
        "/api/sessions/{id}/steps": {"get": _steps()},
        "/api/chat/stream": {"get": _chat()},
        "/api/jarvis/supervisor/events": {"get": _run("run.stream")},
        "/api/jarvis/events": {"get": _run("run.stream.short")},
    }


def _streamed(
    operation: str, summary: str, says: str, failures: tuple[str, ...], *parameters: JsonSchema
) -> JsonSchema:
    """An answer that does not end by itself."""
    refused = ("invalid", "unauthenticated", "forbidden", *failures, "misdirected", "outage")
    return {
        "operationId": operation,
        "summary": summary,
        "tags": [operation.partition(".")[0]],
        "parameters": [*parameters, COMES_BACK],
        "responses": {
            "200": {"description": says, "content": {"text/event-stream": {"schema": EVENT}}},
            **{str(ALL_CODES[name].status): {"$ref": f"#/components/responses/{name}"} for name in refused},
        },
    }


def _stream() -> JsonSchema:
    return _streamed(
        "events.stream",
        "Follow events as they are announced, each once and in order.",
        "Server-sent events: each event as a message whose data is JSON with id, topic, at, action, actor, payload and "
        "prev, the id sent before it. Beside them come events named ready, heartbeat and end.",
        ("conflict",),
        {
            "name": "topic", "in": "query", "schema": {"type": "array", "items": TOPIC},
            "description": "Only these, such as task.*; may be said several times.",
        },
        {
            "name": "after", "in": "query", "schema": TEXT,
            "description": "Begin behind this id or sequence; 0 is the very beginning, none is now.",
        },
    )  # fmt: skip


def _steps() -> JsonSchema:
    return _streamed(
        "session.stream",
        "Follow a session step by step, as it happens, until it is over.",
        "Server-sent events: each step as a message whose data is JSON with step, kind, at, says and payload. Beside them "
        "come events named ready, heartbeat, end, and over when the session is.",
        ("not_found",),
        {"name": "id", "in": "path", "required": True, "schema": TEXT, "description": "Which session."},
        {
            "name": "after", "in": "query", "schema": {"type": "integer"},
            "description": "Begin behind this step; 0 is the very beginning.",
        },
    )  # fmt: skip


def _chat() -> JsonSchema:
    return _streamed(
        "chat.stream",
        "Follow a conversation: every line, and what is being said while it is said.",
        "Server-sent events: line with id, role, sender, at and text; draft with what is being said, text from character "
        "at on; status with state and why. Beside them come ready, heartbeat and end.",
        ("not_found",),
        {"name": "agent", "in": "query", "schema": TEXT, "description": "With whom; the CEO if left out."},
        {
            "name": "after", "in": "query", "schema": TEXT,
            "description": "Begin behind this place, as chat.say or a message's id said it; none is now.",
        },
    )  # fmt: skip


def _run(operation: str) -> JsonSchema:
    streamed = _streamed(
        operation,
        "Follow a run of the supervisor until it is over.",
        "Server-sent events: supervisor_started, supervisor_thinking, worker_spawned, worker_started, worker_complete, "
        "worker_summary_ready, approval_required, heartbeat, and supervisor_complete or error at the end.",
        ("not_found",),
        {"name": "run_id", "in": "query", "required": True, "schema": RUN, "description": "Which run."},
    )
    streamed["responses"]["204"] = {"description": "All of it was told."}
    return streamed
