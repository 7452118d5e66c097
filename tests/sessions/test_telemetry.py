"""Spans: a session, in it what its mind was asked and what it called, with the GenAI names and without contents."""

from __future__ import annotations

import pytest

from hq import telemetry
from tests.support.play import Told

sdk = pytest.importorskip("opentelemetry.sdk.trace")
DONE = '<task-complete reason="done"/>'


@pytest.fixture
def spans(monkeypatch):
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(telemetry, "_tracer", provider.get_tracer("hq"))
    return exporter.get_finished_spans


async def test_a_session_is_one_trace_with_its_answers_and_calls(play, spans):
    create = ("hq_task", {"action": "create", "title": "A secret plan"})
    session, _ = await play.run([create, ("hq_task", {"action": "create"}), DONE])

    found = spans()
    assert [s.name for s in found if s.name.startswith("execute")] == ["execute_tool hq_task"] * 2
    assert len([s for s in found if s.name == "chat told"]) == 3
    (whole,) = [s for s in found if s.name == "invoke_agent scout"]
    assert whole.attributes["gen_ai.conversation.id"] == session
    assert whole.attributes["hq.session.state"] == "done"
    assert all(s.parent.span_id == whole.context.span_id for s in found if s is not whole)
    chat = next(s for s in found if s.name == "chat told")
    assert (chat.attributes["gen_ai.usage.input_tokens"], chat.attributes["gen_ai.usage.output_tokens"]) == (100, 10)
    good, bad = [s for s in found if s.name.startswith("execute")]
    assert "error.type" not in good.attributes and bad.attributes["error.type"] == "invalid"
    assert not any("secret plan" in str(dict(s.attributes)) for s in found)


@pytest.mark.parametrize(("env", "name"), [({}, "hq"), ({"OTEL_SERVICE_NAME": "mine"}, "mine")])
def test_spans_are_of_the_service_hq(monkeypatch, env, name):
    for each, value in env.items():
        monkeypatch.setenv(each, value)

    assert telemetry._service().attributes["service.name"] == name


async def test_the_model_that_is_asked_is_named_and_not_only_what_its_mind_is_called(play, spans):
    class Local(Told):
        def says(self, tier):
            return f"compatible:qwen3-{tier}"

    await play.run(Local([DONE]))

    chat = next(s for s in spans() if s.name.startswith("chat"))
    assert chat.name == "chat qwen3-default" and chat.attributes["gen_ai.request.model"] == "qwen3-default"


def test_nothing_is_exported_unless_asked_for():
    assert telemetry.set_up_telemetry({}) is False
    assert telemetry.set_up_telemetry({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"}) is False
