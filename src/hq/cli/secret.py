"""A secret on its way in: from a pipe, or asked for without showing it. Never from the command line's arguments."""

from __future__ import annotations

import sys

import click

from hq.cli.verbs import CliVerb
from hq.errors import Refused


def secrets(verb: CliVerb) -> dict[str, str]:
    return {arg.name: _read(arg.name) for arg in verb.args if arg.secret}


def _read(name: str) -> str:
    if sys.stdin.isatty():
        return click.prompt(name.capitalize(), hide_input=True, confirmation_prompt=True, err=True)
    text = sys.stdin.read().removesuffix("\n").removesuffix("\r")
    if not text:
        raise Refused.invalid(
            f"no {name} came in", hint="pipe it in, or run the command on a terminal to be asked for it"
        )
    return text
