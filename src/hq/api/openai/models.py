"""`GET /v1/models` and `/v1/models/{id}`: the CEO and its agents, as models."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

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
        models = await self._models(request)
        return JsonResponse({"object": "list", "data": [*models.values()]})

    async def show(self, request: Request) -> Response:
        name = request.path_params["id"]
        if (model := (await self._models(request)).get(name)) is None:
            raise invalid_model(name)
        return JsonResponse(model)

    async def _models(self, request: Request) -> Mapping[str, JsonObject]:
        listed = await self._follower.call(request, "agent.list", {"limit": 200})
        if not listed.ok:
            raise of_outcome(listed)
        rows = listed.data["items"]
        models = [_model(CEO, next((row for row in rows if row["kind"] == "ceo"), None))]
        models += [
            _model(OF_AGENT + row["slug"], row) for row in rows if row["kind"] != "ceo" and row["status"] != "retired"
        ]
        return {model["id"]: model for model in models}


def _model(name: str, agent: JsonObject | None) -> JsonObject:
    """A model is as old as what its agent is now."""
    since = int(datetime.fromisoformat(agent["updated_at"]).timestamp()) if agent else 0
    return {"id": name, "object": "model", "created": since, "owned_by": "hq"}
