"""Replies of minds as journals keep them: the parts that pydantic-ai writes, by their kinds."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from hq.json_types import CallArgs


class SpokenPart(TypedDict):
    """Words for others."""

    part_kind: Literal["text"]
    content: str


class ThoughtPart(TypedDict):
    """Words for itself."""

    part_kind: Literal["thinking"]
    content: str


class CallPart(TypedDict):
    """A tool it wants to use."""

    part_kind: Literal["tool-call"]
    tool_name: str
    tool_call_id: str
    args: NotRequired[str | CallArgs | None]
    """As text; an object in journals of earlier releases."""


ReplyPart = SpokenPart | ThoughtPart | CallPart


class KeptReply(TypedDict):
    """What a mind answered, all of it."""

    parts: list[ReplyPart]
