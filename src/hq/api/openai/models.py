"""`GET /v1/models` and `/v1/models/{id}`: the CEO and its agents, as models."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from hq.api.openai.fields import CEO, OF_AGENT, invalid_model
from hq.api.openai.follower import Follower
from hq.api.openai.problem import of_outcome
from hq.api.replies import JsonResponse
from hq.json_types import JsonObject


class Models:
    def __init__(self, follower: Follower) -> None:
        self._follower = follower

    async def list(self, request: Request) -> Response:
        names = await self._names(request)
        return JsonResponse({"object": "list", "data": [_model(name) for name in names]})

    async def show(self, request: Request) -> Response:
        name = request.path_params["id"]
        if name not in await self._names(request):
            raise invalid_model(name)
        return JsonResponse(_model(name))

    async def _names(self, request: Request) -> Sequence[str]:
        listed = await self._follower.call(request, "agent.list", {"limit": 200})
        if not listed.ok:
            raise of_outcome(listed)
        others = [row["slug"] for row in listed.data["items"] if row["kind"] != "ceo" and row["status"] != "retired"]
        return [CEO, *(OF_AGENT + slug for slug in others)]


def _model(name: str) -> JsonObject:
    return {"id": name, "object": "model", "created": 0, "owned_by": "hq"}
