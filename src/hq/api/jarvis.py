"""`/api/jarvis`: the supervisor for a voice or a device (001 §5 and its addendum, which wins): auth, runs, and their events."""

from __future__ import annotations

from functools import partial
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from hq.api.calls import arguments
from hq.api.credentials import LIFETIME, bearer_of, only_our_pages, remember, token_of
from hq.api.problems import problem, trace_of
from hq.api.replies import JsonResponse
from hq.api.stream import StreamResponse
from hq.chat.run_view import RunFollowOpened, RunView
from hq.door.door import Door
from hq.door.outcome import Outcome
from hq.door.tx import Call
from hq.errors import Refused
from hq.json_types import CallArgs, CallResult, HttpBody
from hq.stream.hub import Hub

COOKIE = "jarvis_session"
BACK_OFF = 5000
"""Milliseconds after which who lost the stream comes back."""
Body = TypeVar("Body", bound=BaseModel)
STARTED = ("run_id", "thread_id", "status", "estimated_duration_seconds", "stream_url")


class Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class EarlierMessage(Lenient):
    role: str = Field("user", max_length=40)
    content: str = Field("", max_length=20_000)


class RunContext(Lenient):
    conversation_id: str | None = Field(default=None, max_length=200)
    previous_messages: list[EarlierMessage] = Field(default_factory=list, max_length=50)


class Preferences(Lenient):
    verbosity: Literal["concise", "normal", "detailed"] = "normal"
    notify_on_complete: bool = False


class Dispatch(Lenient):
    task: str = Field(min_length=1, max_length=20_000, pattern=r"\S")
    context: RunContext = RunContext()
    preferences: Preferences = Preferences()

    def args(self) -> CallArgs:
        before = [f"{each.role}: {each.content}" for each in self.context.previous_messages]
        return {
            "task": self.task,
            "conversation": self.context.conversation_id,
            "previous": before,
            "verbosity": self.preferences.verbosity,
            "notify": self.preferences.notify_on_complete,
        }


class LoginSecret(Lenient):
    device_secret: str = Field(min_length=1, max_length=500)


class Jarvis:
    def __init__(self, door: Door, hub: Hub) -> None:
        self._door = door
        self._hub = hub

    def add_to(self, app: Starlette) -> None:
        app.add_route("/api/jarvis/auth", self.enter, methods=["POST"])
        app.add_route("/api/jarvis/supervisor", self.dispatch, methods=["POST"])
        app.add_route("/api/jarvis/supervisor/events", self.follow, methods=["GET"])
        app.add_route("/api/jarvis/events", self.follow, methods=["GET"])
        app.add_route("/api/jarvis/runs/{run_id}", self.show, methods=["GET"])

    async def enter(self, request: Request) -> Response:
        """A device's secret becomes a session cookie of seven days."""
        secret = _read(LoginSecret, await arguments(request)).device_secret
        outcome = await self._door.call(Call("auth.session", {}, secret, trace_id=trace_of(request)))
        if not outcome.ok:
            return problem(outcome)
        response = JsonResponse({"session_expires_in": LIFETIME, "expires_at": outcome.data["expires_at"]})
        remember(response, outcome.data["token"], request, COOKIE, "strict")
        return response

    async def dispatch(self, request: Request) -> Response:
        asked = _read(Dispatch, await arguments(request, partial(self._door.admit, _token(request))))
        key = request.headers.get("idempotency-key")
        outcome = await self._call(request, "run.start", asked.args(), key)
        if not outcome.ok:
            return problem(outcome)
        return JsonResponse({name: outcome.data[name] for name in STARTED})

    async def show(self, request: Request) -> Response:
        outcome = await self._call(request, "run.show", {"run": _number(request.path_params["run_id"])})
        return JsonResponse(_whole(outcome.data)) if outcome.ok else problem(outcome)

    async def follow(self, request: Request) -> Response:
        run = _number(request.query_params.get("run_id", ""))
        after = request.headers.get("last-event-id")
        outcome = await self._call(request, "run.follow", {"run": run} | ({"after": after} if after else {}))
        if not outcome.ok:
            return problem(outcome)
        opened = RunFollowOpened.model_validate(outcome.data)
        if opened.over:
            return Response(status_code=204)  # all of it was told: a browser stops coming back
        return StreamResponse(self._hub, RunView(self._door, opened), BACK_OFF)

    async def _call(self, request: Request, verb: str, args: CallArgs, key: str | None = None) -> Outcome:
        return await self._door.call(Call(verb, args, _token(request), key=key, trace_id=trace_of(request)))


def _token(request: Request) -> str:
    """A device's session, unless a token is sent. Devices are no browsers, so a cookie that comes with no word of where it
    comes from is taken; one that comes from another page is not."""
    session = request.cookies.get(COOKIE)
    if session and not bearer_of(request):
        if not only_our_pages(request):
            raise Refused.forbidden("a session cookie works only from hq's own pages; send a bearer token instead")
        return session
    return token_of(request)


def _read(kind: type[Body], body: HttpBody) -> Body:
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise Refused.invalid(f"{'.'.join(map(str, first['loc'])) or 'body'}: {first['msg']}") from None


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 19 and int(text)):
        raise Refused.invalid(f"run_id is {text[:40]!r}; it takes the number that POST /api/jarvis/supervisor gave")
    return int(text)


def _whole(data: CallResult) -> HttpBody:
    """Results leave out what is empty; here it is said."""
    names = ("completed_at", "duration_ms", "result", "cost_usd")
    return dict.fromkeys(names) | {"workers": []} | data
