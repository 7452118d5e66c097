"""Problems as OpenAI's clients read them: `{"error": {message, type, param, code}}` under the status that they act on."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import wraps

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from hq.api.replies import JsonResponse
from hq.door.outcome import Outcome
from hq.errors import HqError
from hq.graph.fault_text import MANY
from hq.json_types import ErrorDetails, WireBody
from hq.sessions.completions.completion import Failure

Handler = Callable[[Request], Awaitable[Response]]
INVALID = "invalid_request_error"
STATUS = {422: 400, 423: 403, 410: 400, 202: 409}
"""Statuses of ours that these clients do not know, and the ones they do."""
TYPES = {403: "permission_error", 409: "conflict_error", 429: "rate_limit_error"}
CODES = {
    401: "invalid_api_key",
    403: "permission_denied",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    413: "request_too_large",
    429: "rate_limit_exceeded",
}
FAILED = {
    "busy": (429, "rate_limit_error", "rate_limit_exceeded"),
    "budget": (429, "insufficient_quota", "insufficient_quota"),
    "outage": (503, "server_error", "service_unavailable"),
    "refused": (400, INVALID, "model_refused"),
    "format": (502, "server_error", "response_format_not_met"),
    "stopped": (503, "server_error", "stopped"),
    "defect": (500, "server_error", "internal_error"),
}

AGAIN = {"outage": 5}
"""Seconds after which it is worth asking again what nobody can say of until when."""


class OpenAIProblem(Exception):
    """Raised wherever a request comes to nothing; said once, at the border."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        type: str = INVALID,
        code: str | None = None,
        param: str | None = None,
        retry_after: int | None = None,
        final: bool = False,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.type, self.code, self.param = status, message, type, code, param
        self.retry_after = retry_after
        self.final = final
        """Whatever its status says, it is not worth asking again."""

    @property
    def body(self) -> WireBody:
        return {"error": {"message": self.message, "type": self.type, "param": self.param, "code": self.code}}

    @property
    def response(self) -> Response:
        headers = {"Retry-After": str(self.retry_after)} if self.retry_after is not None else {}
        if self.final:
            headers["x-should-retry"] = "false"  # OpenAI's own clients go by it
        if self.status == 401:
            headers["WWW-Authenticate"] = 'Bearer realm="hq"'
        return JsonResponse(self.body, self.status, headers=headers)


def invalid(message: str, param: str | None = None, code: str | None = None) -> OpenAIProblem:
    return OpenAIProblem(400, message, code=code, param=param)


def of_error(error: HqError) -> OpenAIProblem:
    return _problem(error.code.status, error.message, error.hint, error.details, {})


def of_outcome(outcome: Outcome, params: Mapping[str, str] | None = None) -> OpenAIProblem:
    """A call that the door refused. `params` says what our arguments are called in the protocol."""
    error = outcome.error or {}
    return _problem(outcome.status, outcome.message, error.get("hint", ""), error.get("details", {}), params or {})


def of_failure(failure: Failure, now: datetime, params: Mapping[str, str]) -> OpenAIProblem:
    """A completion that was given up."""
    status, type, code = FAILED.get(failure.sort, FAILED["defect"])
    wait = max(1, math.ceil((failure.until - now).total_seconds())) if failure.until else AGAIN.get(failure.sort)
    if failure.param:
        return invalid(failure.why, params.get(failure.param, failure.param), "unsupported_value")
    final = failure.sort in ("format", "stopped")  # asked for again here, at the same cost; or somebody's will
    return OpenAIProblem(status, failure.why, type=type, code=code, retry_after=wait, final=final)


def of_request(error: ValidationError) -> OpenAIProblem:
    """A body that does not fit: the first thing that is wrong with it. Of a value that may be one of several things, the reading that
    came furthest says what."""
    if error.error_count() > MANY:
        return invalid(f"{error.error_count():,} values of your request do not fit.")
    found = [(_where(each["loc"]), each) for each in error.errors()]
    where, first = max(
        (each for each in found if each[0].startswith(found[0][0])),
        key=lambda each: (len(each[0]), each[1]["type"] == "union_tag_invalid"),
    )
    match first["type"]:
        case "union_tag_invalid" | "literal_error":
            about = first.get("ctx", {})
            value, known = about.get("tag", first["input"]), about.get("expected_tags", about.get("expected"))
            where = where if first["type"] == "literal_error" else f"{where}.type"
            return invalid(f"Invalid value: {value!r}. hq takes {known} here.", where, "invalid_value")
        case "extra_forbidden":
            return invalid(f"Unknown parameter: '{where}'. hq knows nothing to do with it.", where, "unknown_parameter")
        case "missing":
            return invalid(f"Missing required parameter: '{where}'.", where, "missing_required_parameter")
        case "json_invalid":
            return invalid(f"We could not parse the JSON body of your request: {first['msg']}")
        case "value_error":
            return invalid(first["msg"].removeprefix("Value error, "), where, "invalid_value")
    return invalid(f"Invalid '{where or 'body'}': {first['msg']}.", where or None, "invalid_value")


def told(handler: Handler) -> Handler:
    """A handler whose refusals are answers."""

    @wraps(handler)
    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except HqError as error:
            return of_error(error).response
        except ValidationError as error:
            return of_request(error).response
        except OpenAIProblem as problem:
            return problem.response

    return answer


def _where(loc: Sequence[str | int]) -> str:
    """A place in a body as OpenAI spells it: `messages[0].content`. What pydantic adds to say which of several models it tried, is left
    out: their names, and behind the number in a list of such the sort that it is of."""
    where, tagged = "", False
    for before, part in zip((None, *loc), loc, strict=False):
        if isinstance(part, int):
            where += f"[{part}]"
        elif tagged and isinstance(before, int):
            tagged = False
        elif part[:1].isupper() or "[" in part or part in ("str", "function-after"):
            tagged = "tagged-union" in part
        else:
            where += f".{part}" if where else part
    return where


def _problem(status: int, message: str, hint: str, details: ErrorDetails, params: Mapping[str, str]) -> OpenAIProblem:
    status = STATUS.get(status, status)
    given = details.get("param")
    if status == 401:  # clients know these words
        message = f"Incorrect API key provided: {message}"
    return OpenAIProblem(
        status,
        f"{message} ({hint})" if hint else message,
        type=TYPES.get(status, "server_error" if status >= 500 else INVALID),
        code=CODES.get(status),
        param=params.get(given, given) if given else None,
        retry_after=details.get("retry_after"),
    )
