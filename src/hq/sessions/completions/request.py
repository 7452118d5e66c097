"""A completion request, in hq's own words: what a program says, has and wants, whatever protocol it came by."""

from __future__ import annotations

import re
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from hq.door.verb import Args, Ref
from hq.json_types import JsonObject, JsonSchema

OUR_CALL = re.compile(r"call_([0-9a-f]{32})_(\d{1,3})")
"""How the id of a call reads that a completion of ours has asked a program for: its session, and which of its calls."""
CALL_NAME = r"^[A-Za-z0-9_-]{1,64}$"


def is_checked(format: JsonSchema | None, choice: str) -> bool:
    """Whether what is said may turn out not to be what was wanted: then nothing of it is told before that is known."""
    return format is not None or choice not in ("auto", "none")


def call_id(session: UUID, number: int) -> str:
    return f"call_{session.hex}_{number}"


class RequestPart(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ClientPart(RequestPart):
    """A piece of a message: text, or an image by its address or as a `data:` URL."""

    text: str = ""
    image: str | None = None


class ClientCall(RequestPart):
    """A call that the model wanted the program to make."""

    id: str = Field(min_length=1, max_length=200)
    name: str = Field(pattern=CALL_NAME)
    arguments: str = ""
    """JSON, as the model wrote it."""


class ClientMessage(RequestPart):
    role: Literal["user", "assistant", "tool"]
    parts: list[ClientPart] = Field(default_factory=list)
    calls: list[ClientCall] = Field(default_factory=list)
    """Of the assistant."""
    answers: str | None = Field(None, max_length=200)
    """Of a tool: the id of the call that it is the result of."""

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if part.text)

    @property
    def images(self) -> list[str]:
        return [part.image for part in self.parts if part.image]


class ClientTool(RequestPart):
    """A function that the program makes itself when the model calls it."""

    name: str = Field(pattern=CALL_NAME)
    description: str = ""
    parameters: JsonSchema = Field(default_factory=lambda: {"type": "object", "properties": {}})
    """What it takes, as JSON Schema."""
    strict: bool | None = None


class CompletionArgs(Args):
    """What a program asks."""

    messages: list[ClientMessage] = Field(min_length=1, max_length=5_000)
    """What was said, in order; the last one is the user's, or the results of its tools."""
    agent: Ref | None = None
    """Who answers; the CEO unless said otherwise."""
    system: str = ""
    """The program's own instructions to the model."""
    tools: list[ClientTool] = Field(default_factory=list, max_length=128)
    """Functions of the program's own."""
    choice: str = Field("auto", max_length=64)
    """auto, none, required, or the name of the one to be called."""
    parallel: bool = True
    """Several may be called at once."""
    format: JsonSchema | None = None
    """The answer is JSON: `{}` for any object, or a JSON Schema that it must fit."""
    settings: JsonObject = Field(default_factory=dict)
    """How the mind is to choose its words, such as temperature."""
    tier: Literal["default", "heavy", "light"] | None = None
    """How strong a mind is to answer; left out, hq chooses."""
    verbosity: Literal["concise", "normal", "detailed"] = "normal"
    """How long the answer should be."""
    longest: int | None = Field(None, ge=1)
    """How many tokens the answer may have."""
    stops: list[str] = Field(default_factory=list, max_length=4)
    """Before the first of these the answer ends."""
    previous: UUID | None = None
    """The completion that this one goes on from."""
    client: str = Field("a program", max_length=200)
    """The program, as it calls itself."""
    labels: JsonObject = Field(default_factory=dict)
    """What it wants kept with it, such as the user."""

    @property
    def checked(self) -> bool:
        return is_checked(self.format, self.choice)

    @property
    def said(self) -> str:
        """What the user said last."""
        return next((each.text for each in reversed(self.messages) if each.role == "user" and each.text), "")

    @property
    def has_images(self) -> bool:
        return any(each.images for each in self.messages)

    @property
    def from_outside(self) -> bool:
        """Whether it holds what programs brought: results of its tools, or an image somewhere on the web."""
        fetched = any(not url.startswith("data:") for each in self.messages for url in each.images)
        return fetched or any(each.role == "tool" for each in self.messages)
