"""A request becomes a call: arguments, headers, the contract, problem documents."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

import pytest

from hq.api.calls import BODY_LIMIT
from hq.api.openai.chat import LARGEST
from hq.door.rate_limit import BURST, RateLimit

CONTRACT = {"ok", "action", "data", "audit_event_id", "trace_id", "error", "sequence"}
PROBLEM = {"type", "title", "status", "detail", "instance"}


async def test_a_call_answers_with_the_contract(web):
    answer = await web.call("task.create", {"title": "Call Ana"})

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json) == CONTRACT
    assert answer.json["ok"] and answer.json["action"] == "create" and answer.json["data"]["slug"] == "call-ana"


async def test_the_answer_is_what_the_door_says(web, hq):
    await hq.do("task.create", title="Call Ana")

    over_http = (await web.call("task.list", {})).json["data"]

    assert over_http == (await hq.do("task.list"))


async def test_an_empty_body_means_no_arguments(web):
    answer = await web.call("auth.whoami")

    assert answer.json["data"]["actor"] == "user:founder"


async def test_a_failed_call_is_a_problem_that_carries_the_contract(web):
    answer = await web.call("task.show", {"ref": "nope"})

    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(answer.json) == CONTRACT | PROBLEM
    assert answer.json["type"] == "/errors/not_found"
    assert answer.json["detail"] == answer.json["error"]["message"] == "there is no task 'nope'"
    assert answer.json["instance"].removeprefix("urn:uuid:").replace("-", "") == answer.json["trace_id"].removeprefix(
        "trc_"
    )


async def test_arguments_are_judged_by_the_door(web, hq):
    answer = await web.call("task.create", {"title": "", "nonsense": 1})

    outcome = await hq.call("task.create", title="", nonsense=1)
    assert answer.status == 422
    assert answer.json["error"] == outcome.error


async def test_an_agents_call_that_must_be_asked_about_waits(web, hq):
    agent = await hq.agent("chief")
    done = await hq.call("task.create", title="Call Ana")

    answer = await web.call("action.undo", {"id": str(done.action_id)}, token=agent)

    assert answer.status == 202
    assert answer.headers["content-type"] == "application/json"
    assert answer.json["error"]["code"] == "waiting" and answer.json["data"]["approval"]


async def test_the_same_key_acts_once_and_says_so(web):
    first = await web.call("task.create", {"title": "Call Ana"}, idempotency_key="k1")
    second = await web.call("task.create", {"title": "Call Ana"}, idempotency_key="k1")
    other = await web.call("task.create", {"title": "Call Bo"}, idempotency_key="k1")

    assert second.json["data"] == first.json["data"]
    assert "idempotent-replay" not in first.headers and second.headers["idempotent-replay"] == "true"
    assert (other.status, other.json["error"]["code"]) == (409, "idempotency_conflict")


async def test_a_reason_may_be_percent_encoded(web, hq):
    made = await web.call("task.create", {"title": "Call Ana"}, x_hq_reason=quote("weil Ana «möchte»"))

    shown = await hq.do("action.show", id=made.json["audit_event_id"])
    assert shown["reason"] == "weil Ana «möchte»"


async def test_a_reason_may_be_raw_utf8(web, hq):
    made = await web.call("task.create", {"title": "Call Ana"}, x_hq_reason="weil Ana möchte")

    assert (await hq.do("action.show", id=made.json["audit_event_id"]))["reason"] == "weil Ana möchte"


async def test_an_actor_narrows(web, hq):
    await hq.agent("chief")

    answer = await web.call("auth.whoami", x_hq_actor="agent:chief")

    assert answer.json["data"]["actor"] == "agent:chief"


@pytest.mark.parametrize(
    ("name", "value"),
    [("x_hq_reason", "%00"), ("x_hq_reason", "x" * 2001), ("idempotency_key", "x" * 256), ("x_hq_actor", "x" * 201)],
)
async def test_a_header_that_does_not_fit_is_named(web, name, value):
    answer = await web.call("task.create", {"title": "Call Ana"}, **{name: value})

    assert answer.status == 422
    assert name.replace("_", "-") in answer.json["detail"].lower()


async def test_the_past_is_asked_for_in_the_query(web):
    made = await web.call("task.create", {"title": "Call Ana"})
    await web.call("task.update", {"ref": "call-ana", "title": "Call Bo"})

    then = await web.call("task.show", {"ref": "call-ana"}, query=f"?at={made.json['sequence']}")

    assert then.json["data"]["title"] == "Call Ana"


async def test_an_unknown_verb_says_what_is_near(web):
    answer = await web.call("task.creat", {"title": "Call Ana"})

    assert answer.status == 404
    assert "did you mean 'task.create'?" in answer.json["detail"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"title":', "application/json", 422),
        (b"[1]", "application/json", 422),
        (b"null", "application/json", 422),
        (b'{"title": NaN}', "application/json", 422),
        (b'{"title": "\\ud800"}', "application/json", 422),
        (b'{"title": "\xff"}', "application/json", 422),
        (b'{"title": ' + b"[" * 5000 + b"]" * 5000 + b"}", "application/json", 422),
        (b'{"title": "\\u0000"}', "application/json", 422),
        (b'{"title": "x"}', "application/x-www-form-urlencoded", 415),
        (b'{"title": "x"}', "", 415),
        (b'{"title": "x"}', "application/merge-patch+json; charset=utf-8", 200),
        (b'{"title": "' + b"x" * BODY_LIMIT + b'"}', "application/json", 413),
    ],
)
async def test_a_body_that_is_no_json_object_is_a_problem(web, body, kind, status):
    headers = {"authorization": f"Bearer {web.token}", "content-type": kind}

    answer = await web.send("POST", "/api/task/create", headers, body)

    assert answer.status == status
    if status != 200:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json["status"] == status and answer.json["detail"]


async def test_a_body_that_says_it_is_too_large_is_not_even_read(web):
    headers = {"authorization": f"Bearer {web.token}", "content-length": str(BODY_LIMIT + 1)}

    answer = await web.send("POST", "/api/task/create", headers, b"")

    assert answer.status == 413


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/task/create", 405, "method_not_allowed"),
        ("DELETE", "/health", 405, "method_not_allowed"),
        ("GET", "/nowhere", 404, "not_found"),
        ("POST", "/api/task", 404, "not_found"),
        ("POST", "/api/task/create/", 404, "not_found"),
    ],
)
async def test_what_is_not_there_is_a_problem_too(web, method, path, status, code):
    answer = await web.send(method, path, {})

    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["error"]["code"] == code


async def test_a_defect_shows_nothing_of_the_inside(web, hq, monkeypatch):
    async def broken(_call: Any) -> None:
        raise ZeroDivisionError("the secret inside")

    monkeypatch.setattr(hq.door, "call", broken)
    answer = await web.call("task.list", {})

    assert answer.status == 500
    assert answer.json["error"]["code"] == "defect"
    assert "secret" not in answer.text and "Traceback" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_who_calls_too_fast_is_told_when_to_go_on(web, hq, monkeypatch):
    monkeypatch.setattr(hq.door, "rate", RateLimit(1, lambda: 0.0))
    token = await hq.agent("scout")
    answers = [await web.call("task.list", {}, token) for _ in range(BURST + 1)]

    assert [answer.status for answer in answers] == [200] * BURST + [429]
    assert answers[-1].headers["retry-after"] == "1" and answers[-1].json["error"]["code"] == "too_many_calls"
    assert (await web.call("task.list", {})).status == 200, "the founder is not"


async def test_every_code_has_a_page_that_explains_it(web):
    answer = await web.get("/errors/frozen")

    assert answer.status == 200
    assert "<code>hq thaw</code>" in answer.text
    assert (await web.get("/errors/nonsense")).status == 404


async def test_non_ascii_goes_both_ways(web):
    answer = await web.call("task.create", {"title": "Größe 漢字 🎉"})

    assert answer.json["data"]["title"] == "Größe 漢字 🎉"
    assert "漢字".encode() in answer.body and json.loads(answer.body)


async def test_a_client_that_hangs_up_is_no_defect(web):
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await web.app(web.scope("POST", "/api/task/create", {"authorization": f"Bearer {web.token}"}), receive, send)

    assert sent == []


async def test_what_is_sent_to_the_company_as_a_model_has_its_limit_too(web):
    who = {"authorization": f"Bearer {web.token}"}

    large = await web.send("POST", "/v1/chat/completions", who, b" " * (LARGEST + 1))
    stranger = await web.send("POST", "/v1/chat/completions", {}, b"not even JSON")

    assert large.status == 413 and "MiB" in large.json["error"]["message"]
    assert stranger.status == 401 and stranger.json["error"]["code"] == "invalid_api_key"


@pytest.mark.parametrize("after", ["%C2%B2", "9" * 5000, "-1", "1.5", "9" * 19])
async def test_a_step_that_is_no_number_is_refused(web, after):
    answer = await web.get(
        f"/api/sessions/01a1e2e6-e79e-7c19-b2b2-5b0fee19402b/steps?after={after}", authorization=f"Bearer {web.token}"
    )

    assert answer.status == 422 and answer.json["error"]["details"] == {"fields": ["after"]}, answer.json
    assert re.match(
        r"after must be (a whole number|at least 0|at most [\d,]+|less than [\d,]+)", answer.json["detail"]
    ), answer.json


@pytest.mark.parametrize("path", ["/api/task/create", "/v1/chat/completions", "/v1/responses"])
async def test_of_a_stranger_no_more_than_a_little_is_read(web, path):
    wanted = {"authorization": "Bearer nobody", "content-type": "application/json"}
    much = json.dumps({str(n): 1 for n in range(20_000)}).encode()

    assert (await web.send("POST", path, wanted, much)).status == 401


@pytest.mark.parametrize("path", ["/api/task/create", "/v1/chat/completions", "/v1/responses"])
async def test_what_does_not_fit_in_thousands_of_places_is_not_told_place_by_place(web, path):
    wanted = {"authorization": f"Bearer {web.token}", "content-type": "application/json"}
    told = []
    for many in (200, 60_000):
        answer = await web.send("POST", path, wanted, json.dumps({str(n): 1 for n in range(many)}).encode())
        told.append(answer.status)
        assert len(answer.body) < 2_000 and ("do not fit" if many == 200 else "50,000 values") in answer.body.decode()

    assert told == [400 if path.startswith("/v1") else 422, 413]
