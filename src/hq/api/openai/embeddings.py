"""`POST /v1/embeddings`: texts as vectors, by the embedder that hq searches with."""

from __future__ import annotations

import base64
from array import array
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from starlette.requests import Request
from starlette.responses import Response

from hq.api.openai.fields import EMBEDDING, NoEffect, ProtocolModel
from hq.api.openai.follower import Follower
from hq.api.openai.problem import OpenAIProblem, invalid, of_outcome
from hq.api.replies import JsonResponse
from hq.graph.search.embedders import Embedder, Unavailable, Vector
from hq.graph.search.service import Embedders
from hq.json_types import WireBody
from hq.minds.tokens import estimate

LARGEST = 4 * 1024 * 1024
"""Bytes of a request."""
MANY = 2_048
"""Texts in it."""


def _texts(value: Any) -> Any:
    """One text or several. Numbers are tokens of a tokenizer that this embedder has not."""
    several = value if isinstance(value, list) else [value]
    if any(isinstance(each, int | list) for each in several):
        raise ValueError("the input is text, or a list of texts; arrays of tokens are another model's")
    return several


class EmbeddingRequest(ProtocolModel):
    model: str = Field(min_length=1, max_length=200)
    input: Annotated[list[Annotated[str, Field(min_length=1)]], BeforeValidator(_texts)] = Field(
        min_length=1, max_length=MANY, json_schema_extra={"type": ["string", "array"]}
    )
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: int | None = Field(None, ge=1)
    user: NoEffect = None


class Embeddings:
    def __init__(self, follower: Follower) -> None:
        self._follower = follower

    async def create(self, request: Request) -> Response:
        known = await self._follower.call(request, "auth.whoami", {})  # before a byte of a stranger's is read
        if not known.ok:
            raise of_outcome(known)
        asked = EmbeddingRequest.model_validate_json(await self._follower.body(request, LARGEST))
        if asked.model != EMBEDDING:
            says = f"The model `{asked.model}` does not exist; `{EMBEDDING}` turns texts into vectors."
            raise OpenAIProblem(404, says, code="model_not_found", param="model")
        embedder = self._follower.door.services[Embedders].set
        if embedder is None:
            raise OpenAIProblem(503, "no embedder is set; HQ_EMBEDDER names one", type="server_error")
        vectors = await _embedded(embedder, asked.input)
        if asked.dimensions not in (None, len(vectors[0])):
            raise invalid(f"{EMBEDDING} has {len(vectors[0])} dimensions", "dimensions", "unsupported_value")
        read = sum(map(estimate, asked.input))
        return JsonResponse(
            {
                "object": "list",
                "data": [_told(n, vector, asked.encoding_format) for n, vector in enumerate(vectors)],
                "model": EMBEDDING,
                "usage": {"prompt_tokens": read, "total_tokens": read},
            }
        )


async def _embedded(embedder: Embedder, texts: list[str]) -> list[Vector]:
    found: list[Vector] = []
    try:
        for start in range(0, len(texts), embedder.batch):
            found += await embedder.embed(texts[start : start + embedder.batch], query=True)
    except Unavailable as error:
        raise OpenAIProblem(503, str(error), type="server_error", code="service_unavailable", retry_after=1) from None
    return found


def _told(index: int, vector: Vector, format: str | None) -> WireBody:
    """As numbers, or as the bytes of little-endian floats."""
    as_sent: object = list(vector)
    if format == "base64":
        as_sent = base64.b64encode(array("f", vector).tobytes()).decode()
    return {"object": "embedding", "index": index, "embedding": as_sent}
