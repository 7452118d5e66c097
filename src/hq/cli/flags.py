"""The flags that every verb has. A verb's own argument of the same name wins over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import click

HELP = {
    "json": "The whole result contract instead of text.",
    "quiet": "Only slugs, one a line.",
    "actor": "As whom: never more than the credential allows.",
    "reason": "Why; kept with the call.",
    "at": "As it was then: a date, a time, 3d ago or a sequence.",
    "known_at": "As far as was known then.",
    "key": "The same key with the same arguments acts once.",
    "url": "The server to talk to.",
}
METAVARS = {"actor": "ACTOR", "reason": "TEXT", "at": "MOMENT", "known_at": "MOMENT", "key": "KEY", "url": "URL"}


class Flags(NamedTuple):
    json: bool = False
    quiet: bool = False
    actor: str | None = None
    reason: str | None = None
    at: str | None = None
    known_at: str | None = None
    key: str | None = None
    url: str | None = None


class Flag(click.Option):
    """One of them; kept apart from a verb's arguments by its name."""


def options(taken: set[str], own: Sequence[click.Parameter] = (), *, changes: bool | None = None) -> list[click.Option]:
    """Those whose names a verb does not take for itself, nor any word that one of its own options is said by. Help leaves out
    what means nothing to a read or a write."""
    words = {word for each in own for word in (*each.opts, *each.secondary_opts)}
    idle = {True: ("at", "known_at"), False: ("key",)}.get(changes, ()) if changes is not None else ()
    made: list[click.Option] = []
    if "json" not in taken:
        sides = "--json" if "--text" in words else "--json/--text"
        made.append(Flag([sides, "_json"], is_flag=True, default=None, help=HELP["json"]))
    if "quiet" not in taken:
        made.append(Flag(["--quiet", "-q", "_quiet"], is_flag=True, help=HELP["quiet"]))
    for name, metavar in METAVARS.items():
        if name not in taken:
            option = "--" + name.replace("_", "-")
            made.append(Flag([option, f"_{name}"], metavar=metavar, help=HELP[name], hidden=name in idle))
    return made


def given(ctx: click.Context) -> Flags:
    """What was said nearest to the verb: behind it, before the noun, or by `hq as-of`."""
    above = given(ctx.parent) if ctx.parent else Flags()
    said = {name: ctx.params.get(f"_{name}") for name in HELP}
    return above._replace(
        **{name: value for name, value in said.items() if value or (name == "json" and value is False)}
    )
