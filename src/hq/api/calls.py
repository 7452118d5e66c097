"""`POST /api/<noun>/<verb>`: a request becomes a call through the door, its outcome becomes the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from urllib.parse import unquote

import structlog
from starlette.requests import Request
from starlette.responses import Response

from hq import outside_json
from hq.api.credentials import token_of
from hq.api.metrics import Meter
from hq.api.problems import HttpError, problem, trace_of
from hq.api.replies import JsonResponse
from hq.door.door import Door
from hq.door.outcome import Outcome
from hq.door.text import check_text
from hq.door.tx import Call
from hq.errors import Refused
from hq.json_types import CallArgs

log = structlog.get_logger("hq.api")
BODY_LIMIT = 4 * 1024 * 1024
LITTLE = 64 * 1024
Admit = Callable[[], Awaitable[None]]
"""Refuses who may not send at all."""
HEADER_LIMITS = {"Idempotency-Key": 200, "X-HQ-Actor": 200, "X-HQ-Reason": 2000}


class VerbHandler:
    """The one handler of every verb."""

    def __init__(self, door: Door, meter: Meter) -> None:
        self._door = door
        self._meter = meter

    async def call(self, request: Request) -> Response:
        verb = self._door.registry.get("{noun}.{action}".format(**request.path_params))
        token = token_of(request)
        call = Call(
            verb.name,
            await arguments(request, partial(self._door.admit, token)),
            token,
            key=_header(request, "Idempotency-Key"),
            reason=_header(request, "X-HQ-Reason") or "",
            actor=_header(request, "X-HQ-Actor"),
            at=request.query_params.get("at"),
            known_at=request.query_params.get("known_at"),
            trace_id=trace_of(request),
        )
        with self._meter.timed(verb) as seen:
            outcome = seen.outcome = await self._door.call(call)
        log.debug("called", verb=verb.name, status=seen.status)
        return answer(outcome)


def answer(outcome: Outcome) -> Response:
    """The contract as it is, also for a call that waits; a problem document for one that failed."""
    extra = {"Idempotent-Replay": "true"} if outcome.replayed else {}
    if outcome.status < 300:
        return JsonResponse(outcome.as_dict(), outcome.status, headers=extra)
    return problem(outcome, extra)


async def arguments(request: Request, admit: Admit | None = None) -> CallArgs:
    """The body, as far as HTTP goes: a JSON object or nothing. What may be in it is the door's to say. Nobody who is not admitted
    sends more than a little."""
    body = await body_of(request, BODY_LIMIT if admit else LITTLE, admit)
    if not body:
        return {}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise HttpError(415, f"the body is {kind or 'of no declared type'}; send it as application/json")
    try:
        value = outside_json.parse(body)
    except ValueError as error:
        raise Refused.invalid(f"the body is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise Refused.invalid('the body must be a JSON object of arguments, such as {"title": "Call Ana"}')
    return value


async def body_of(request: Request, limit: int, admit: Admit | None = None) -> bytes:
    """The body, as long as it is not too large. Of more than a little, nothing is read before it is asked whose it is."""
    declared = request.headers.get("content-length", "0")
    if declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise _too_large(limit)
        if admit is not None and len(body) > LITTLE:
            await admit()
            admit = None
    return bytes(body)


def _too_large(limit: int) -> Refused:
    most = f"{limit // 1024**2} MiB" if limit >= 1024**2 else f"{limit // 1024} KiB"
    return Refused(f"the body is larger than {most}; send less at once", code="too_large")


def _header(request: Request, name: str) -> str | None:
    """A header's text. Headers are ASCII by rights, so other characters come percent-encoded, or as raw UTF-8."""
    value = request.headers.get(name)
    if value is None:
        return None
    text = value.encode("latin-1").decode("utf-8", "replace")
    text = unquote(text, errors="replace") if name == "X-HQ-Reason" else text
    check_text(text, name)
    if not 1 <= len(text) <= HEADER_LIMITS[name]:
        raise Refused.invalid(f"{name} takes 1 to {HEADER_LIMITS[name]} characters")
    return text
