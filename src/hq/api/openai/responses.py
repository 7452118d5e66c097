"""`POST /v1/responses` and `GET /v1/responses/{id}`: the same company, by OpenAI's newer protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hq.api.openai.chat import HEADERS, LARGEST, STILL_HERE
from hq.api.openai.fields import CEO, OF_AGENT
from hq.api.openai.follower import AnswerDelta, CompletionEnd, Follower
from hq.api.openai.input_items import InputPage, items_of
from hq.api.openai.problem import OpenAIProblem, of_outcome
from hq.api.openai.response_object import ResponseEvents, ResponseObject, echoed
from hq.api.openai.response_request import ResponseRequest, missing, not_there, session_of
from hq.api.replies import JsonResponse
from hq.door.outcome import Outcome
from hq.ids import parse_id
from hq.json_types import CallArgs

PARAMS = {"choice": "tool_choice", "format": "text.format", "images": "input", "previous": "previous_response_id"}


class Responses:
    def __init__(self, follower: Follower) -> None:
        self._follower = follower

    async def create(self, request: Request) -> Response:
        asked = ResponseRequest.model_validate_json(await self._follower.body(request, LARGEST))
        args = asked.args()
        begun = await self._begun(request, asked, args)
        now = int(self._follower.door.clock.now().timestamp())
        made = ResponseObject(echoed(asked), parse_id(begun[0]), now)
        if not asked.stream:
            (end,) = await self._follower.whole(request, begun)
            return JsonResponse(made.ended(end))
        events = _events(ResponseEvents(made), await self._follower.stream(request, begun, args))
        return StreamingResponse(events, media_type="text/event-stream", headers=HEADERS)

    async def show(self, request: Request) -> Response:
        """An earlier one, once it is over."""
        await self._asked_for("client.input", request)
        found = await self._asked_for("client.show", request)
        session = found.data["completion"]
        (end,) = await self._follower.whole(request, [session])
        model = CEO if found.data["agent"] == await self._ceo(request) else OF_AGENT + found.data["agent"]
        asked = ResponseRequest.model_validate({"model": model, "input": found.data["asked"] or "-"})
        created = int(end.completion.row.created_at.timestamp())
        return JsonResponse(ResponseObject(echoed(asked), end.completion.id, created).ended(end))

    async def items(self, request: Request) -> Response:
        """What was said to it, newest first unless it is asked for otherwise."""
        id = request.path_params["id"]
        page = InputPage.model_validate(dict(request.query_params))
        found = await self._asked_for("client.input", request)
        items = items_of(session_of(id, not_there), found.data["messages"])
        return JsonResponse(page.of(items))

    async def delete(self, request: Request) -> Response:
        """Have it forgotten: no program gets it again."""
        await self._asked_for("client.forget", request)
        return JsonResponse({"id": request.path_params["id"], "object": "response", "deleted": True})

    async def _asked_for(self, verb: str, request: Request) -> Outcome:
        id = request.path_params["id"]
        found = await self._follower.call(request, verb, {"completion": str(session_of(id, not_there))})
        if not found.ok:
            raise not_there(id) if found.status == 404 else of_outcome(found)
        return found

    async def _ceo(self, request: Request) -> str | None:
        status = await self._follower.call(request, "chat.status", {})
        return status.data["agent"] if status.ok else None

    async def _begun(self, request: Request, asked: ResponseRequest, args: CallArgs) -> list[str]:
        try:
            return await self._follower.begin(request, args)
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
