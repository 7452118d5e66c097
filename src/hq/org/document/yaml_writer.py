"""YAML as we write it: the same things always give the same bytes, and any parser reads them back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from math import inf
from typing import Any

import yaml

_PLAIN = re.compile(r"^[A-Za-z][A-Za-z0-9_./-]*$")
_TAKEN = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}


class Quoted(str):
    """A text that is always written in quotes, such as a title."""


YamlTable = Mapping[str, Any]
"""Keys in the order in which they are written."""


class _Writer(yaml.SafeDumper):
    """PyYAML's, with lists further in than their key, nothing folded, and quotes round what is more than a word."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _scalar(writer: _Writer, value: Any) -> yaml.ScalarNode:
    text = str(value)
    if _PLAIN.match(text) and text.lower() not in _TAKEN and not isinstance(value, Quoted):
        return writer.represent_scalar("tag:yaml.org,2002:str", text)
    # In double quotes PyYAML would write an emoji as a number.
    style = "'" if text.isprintable() and any(sign > "\uffff" for sign in text) else '"'
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _number(writer: _Writer, value: float) -> yaml.ScalarNode:
    whole = value.is_integer() and abs(value) < 1e15
    return writer.represent_int(int(value)) if whole else writer.represent_float(value)


_Writer.add_multi_representer(str, _scalar)
_Writer.add_multi_representer(Mapping, lambda writer, value: writer.represent_dict(value.items()))
_Writer.add_multi_representer(object, _scalar)
_Writer.add_representer(str, _scalar)
_Writer.add_representer(float, _number)
_Writer.add_representer(datetime, lambda writer, value: _scalar(writer, moment(value)))


def moment(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def lines(value: Any, indent: str = "") -> Iterator[str]:
    """The lines of a table or a list."""
    for line in text(value).splitlines():
        yield indent + line


def text(value: Any) -> str:
    return yaml.dump(value, Dumper=_Writer, default_flow_style=False, allow_unicode=True, sort_keys=False, width=inf)
