"""OpenTelemetry spans with the GenAI attributes, around a session, a mind's answer and a tool call. Never their contents.

Only the API is needed, and it costs next to nothing while nobody collects. OTEL_EXPORTER_OTLP_ENDPOINT (or any other of
OpenTelemetry's own variables for traces) switches the export on, where the SDK and an exporter are installed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import structlog
from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.util.types import AttributeValue

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
log = structlog.get_logger("hq.telemetry")
_tracer = trace.get_tracer("hq")


def set_up_telemetry(env: Mapping[str, str] = os.environ) -> bool:
    """Export spans if the environment says where to. Says whether they are."""
    if not any(env.get(name) for name in ENDPOINTS) or env.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # type: ignore[import-not-found]
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.trace import TracerProvider  # type: ignore[import-not-found]
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # type: ignore[import-not-found]
    except ImportError:
        log.warning("spans are not exported; install opentelemetry-sdk and opentelemetry-exporter-otlp-proto-http")
        return False
    provider = TracerProvider(resource=_service())
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return True


def _service() -> Any:
    """Who sends them: hq, unless OpenTelemetry's own variables name it otherwise."""
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource  # type: ignore[import-not-found]

    found = Resource.create()
    unnamed = str(found.attributes[SERVICE_NAME]).startswith("unknown_service")
    return found.merge(Resource({SERVICE_NAME: "hq"})) if unnamed else found


@contextmanager
def session_span(agent: str, session: str, kind: str, trigger: str) -> Iterator[Span]:
    with _tracer.start_as_current_span(f"invoke_agent {agent}") as span:
        if span.is_recording():
            _say(
                span,
                {
                    "gen_ai.operation.name": "invoke_agent",
                    "gen_ai.agent.name": agent,
                    "gen_ai.conversation.id": session,
                    "hq.session.kind": kind,
                    "hq.session.trigger": trigger,
                },
            )
        yield span


@contextmanager
def mind_span(name: str) -> Iterator[Span]:
    """`name` is the model that is asked, as a reply names it: `anthropic:claude-sonnet-5-5`."""
    with _tracer.start_as_current_span(f"chat {name.partition(':')[2] or name}", kind=SpanKind.CLIENT) as span:
        if span.is_recording():
            _say(span, {"gen_ai.operation.name": "chat", **_model("request", name)})
        yield span


def answered(span: Span, model: str, tokens_in: int, tokens_out: int, cost_usd: Any) -> None:
    if span.is_recording():
        _say(
            span,
            {
                **_model("response", model),
                "gen_ai.usage.input_tokens": tokens_in,
                "gen_ai.usage.output_tokens": tokens_out,
                "hq.cost_usd": float(cost_usd) if cost_usd is not None else None,
            },
        )


@contextmanager
def tool_span(tool: str, call: str) -> Iterator[Span]:
    with _tracer.start_as_current_span(f"execute_tool {tool}") as span:
        if span.is_recording():
            _say(
                span,
                {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": tool,
                    "gen_ai.tool.call.id": call,
                    "gen_ai.tool.type": "function",
                },
            )
        yield span


def ended(span: Span, error: str | None, **more: Any) -> None:
    """How it went: an error's code, or nothing."""
    if span.is_recording():
        _say(span, {**more, "error.type": error})
        if error:
            span.set_status(Status(StatusCode.ERROR, error))


def _model(which: str, name: str) -> dict[str, str]:
    provider, _, model = name.partition(":")
    return {"gen_ai.provider.name": provider, f"gen_ai.{which}.model": model or provider}


def _say(span: Span, attributes: Mapping[str, AttributeValue | None]) -> None:
    span.set_attributes({name: value for name, value in attributes.items() if value is not None})
