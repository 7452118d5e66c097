"""Fields of OpenAI's protocol that both of its endpoints have. What hq cannot do is refused by name; nothing is dropped silently."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from hq.api.openai.problem import invalid
from hq.json_types import JsonObject

CEO = "hq-ceo"
OF_AGENT = "hq-agent-"
EMBEDDING = "hq-embedding"
EFFORT = {"none": "light", "minimal": "light", "low": "light", "high": "heavy", "xhigh": "heavy", "max": "heavy"}
"""Which of the company's minds answers, by how hard it is to think; `medium` leaves that to the company."""
LENGTH = {"low": "concise", "medium": "normal", "high": "detailed"}
MANY = 8
"""Answers to one request at most."""
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class SaidPart(TypedDict, total=False):
    """A piece of a message, as `client.ask` takes it."""

    text: str
    image: str


class SaidCall(TypedDict):
    """A call that the program was asked to make, as `client.ask` takes it."""

    id: str
    name: str
    arguments: str


class SaidMessage(TypedDict):
    """A message, as `client.ask` takes it."""

    role: Literal["user", "assistant", "tool"]
    parts: list[SaidPart]
    calls: NotRequired[list[SaidCall]]
    """Of the assistant."""
    answers: NotRequired[str | None]
    """Of a tool: the call that it is the result of."""


class ProtocolModel(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _unset(cls, given: Any) -> Any:
        """What is null was not set: clients send all that their models have."""
        if isinstance(given, dict) and any(isinstance(value, str) and "\0" in value for value in given.values()):
            raise ValueError("a text holds the character NUL, which no text can keep; leave it out")
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if value is not None}


def _nothing(value: Any) -> Any:
    if value:
        raise ValueError("hq does not do this; leave it out")
    return None


Unused = Annotated[Any, BeforeValidator(_nothing)]
"""Something that hq cannot do: it may be sent empty or false, as some clients do, and nothing else."""
NoEffect = Any
"""Something that changes nothing about the answer, and is taken as it comes."""


class CommonFields(ProtocolModel):
    """Whatever a request may say beside what is said and which tools there are."""

    model: str = Field(min_length=1, max_length=200)
    stream: bool | None = None
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, ge=0, le=1)
    parallel_tool_calls: bool | None = None
    metadata: dict[str, str] | None = None
    user: str | None = Field(None, max_length=500)
    safety_identifier: str | None = Field(None, max_length=500)
    service_tier: Literal["auto", "default"] | None = None
    store: bool | None = None
    prompt_cache_key: NoEffect = None
    prompt_cache_retention: NoEffect = None
    prompt_cache_options: NoEffect = None
    top_logprobs: Unused = None
    moderation: Unused = None

    @property
    def agent(self) -> str | None:
        """Who answers; nothing for the CEO."""
        if self.model == CEO:
            return None
        if not self.model.startswith(OF_AGENT):
            raise invalid_model(self.model)
        return self.model.removeprefix(OF_AGENT)

    @property
    def labels(self) -> JsonObject:
        said = {"metadata": self.metadata, "user": self.user, "safety_identifier": self.safety_identifier}
        return {name: value for name, value in said.items() if value}

    def sampled(self, *names: str) -> JsonObject:
        values: Mapping[str, Any] = {name: getattr(self, name) for name in ("temperature", "top_p", *names)}
        return {name: value for name, value in values.items() if value is not None}


def invalid_model(model: str) -> Exception:
    why = f"The model `{model}` does not exist; `GET /v1/models` lists those that do."
    if model == EMBEDDING:
        why = f"`{model}` is no model to talk to: it turns texts into vectors, at `POST /v1/embeddings`."
    problem = invalid(why, "model", "model_not_found")
    problem.status = 404
    return problem


def tier_of(effort: Effort | None) -> str | None:
    return EFFORT.get(effort or "medium")


def only(allowed: list[str] | None, tools: list[JsonObject]) -> list[JsonObject]:
    """Of the functions that a program has, those that may be called this time."""
    if allowed is None:
        return tools
    if unknown := set(allowed) - {str(tool["name"]) for tool in tools}:
        raise invalid(f"{sorted(unknown)[0]!r} is none of the tools that were sent", "tool_choice", "invalid_value")
    return [tool for tool in tools if tool["name"] in allowed]


def image_of(url: str, where: str) -> str:
    """The address of an image, if it is one that a mind can be given."""
    if url.startswith("data:"):
        kind, marked, data = url[5:].partition(";base64,")
        if not (kind.startswith("image/") and marked and data):
            raise invalid("an image's data: URL reads data:image/<type>;base64,<data>", where, "invalid_image_url")
        try:
            b64decode(data, validate=True)
        except ValueError as error:
            raise invalid(f"an image's data: URL is no base64 ({error})", where, "invalid_image_url") from error
    elif not url.startswith(("https://", "http://")):
        raise invalid("an image is a https:// or data: URL", where, "invalid_image_url")
    return url
