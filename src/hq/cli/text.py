"""The data of an answer as text: as its verb declares it, or as a table, details or one sentence, whichever fits it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from hq.cli.sentence import sentence
from hq.cli.verbs import CliVerb
from hq.terminal.detail import detail
from hq.terminal.screen import Screen
from hq.terminal.table import table


def text(data: Mapping[str, Any], verb: CliVerb, screen: Screen) -> Iterator[str]:
    told = None if data.get("already") else _declared(data, verb.text, screen)
    yield from _usual(data, verb, screen) if told is None else told


def _declared(data: Mapping[str, Any], text: str, screen: Screen) -> Iterable[str] | None:
    """By the function or the field that the verb names; a sentence with fields is told the usual way. Its module is loaded now, and loads no more than text needs."""
    module, _, name = text.partition(":")
    if name and "{" not in text:
        return getattr(import_module(module), name)(data, screen)
    if not text or "{" in text:
        return None
    value = data[text.removeprefix(".")]
    return [value.removesuffix("\n") if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)]


def _usual(data: Mapping[str, Any], verb: CliVerb, screen: Screen) -> Iterator[str]:
    if isinstance(data.get("items"), list):
        yield from table(data["items"], screen) if data["items"] else ()
    elif verb.changes:
        yield sentence(verb, data, screen)
        yield from _followed(data, screen)
    else:
        yield from detail(data, screen)


def _followed(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """What became of the call that an approval or a proposal set going."""
    result = data.get("result")
    if not isinstance(result, dict):
        return
    if result.get("ok"):
        name = (result.get("data") or {}).get("slug", "")
        yield f"  then: {result['action']} {name}".rstrip()
    else:
        yield screen.red(f"  then: {result['action']} did not work: {result['error']['message']}")
