"""Following completions on behalf of a request: each is begun through the door, and heard until it is over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial

from starlette.requests import Request

from hq import outside_json
from hq.api.calls import body_of
from hq.api.credentials import token_of
from hq.api.openai.problem import OpenAIProblem, of_failure, of_outcome
from hq.api.problems import trace_of
from hq.door.door import Door
from hq.door.outcome import Outcome
from hq.door.tx import Call
from hq.errors import Outage
from hq.json_types import CallArgs
from hq.sessions.completions.completion import Completion
from hq.sessions.completions.request import is_checked
from hq.sessions.completions.view import CompletionView
from hq.stream.follow import Following
from hq.stream.hub import Hub

AT_FIRST = 2.0
"""Seconds in which a stream that fails is told by its status, which clients act on; then it has begun, whatever there is to tell."""
STILL = 15.0
"""Seconds after which a silent stream says that it lives."""
CLIENT = 60
"""Characters of what a program calls itself."""


@dataclass(frozen=True)
class CompletionEnd:
    """A completion that is over, and how many tokens of it came from a cache."""

    completion: Completion
    cached: int


@dataclass(frozen=True)
class AnswerDelta:
    """Something of one of the answers: words, or its end."""

    index: int
    what: str | CompletionEnd | OpenAIProblem


class Follower:
    """What one process needs to answer requests for completions."""

    def __init__(self, door: Door, hub: Hub, params: Mapping[str, str]) -> None:
        self.door = door
        self._hub = hub
        self._params = params
        """What our arguments are called in the protocol."""

    async def call(self, request: Request, verb: str, args: CallArgs, key: str | None = None) -> Outcome:
        return await self.door.call(Call(verb, args, token_of(request), key=key, trace_id=trace_of(request)))

    async def body(self, request: Request, limit: int) -> bytes:
        """What was sent, within bounds; of a stranger's no more than a little is read. Whether it is JSON, its model says better."""
        body = await body_of(request, limit, partial(self.door.admit, token_of(request)))
        with suppress(ValueError):
            outside_json.parse(body)
        return body or b"{}"

    async def begin(self, request: Request, args: CallArgs, many: int = 1) -> list[str]:
        """As many completions as are asked for, by their ids."""
        key = request.headers.get("idempotency-key")
        client = request.headers.get("user-agent", "").strip()[:CLIENT] or "a program"
        said = {name: value for name, value in args.items() if value is not None} | {"client": client}
        begun = []
        for number in range(many):
            outcome = await self.call(request, "client.ask", said, f"{key[:150]}:{number}" if key else None)
            if outcome.replayed:  # a key keeps an answer, and no outage
                outcome = await self.call(request, "client.ask_again", {"completion": outcome.data["completion"]})
            if not outcome.ok:
                raise self._refused(outcome, args, key)
            begun.append(outcome.data["completion"])
        return begun

    def _refused(self, outcome: Outcome, args: CallArgs, key: str | None) -> OpenAIProblem:
        """In the words of who asked: an agent that is not there is a model that is not there, and a key is the one that came."""
        problem = of_outcome(outcome, self._params)
        if problem.status == 404 and problem.param is None and args.get("agent"):
            problem.param, problem.code = "model", "model_not_found"
        if outcome.code == "idempotency_conflict":
            problem.message = (
                f"the Idempotency-Key {key!r} came before with another request; a new one takes a key of its own"
            )
        return problem

    @asynccontextmanager
    async def heard(self, request: Request, completions: list[str]) -> AsyncIterator[asyncio.Queue[AnswerDelta]]:
        """What they say, as it is said, from all of them in one queue."""
        views: list[CompletionView] = []
        for each in completions:
            outcome = await self.call(request, "client.follow", {"completion": each})
            if not outcome.ok:
                raise of_outcome(outcome)
            views.append(CompletionView(self.door, outcome.data))
        heard: asyncio.Queue[AnswerDelta] = asyncio.Queue()
        tasks = [asyncio.create_task(self._follow(n, each, heard)) for n, each in enumerate(views)]
        try:
            yield heard
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def stream(
        self, request: Request, completions: list[str], args: CallArgs
    ) -> AsyncIterator[AnswerDelta | None]:
        """What they say until all are over; nothing, each time there was nothing for a while. What fails at once is raised, so that
        its status tells; once something was said, a failure can only be said in the stream. What is checked is told when it is known
        to fit, so that nothing is ever taken back."""
        stack = AsyncExitStack()
        heard = await stack.enter_async_context(self.heard(request, completions))
        if is_checked(args["format"], args["choice"]):
            heard = await stack.enter_async_context(_once_known(heard, len(completions)))
        try:
            async with asyncio.timeout(AT_FIRST):
                first: AnswerDelta | None = await heard.get()
        except TimeoutError:
            first = None
        except BaseException:
            await stack.aclose()
            raise
        if first and isinstance(first.what, OpenAIProblem):
            await stack.aclose()
            raise first.what
        return _told(stack, heard, first, len(completions))

    async def whole(self, request: Request, completions: list[str]) -> list[CompletionEnd]:
        """All of them, once they are over."""
        async with self.heard(request, completions) as heard:
            return await _ended(heard, len(completions))

    async def _follow(self, index: int, view: CompletionView, heard: asyncio.Queue[AnswerDelta]) -> None:
        try:
            async with Following(self._hub, view) as following:
                async for frames in following.frames():
                    for frame in frames:
                        if frame.name == "text":
                            heard.put_nowait(AnswerDelta(index, frame.data["text"]))  # type: ignore[index,call-overload]
        except Outage as outage:
            heard.put_nowait(AnswerDelta(index, OpenAIProblem(503, outage.message, type="server_error")))
            return
        heard.put_nowait(AnswerDelta(index, self._end(view)))

    def _end(self, view: CompletionView) -> CompletionEnd | OpenAIProblem:
        if view.done is None:
            return OpenAIProblem(503, "the server goes; ask again in a moment", type="server_error", retry_after=1)
        if failure := view.done.failure:
            return of_failure(failure, self.door.clock.now(), self._params)
        return CompletionEnd(view.done, view.cached)


async def _ended(heard: asyncio.Queue[AnswerDelta], many: int) -> list[CompletionEnd]:
    ended: dict[int, CompletionEnd] = {}
    while len(ended) < many:
        told = await heard.get()
        if isinstance(told.what, OpenAIProblem):
            raise told.what
        if isinstance(told.what, CompletionEnd):
            ended[told.index] = told.what
    return [ended[index] for index in range(many)]


@asynccontextmanager
async def _once_known(heard: asyncio.Queue[AnswerDelta], many: int) -> AsyncIterator[asyncio.Queue[AnswerDelta]]:
    """The same, nothing of it before all of it is over and fits."""
    known: asyncio.Queue[AnswerDelta] = asyncio.Queue()

    async def wait() -> None:
        try:
            for index, each in enumerate(await _ended(heard, many)):
                known.put_nowait(AnswerDelta(index, each.completion.text))
                known.put_nowait(AnswerDelta(index, each))
        except OpenAIProblem as problem:
            known.put_nowait(AnswerDelta(0, problem))

    waiting = asyncio.create_task(wait())
    try:
        yield known
    finally:
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)


async def _told(
    stack: AsyncExitStack, heard: asyncio.Queue[AnswerDelta], told: AnswerDelta | None, left: int
) -> AsyncIterator[AnswerDelta | None]:
    async with stack:
        while True:
            if told is not None:
                yield told
                left -= not isinstance(told.what, str)
                if not left:
                    return
            try:
                async with asyncio.timeout(STILL):
                    told = await heard.get()
            except TimeoutError:
                told = None
                yield None
