"""`GET /v1/models` and `/v1/models/{id}`: the CEO and its agents, as models, and what turns texts into vectors."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, TypedDict

from starlette.requests import Request
from starlette.responses import Response

from hq.api.openai.fields import CEO, EMBEDDING, OF_AGENT, invalid_model
from hq.api.openai.follower import Follower
from hq.api.openai.problem import of_outcome
from hq.api.replies import JsonResponse
from hq.graph.search.service import Embedders
from hq.org.agent import Agent


class ModelItem(TypedDict):
    """A model, as the protocol has it."""

    id: str
    object: Literal["model"]
    created: int
    """When what the agent is was changed last, in seconds."""
    owned_by: Literal["hq"]


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

    async def _models(self, request: Request) -> Mapping[str, ModelItem]:
        listed = await self._follower.call(request, "agent.list", {"limit": 200})
        if not listed.ok:
            raise of_outcome(listed)
        rows = listed.data["items"]
        since = {row["slug"]: int(datetime.fromisoformat(row["updated_at"]).timestamp()) for row in rows}
        ceo = next((row["slug"] for row in rows if row["kind"] == "ceo"), None)
        others = [row["slug"] for row in rows if row["kind"] != "ceo" and row["status"] not in Agent.over]
        models = [_model(CEO, since.get(ceo, 0)), *(_model(OF_AGENT + slug, since[slug]) for slug in others)]
        models += [_model(EMBEDDING, since.get(ceo, 0))] if self._follower.door.services[Embedders].set else []
        return {model["id"]: model for model in models}


def _model(name: str, since: int) -> ModelItem:
    return {"id": name, "object": "model", "created": since, "owned_by": "hq"}
