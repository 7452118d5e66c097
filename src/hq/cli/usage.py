"""Mistyped commands in our own words: one line, the nearest word, where to look."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from hq.errors import Refused
from hq.suggestion import did_you_mean


def no_such(message: str, word: str, known: Iterable[str], where: str) -> Refused:
    return Refused.invalid(f"{message}{did_you_mean(word, known)}", hint=f"`{where}` lists what there is")


def refusal(error: click.ClickException) -> Refused:
    """What click complains about, as the rest of hq would say it."""
    ctx = getattr(error, "ctx", None)
    verb = getattr(ctx.command, "verb", None) if ctx else None
    where = verb.command if verb else ctx.command_path if ctx else "hq"
    # Where a noun is a short command too, its own help lists the noun's verbs.
    asked = f"{where} {verb.action}" if verb and verb.alias == verb.noun else where
    hint = f"`{asked} --help` shows what it takes"
    if isinstance(error, click.NoSuchOption):
        known = _options(ctx) if ctx else []
        secret = _secret(ctx, error.option_name)
        if secret:
            return Refused.invalid(
                f"{error.option_name} is no option: others on this machine could see a secret there", hint=secret
            )
        near = did_you_mean(error.option_name, known)
        return Refused.invalid(f"`{where}` has no option {error.option_name!r}{near}", hint=hint)
    message = error.format_message().rstrip(".")
    if message.startswith("Got unexpected extra argument") and (named := _named(verb)):
        words = message.partition("(")[2].removesuffix(")")
        return Refused.invalid(
            f"`{where}` takes no word by its place", hint=f'`{where} --{named} "{words}"` says what it is'
        )
    return Refused.invalid(message[:1].lower() + message[1:], hint=hint)


def _named(verb: Any) -> str | None:
    """What has to be said by its option, first of all."""
    if verb is None or any(arg.positional for arg in verb.args):
        return None
    return next((arg.name for arg in verb.args if arg.required), None)


def _options(ctx: click.Context) -> list[str]:
    return [
        name for param in ctx.command.params for name in (*param.opts, *param.secondary_opts) if name.startswith("--")
    ]


def _secret(ctx: click.Context | None, option: str) -> str | None:
    verb = getattr(ctx.command, "verb", None) if ctx else None
    if verb and any(arg.secret and f"--{arg.name}" == option for arg in verb.args):
        return f"pipe it in, or run `{verb.command}` on a terminal to be asked for it"
    return None
