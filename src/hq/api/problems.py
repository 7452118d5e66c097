"""Problems, as answers: a page for whoever looks, and for programs an RFC 9457 problem document with the result
contract."""

from __future__ import annotations

from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from hq.api.replies import JsonResponse
from hq.door.outcome import Outcome
from hq.errors import CODES, Code, HqError, Refused
from hq.ids import new_id, trace_name
from hq.web.notice import notice, trouble

MEDIA_TYPE = "application/problem+json"
OPENAI = "/v1/"
"""Where problems are said as OpenAI's clients read them."""
FOR_PROGRAMS = ("/api/", "/v1/", "/mcp", "/part/", "/stream", "/static/", "/openapi.json", "/health", "/metrics",
                "/.well-known/", "/register", "/token", "/revoke")  # fmt: skip

# What only HTTP can get wrong; the door never says these.
HTTP_CODES = {
    code.status: code
    for code in (
        Code("method_not_allowed", 1, 405, "The path is there, but not for this method; verbs take POST."),
        Code(
            "unsupported_media_type", 1, 415, "The body is not declared as JSON; send `Content-Type: application/json`."
        ),
        Code("misdirected", 1, 421, "The Host header names a server this one is not; HQ_ALLOWED_HOSTS adds names."),
    )
}
ALL_CODES: dict[str, Code] = CODES | {code.name: code for code in HTTP_CODES.values()}
HEADERS = {401: {"WWW-Authenticate": 'Bearer realm="hq"'}, 503: {"Retry-After": "1"}}


class HttpError(HqError):
    """A refusal that belongs to HTTP alone."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.code = HTTP_CODES[status]


def problem(outcome: Outcome, extra: dict[str, str] | None = None) -> Response:
    """The answer to a call that failed."""
    assert outcome.code is not None
    code = ALL_CODES[outcome.code]
    body = {
        "type": f"/errors/{code.name}",
        "title": code.name.replace("_", " ").capitalize(),
        "status": code.status,
        "detail": outcome.message,
        "instance": outcome.trace_id.urn,
        **outcome.as_dict(),
    }
    headers = HEADERS.get(code.status, {}) | (extra or {})
    if wait := (outcome.error or {}).get("details", {}).get("retry_after"):
        headers["Retry-After"] = str(wait)
    return JsonResponse(body, code.status, headers=headers, media_type=MEDIA_TYPE)


def refusal(request: Request, error: HqError, extra: dict[str, str] | None = None) -> Response:
    """The answer to a request that never became a call."""
    if for_a_browser(request):
        return trouble(error, trace_name(trace_of(request)))
    if request.url.path.startswith(OPENAI):
        from hq.api.openai.problem import of_error

        return of_error(error).response
    return problem(Outcome.failed(_action(request), error, trace_of(request)), extra)


def for_a_browser(request: Request) -> bool:
    """Whether somebody looks at the answer: a browser asks for HTML, and not where programs ask."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(FOR_PROGRAMS)


async def explain(request: Request) -> Response:
    """`GET /errors/<code>`: where the `type` of a problem document leads."""
    code = ALL_CODES.get(request.path_params["code"])
    if code is None:
        raise Refused.not_found(f"there is no error {request.path_params['code']!r}")
    title = code.name.replace("_", " ").capitalize()
    return notice(title, f"{code.meaning} HTTP status {code.status}, exit code {code.exit} on the command line.")


async def on_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HqError)
    return refusal(request, error)


async def on_http_error(request: Request, error: Exception) -> Response:
    """Starlette's own: a path or a method that is not there."""
    assert isinstance(error, HTTPException)
    path, method = request.url.path, request.method
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        found: HqError = HttpError(405, f"{path} does not take {method}; it takes {allowed or 'another method'}")
    elif error.status_code == 404:
        where = "" if for_a_browser(request) else "; /openapi.json lists what there is"
        found = HqError(f"there is nothing at {path}{where}", code="not_found")
    else:
        found = HqError(str(error.detail), code="invalid")
    return refusal(request, found, dict(error.headers or {}))


def trace_of(request: Request) -> UUID:
    return getattr(request.state, "trace_id", None) or new_id()


def _action(request: Request) -> str:
    """`task.create` for /api/task/create, so that the contract names the action even when the call was never made."""
    named = request.path_params
    return f"{named['noun']}.{named['action']}" if "action" in named else ""
