"""`POST /v1/responses` and `GET /v1/responses/{id}`: the same company, by OpenAI's newer protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hq.api.calls import body_of
from hq.api.credentials import token_of
from hq.api.openai.chat import HEADERS, LARGEST, STILL_HERE
from hq.api.openai.fields import CEO, OF_AGENT
from hq.api.openai.follower import AnswerDelta, CompletionEnd, Follower
from hq.api.openai.problem import OpenAIProblem, of_outcome
from hq.api.openai.response_object import ResponseEvents, ResponseObject, echoed
from hq.api.openai.response_request import ResponseRequest, missing, not_there, session_of
from hq.api.replies import JsonResponse
from hq.ids import parse_id

PARAMS = {"choice": "tool_choice", "format": "text.format", "images": "input", "previous": "previous_response_id"}


class Responses:
    def __init__(self, follower: Follower) -> None:
        self._follower = follower

    async def create(self, request: Request) -> Response:
        token_of(request)  # before a byte of a stranger's is read
        asked = ResponseRequest.model_validate_json(await body_of(request, LARGEST) or b"{}")
        begun = await self._begun(request, asked)
        now = int(self._follower.door.clock.now().timestamp())
        made = ResponseObject(echoed(asked), parse_id(begun[0]), now)
        if not asked.stream:
            (end,) = await self._follower.whole(request, begun)
            return JsonResponse(made.ended(end))
        events = _events(ResponseEvents(made), await self._follower.stream(request, begun))
        return StreamingResponse(events, media_type="text/event-stream", headers=HEADERS)

    async def show(self, request: Request) -> Response:
        """An earlier one, once it is over."""
        id = request.path_params["id"]
        session = str(session_of(id, not_there))
        found = await self._follower.call(request, "client.show", {"completion": session})
        if not found.ok:
            raise not_there(id) if found.status == 404 else of_outcome(found)
        (end,) = await self._follower.whole(request, [session])
        model = CEO if found.data["agent"] == await self._ceo(request) else OF_AGENT + found.data["agent"]
        asked = ResponseRequest.model_validate({"model": model, "input": found.data["asked"] or "-"})
        created = int(end.completion.row.created_at.timestamp())
        return JsonResponse(ResponseObject(echoed(asked), end.completion.id, created).ended(end))

    async def _ceo(self, request: Request) -> str | None:
        status = await self._follower.call(request, "chat.status", {})
        return status.data["agent"] if status.ok else None

    async def _begun(self, request: Request, asked: ResponseRequest) -> list[str]:
        try:
            return await self._follower.begin(request, asked.args())
        except OpenAIProblem as problem:
            if problem.status == 404 and problem.param == "previous_response_id":
                raise missing(asked.previous_response_id or "") from problem
            raise


async def _events(events: ResponseEvents, heard: AsyncIterator[AnswerDelta | None]) -> AsyncIterator[bytes]:
    for each in events.opened():
        yield each
    async for told in heard:
        match told and told.what:
            case str() as piece:
                said = events.text(piece)
            case CompletionEnd() as end:
                said = events.ended(end)
            case OpenAIProblem() as problem:
                said = events.failed(problem)
            case _:
                said = iter((STILL_HERE,))
        for each in said:
            yield each
