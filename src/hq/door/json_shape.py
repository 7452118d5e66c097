"""JSON shape: keys that the type checker knows, of what goes out as plain JSON.

    class SessionItem(TypedDict):
        id: str
        ended_at: NotRequired[str]

    class Sessions(Result):
        newest: AsJson[SessionItem]

A model neither copies its values nor leaves empty ones out, and its schema says only that it is an object: what is sent is what the
handler wrote. The tests compare each with its shape (`tests/support/shapes.py`)."""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, is_typeddict

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema

from hq.json_types import JsonObject

T = TypeVar("T")


class JsonShape:
    """The mark on a field that holds such JSON."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(as_objects(source))


AsJson = Annotated[T, JsonShape]
"""Of a field: JSON of this shape."""


def as_objects(shape: Any) -> Any:
    """The same type with every shape in it as an object of any keys."""
    kinds = tuple(as_objects(each) for each in get_args(shape))
    match get_origin(shape):
        case origin if origin in (Union, UnionType):
            return Union[kinds]  # noqa: UP007
        case origin if origin is list:
            return list[kinds[0]]
        case origin if origin is dict:
            return dict[kinds[0], kinds[1]]
        case None if isinstance(shape, TypeVar) or is_typeddict(shape):
            return JsonObject
    return shape
