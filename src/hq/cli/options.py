"""The arguments of a verb as options and positionals, and what was typed as the arguments of a call."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from hq.cli.names import command_name
from hq.cli.verbs import Argument, CliVerb
from hq.errors import Refused
from hq.json_types import CallArgs
from hq.suggestion import did_you_mean


class OneOf(click.Choice[str]):
    """A closed choice that knows the nearest word."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        return f"{value!r} is not one of {', '.join(self.choices)}{did_you_mean(str(value), self.choices)}"


class Number(click.ParamType):
    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number", param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number that can be stored", param, ctx)
        return int(number) if number.is_integer() and "e" not in str(value).lower() else number


class JsonParam(click.ParamType):
    """JSON as it stands, or `@file.json`."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        text = read_file(value[1:]) if value.startswith("@") else value
        try:
            return json.loads(text)
        except ValueError as error:
            self.fail(f'is not JSON ({error}); say it like \'{{"key": "value"}}\' or @file.json', param, ctx)


METAVARS = {"string": "TEXT", "integer": "N", "number": "N", "datetime": "MOMENT", "object": "JSON", "boolean": ""}
TYPES: dict[str, click.ParamType] = {
    "integer": click.INT,
    "number": Number(),
    "object": JsonParam(),
    "array": JsonParam(),
}


def parameters(verb: CliVerb) -> list[click.Parameter]:
    taken = {arg.name for arg in verb.args}
    made: list[click.Parameter] = []
    for arg in verb.args:
        if arg.secret:
            continue
        if arg.positional:
            many = -1 if arg.type == "array" else 1
            own = click.Argument([arg.name], required=False, nargs=many, type=_type(arg), metavar=arg.name.upper())
        else:
            own = _option(arg, taken)
        if not arg.choices and arg.type != "boolean":
            own._custom_shell_complete = partial(_names, verb, arg)  # what its constructor would keep as well
        made.append(own)
        if arg.long:
            made.append(click.Option([f"{option_name(arg.name)}-file", file_of(arg.name)], metavar="PATH"))
    return made


def _names(verb: CliVerb, arg: Argument, ctx: click.Context, param: click.Parameter, typed: str) -> list[Any]:
    from hq.cli.completion import offered

    return offered(verb, arg, typed)


def file_of(name: str) -> str:
    """Where click keeps the path given in place of a text."""
    return f"_{name}_file"


def option_name(name: str) -> str:
    return "--" + command_name(name)


def spellings(arg: Argument, taken: set[str]) -> list[str]:
    """`--tag` beside `--tags` for what may be said several times, unless that means something else or is no word."""
    one = re.sub("ie$", "y", arg.name.removesuffix("s"))
    several = arg.type == "array" and len(one) > 2 and not one.endswith(("s", "u")) and one not in taken
    return [option_name(name) for name in dict.fromkeys([one, arg.name] if several else [arg.name])]


def _option(arg: Argument, taken: set[str]) -> click.Option:
    names = spellings(arg, taken)
    if arg.type == "boolean":
        two_sided = arg.nullable or arg.default is True
        said = f"{names[0]}/--no-{names[0][2:]}" if two_sided else names[0]
        return click.Option([said, arg.name], is_flag=True, default=None)
    return click.Option([*names, arg.name], type=_type(arg), multiple=arg.type == "array", metavar=metavar(arg))


def metavar(arg: Argument) -> str:
    return "|".join(arg.choices) if arg.choices else METAVARS[arg.items if arg.type == "array" else arg.type]


def _type(arg: Argument) -> click.ParamType:
    if arg.choices:
        return OneOf(arg.choices)
    return TYPES.get(arg.items if arg.type == "array" else arg.type, click.STRING)


def arguments(verb: CliVerb, typed: Mapping[str, Any]) -> CallArgs:
    """What was typed, and nothing that was not: defaults are the verb's own."""
    values: CallArgs = {}
    for arg in verb.args:
        value = typed.get(arg.name)
        if arg.type == "array":
            value = [item for part in value or () for item in (part if isinstance(part, list) else [part])] or None
        if path := typed.get(file_of(arg.name)):
            if value is not None:
                raise Refused.invalid(f"say {option_name(arg.name)} or {option_name(arg.name)}-file, not both")
            value = read_file(path)
        if value is not None:
            values[arg.name] = value
    missing = [_typed_as(arg) for arg in verb.args if arg.required and not arg.secret and arg.name not in values]
    if missing:
        raise Refused.invalid(
            f"{verb.command} needs {' and '.join(missing)}", hint=f"`{verb.command} --help` shows how"
        )
    return values


def _typed_as(arg: Argument) -> str:
    return f"<{arg.name}>" if arg.positional else option_name(arg.name)


def read_file(path: str) -> str:
    """A file's text, or standard input for `-`."""
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise Refused.invalid(f"{path} is not UTF-8 text") from None
    except OSError as error:
        raise Refused.invalid(f"{path} cannot be read: {error.strerror or error}") from None
