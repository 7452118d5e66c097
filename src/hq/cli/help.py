"""The help of a verb: what it does, what it takes, and an example that works. Of many options those of every day; `--all` has
the rest."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from typing import Any

import click

from hq.cli.flags import Flag
from hq.cli.options import metavar, option_name, spellings
from hq.cli.verbs import Argument, CliVerb
from hq.json_types import CallArgs

ALL = "--all"
DAILY = ("_json", "_quiet", "_reason", "_at")
"""The flags of every verb that its help begins with."""


def wants_all(ctx: click.Context, args: list[str]) -> list[str]:
    """What was typed without the `--all` beside a `--help`, which is noted for whoever writes the help."""
    if ALL not in args or not {*args} & {*ctx.help_option_names}:
        return args
    ctx.meta[ALL] = True
    return [word for word in args if word != ALL]


def write(verb: CliVerb, ctx: click.Context, out: click.HelpFormatter) -> None:
    every = bool(ctx.meta.get(ALL))
    out.write_usage(verb.command, usage(verb))
    out.write_paragraph()
    out.write_text(verb.says)
    own = [p for p in ctx.command.params if isinstance(p, click.Option) and not isinstance(p, Flag) and p.help]
    more = [record for option in own if (record := option.get_help_record(ctx))]
    write_arguments(verb, out, more, every=every)
    _section(out, "Asked for, or read from a pipe", [(a.name, a.says) for a in verb.args if a.secret])
    flags = [p for p in ctx.command.params if isinstance(p, Flag) and (every or p.name in DAILY)]
    _section(out, "Everywhere", [record for flag in flags if (record := flag.get_help_record(ctx))])
    write_examples(verb, out)
    if not every:
        rare = sum(arg.rare for arg in verb.args)
        out.write_paragraph()
        out.write_text(f"`{verb.command} --help --all` shows {f'{rare} more options and ' if rare else ''}every flag.")


def write_arguments(
    verb: CliVerb, out: click.HelpFormatter, more: Sequence[tuple[str, str]] = (), *, every: bool = False
) -> None:
    """What it takes: by place, and by name."""
    taken = {arg.name for arg in verb.args}
    _section(out, "Arguments", [(a.name.upper(), _says(a)) for a in verb.args if a.positional])
    named = [a for a in verb.args if not a.positional and not a.secret and (every or not a.rare)]
    _section(out, "Options", [*((_option(a, taken), _says(a)) for a in named), *more])


def usage(verb: CliVerb) -> str:
    """What follows the command."""
    required = [
        f"{option_name(a.name)} {metavar(a)}" for a in verb.args if a.required and not a.positional and not a.secret
    ]
    places = [a.name.upper() if a.required else f"[{a.name.upper()}]" for a in verb.args if a.positional]
    return " ".join([*places, *required, "[options]"])


def write_examples(verb: CliVerb, out: click.HelpFormatter) -> None:
    if verb.examples:
        with out.section("Examples" if len(verb.examples) > 1 else "Example"):
            for example in verb.examples:
                out.write(f"{'':>{out.current_indent}}{command_line(verb, example)}\n")


def command_line(verb: CliVerb, example: CallArgs) -> str:
    """An example as it is typed."""
    args = {arg.name: arg for arg in verb.args}
    words = verb.command.split()
    for arg in verb.args:
        if arg.positional and arg.name in example:
            given = example[arg.name]
            words += map(_quoted, given if isinstance(given, list) else [given])
    for name, value in example.items():
        if name not in args:  # a flag that every verb has
            words += [option_name(name), _quoted(value)]
        elif not args[name].positional and args[name].items != "object":  # those a folder brings along
            words += _option_text(args[name], value)
    typed = " ".join(words)
    return f"echo … | {typed}" if any(arg.secret for arg in verb.args) else typed


def _option_text(arg: Argument, value: Any) -> list[str]:
    option = option_name(arg.name)
    if isinstance(value, bool):
        return [option if value else f"--no-{option[2:]}"]
    if isinstance(value, list):
        return [word for item in value for word in (option, _quoted(item))]
    return [option, _quoted(value)]


def _quoted(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f'"{text}"' if " " in text and not re.search(r'["$`\\!]', text) else shlex.quote(text)


def _option(arg: Argument, taken: set[str]) -> str:
    names = ", ".join(spellings(arg, taken))
    if arg.type == "boolean":
        return f"{names} / --no-{names[2:]}" if arg.nullable or arg.default is True else names
    file = f", {option_name(arg.name)}-file PATH" if arg.long else ""
    return f"{names} {metavar(arg)}{file}"


def _says(arg: Argument) -> str:
    notes = [
        "required" if arg.required and not arg.positional else "",
        "may be said several times" if arg.type == "array" else "",
        f"default: {arg.default}" if arg.default not in (None, "", [], {}) else "",
    ]
    said = ", ".join(note for note in notes if note)
    return f"{arg.says} [{said}]".strip() if said else arg.says


def _section(out: click.HelpFormatter, title: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        with out.section(title):
            out.write_dl(rows, col_max=34)
