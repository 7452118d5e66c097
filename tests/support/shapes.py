"""Shapes compared: what handlers give back as JSON of a declared shape has its keys, and no others.

A pytest plugin: every call that any test makes in its own process counts, and one that does not fit fails that test."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from hq.door import door, inner
from hq.door.json_shape import JsonShape
from hq.door.results import Listing

_WRONG: list[str] = []
_ITEM = re.compile(r"(?:Listing|Page)\[(.+?)\](?:\)|$)", re.MULTILINE)
_handled = door.handled


async def _compared(tx, verb, args):
    result = await _handled(tx, verb, args)
    for name, shape in _shapes(verb, type(result)):
        _WRONG.extend(f"{verb.name}: {each}" for each in misfits(getattr(result, name, None), shape, name))
    return result


def _shapes(verb, model) -> Iterator[tuple[str, Any]]:
    """The fields of a result that are marked, and what its verb says that it lists."""
    for name, hint in get_type_hints(model, include_extras=True).items():
        if JsonShape in getattr(hint, "__metadata__", ()) and not (name == "items" and issubclass(model, Listing)):
            yield name, get_args(hint)[0]
    if issubclass(model, Listing):
        said = str(inspect.get_annotations(verb.handler).get("return")), inspect.getsource(model).partition("\n")[0]
        if (found := _ITEM.search(said[0]) or _ITEM.search(said[1])) and found[1] != "T":
            known = verb.handler.__globals__ | vars(inspect.getmodule(model))
            yield "items", list[eval(found[1], known)]  # type: ignore[misc]


def misfits(value: Any, shape: Any, where: str) -> list[str]:
    """What of a value is not as its shape says."""
    origin, kinds = get_origin(shape), get_args(shape)
    if origin in (Union, UnionType):
        tried = [misfits(value, kind, where) for kind in kinds]
        return [] if any(not each for each in tried) else min(tried, key=len)
    if origin in (NotRequired, Required):
        return misfits(value, kinds[0], where)
    if origin is Literal:
        return [] if value in kinds else [f"{where} is {value!r}, none of {kinds}"]
    if origin in (list, tuple):
        whole = isinstance(value, origin)
        return (
            [each for n, item in enumerate(value) for each in misfits(item, kinds[0], f"{where}[{n}]")]
            if whole
            else [f"{where} is no list: {value!r}"]
        )
    if origin is dict:
        return [each for key, item in value.items() for each in misfits(item, kinds[1], f"{where}.{key}")]
    if not is_typeddict(shape):
        return _plain(value, shape, where)
    if not isinstance(value, dict):
        return [f"{where} is no object: {value!r}"]
    hints = get_type_hints(shape, include_extras=True)
    needed = {key for key in shape.__required_keys__ if get_origin(hints[key]) is not NotRequired}
    wrong = [f"{where} lacks {key}" for key in needed - value.keys()]
    wrong += [f"{where} has {key}, which {shape.__name__} does not know" for key in value.keys() - hints.keys()]
    return wrong + [e for key in value.keys() & hints.keys() for e in misfits(value[key], hints[key], f"{where}.{key}")]


def _plain(value: Any, shape: Any, where: str) -> list[str]:
    if shape in (Any, object) or (shape is NoneType and value is None):
        return []
    kinds = (int, float) if shape is float else shape
    return [] if isinstance(shape, type) and isinstance(value, kinds) else [f"{where} is {value!r}, no {shape}"]


door.handled = inner.handled = _compared


@pytest.fixture(autouse=True)
def _fits() -> Iterator[None]:
    _WRONG.clear()
    yield
    assert not _WRONG, "\n".join(_WRONG)
