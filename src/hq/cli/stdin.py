"""Standard input: commands whose text comes from a file or a pipe: `hq org export | hq org validate`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click

from hq.cli import flags, options
from hq.cli.commands import VerbCommand
from hq.cli.verbs import CliVerb, find
from hq.errors import Refused

FILE = "_file"


def _file_option(help_: str = "The file to read; left out, what is piped in.") -> click.Option:
    return click.Option(["--file", FILE], metavar="PATH", help=help_)


def piped(typed: Mapping[str, Any], command: str) -> str:
    """The text of --file, or of the pipe."""
    if path := typed.get(FILE):
        return options.read_file(path)
    if sys.stdin.isatty():
        raise Refused.invalid(f"{command} reads a text", hint="say --file PATH, or pipe it in")
    return sys.stdin.read()


class PipedCommand(VerbCommand):
    """One of its verb's arguments may be said, as ever, or comes by --file or by pipe."""

    def __init__(self, name: str, argument: str) -> None:
        self.argument = argument
        super().__init__(_verb(name), [_file_option()])

    def invoke(self, ctx: click.Context) -> int:
        said = dict(ctx.params)
        if not said.get(self.argument) and not said.get(options.file_of(self.argument)):
            said[self.argument] = piped(said, self.verb.command)
        return self.call(options.arguments(self.verb, said), flags.given(ctx))


class ReadOrWrite(VerbCommand):
    """A read that writes when it is told to: `hq org persona skill --write --file skill.md`."""

    def __init__(self, name: str, flag: str, writer: str) -> None:
        self.flag, self.writer = flag, writer
        more = [
            click.Option(
                [f"--{flag}", "_write"], is_flag=True, help=f"{flag.capitalize()} what comes by --file or pipe."
            ),
            _file_option(),
        ]
        super().__init__(_verb(name), [*more])

    def invoke(self, ctx: click.Context) -> int:
        args = options.arguments(self.verb, ctx.params)
        if not ctx.params.get("_write"):
            return self.call(args, flags.given(ctx))
        writer = VerbCommand(_verb(self.writer))
        return writer.call(args | {"body": piped(ctx.params, self.verb.command)}, flags.given(ctx))


def _verb(name: str) -> CliVerb:
    verb = find(name)
    assert verb is not None
    return verb
