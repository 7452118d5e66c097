"""The routes of `/v1`, and what stands in their place in the OpenAPI document."""

from __future__ import annotations

from starlette.applications import Starlette

from hq.api.openai.chat import PARAMS as CHAT_PARAMS
from hq.api.openai.chat import ChatCompletions
from hq.api.openai.embeddings import Embeddings
from hq.api.openai.follower import Follower
from hq.api.openai.models import Models
from hq.api.openai.problem import told
from hq.api.openai.responses import PARAMS as RESPONSE_PARAMS
from hq.api.openai.responses import Responses
from hq.door.door import Door
from hq.stream.hub import Hub


def add_openai(app: Starlette, door: Door, hub: Hub) -> None:
    chat = ChatCompletions(Follower(door, hub, CHAT_PARAMS))
    responses = Responses(Follower(door, hub, RESPONSE_PARAMS))
    models = Models(Follower(door, hub, {}))
    embeddings = Embeddings(Follower(door, hub, {}))
    app.add_route("/v1/models", told(models.list), methods=["GET"])
    app.add_route("/v1/models/{id:path}", told(models.show), methods=["GET"])
    app.add_route("/v1/chat/completions", told(chat.create), methods=["POST"])
    app.add_route("/v1/responses", told(responses.create), methods=["POST"])
    app.add_route("/v1/responses/{id}", told(responses.show), methods=["GET"])
    app.add_route("/v1/responses/{id}", told(responses.delete), methods=["DELETE"])
    app.add_route("/v1/responses/{id}/input_items", told(responses.items), methods=["GET"])
    app.add_route("/v1/embeddings", told(embeddings.create), methods=["POST"])
