"""`GET /v1/responses/{id}/input_items`: what a response was asked, as items of the protocol, page by page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, Field

from hq.api.openai.fields import SaidMessage
from hq.api.openai.problem import invalid
from hq.json_types import WireBody


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


class InputPage(BaseModel):
    """Which of them."""

    limit: int = Field(20, ge=1, le=100)
    order: Literal["asc", "desc"] = "desc"
    after: str | None = None
    include: Annotated[list[str] | None, BeforeValidator(_listed)] = None

    def of(self, items: Sequence[WireBody]) -> WireBody:
        found = list(items) if self.order == "asc" else list(reversed(items))
        if self.after is not None:
            places = [place for place, item in enumerate(found) if item["id"] == self.after]
            if not places:
                raise invalid(f"there is no item {self.after!r} here", "after", "invalid_value")
            found = found[places[0] + 1 :]
        shown = found[: self.limit]
        ends = (
            {"first_id": shown[0]["id"], "last_id": shown[-1]["id"]} if shown else {"first_id": None, "last_id": None}
        )
        return {"object": "list", "data": shown, **ends, "has_more": len(found) > len(shown)}


def items_of(session: UUID, messages: Sequence[SaidMessage]) -> list[WireBody]:
    """Each message, and each call and result, by itself."""
    found = [item for said in messages for item in _items(said)]
    return [{"id": f"{_PREFIX[item['type']]}_{session.hex}_in{n}", **item} for n, item in enumerate(found)]


_PREFIX = {"message": "msg", "function_call": "fc", "function_call_output": "fco"}


def _items(said: SaidMessage) -> Iterator[WireBody]:
    if said["role"] == "tool":
        text = "\n".join(part.get("text", "") for part in said["parts"])
        yield {
            "type": "function_call_output",
            "call_id": said.get("answers"),
            "output": text,
            "status": "completed",
        }
        return
    content = [_content(said["role"], part.get("text", ""), part.get("image")) for part in said["parts"]]
    if content:
        yield {"type": "message", "role": said["role"], "status": "completed", "content": content}
    for call in said.get("calls", ()):
        yield {
            "type": "function_call",
            "call_id": call["id"],
            "name": call["name"],
            "arguments": call["arguments"],
            "status": "completed",
        }


def _content(role: str, text: str, image: str | None) -> WireBody:
    if image:
        return {"type": "input_image", "image_url": image, "detail": "auto"}
    if role == "assistant":
        return {"type": "output_text", "text": text, "annotations": []}
    return {"type": "input_text", "text": text}
