"""`hq` itself: the house, the nouns, the short commands, the past. Each is loaded when it is called."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

from hq.cli import flags, names
from hq.cli.commands import NounGroup, make
from hq.cli.names import command_name
from hq.cli.overview import HOUSE_COMMANDS, OWN, overview
from hq.cli.usage import no_such, refusal
from hq.errors import Refused
from hq.terminal.screen import Screen

COMPLETE = "_HQ_COMPLETE"


class Root(click.Group):
    def __init__(self) -> None:
        super().__init__("hq", params=list(flags.options(set())), no_args_is_help=True)
        self.context_settings = {"help_option_names": ["--help", "-h"], "max_content_width": 110}

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write("\n".join(overview(Screen.of(sys.stdout))) + "\n")

    def list_commands(self, ctx: click.Context) -> list[str]:
        own = [noun for noun in names.nouns() if noun not in names.under()]
        return sorted({*HOUSE_COMMANDS, *OWN, *names.aliases(), *map(command_name, own)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        noun = cmd_name.replace("-", "_")
        if noun in names.nouns() and noun not in names.under():
            return NounGroup(noun)
        if cmd_name in names.aliases():
            return make(names.aliases()[cmd_name])
        if cmd_name in HOUSE_COMMANDS:
            return self._house(ctx, cmd_name)
        return {"as-of": AsOfCommand, "completion": CompletionCommand}[cmd_name]() if cmd_name in OWN else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        found = self.get_command(ctx, args[0])
        if found is None and not ctx.resilient_parsing:
            raise no_such(f"there is no command {args[0]!r}", args[0], self.list_commands(ctx), "hq --help")
        return found.name if found else None, found, args[1:]

    def _house(self, ctx: click.Context, name: str) -> click.Command:
        if ctx.resilient_parsing:  # completion needs only its line
            return click.Command(name, short_help=HOUSE_COMMANDS[name])
        return getattr(import_module("hq.cli.server_commands"), name.replace("-", "_"))


class AsOfCommand(click.Command):
    """`hq as-of <moment> <command…>`: any read, as it was then."""

    def __init__(self) -> None:
        super().__init__(
            "as-of",
            params=[
                click.Argument(["moment"], metavar="MOMENT"),
                click.Argument(["command"], nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND…"),
                flags.Flag(["--known-at", "_known_at"], metavar="MOMENT", help=flags.HELP["known_at"]),
            ],
            help="Run any read as of a moment, such as `hq as-of 2026-01-01 describe acme`. A moment is a date, a time,"
            " 3d for three days ago, or the sequence that a read returned.",
            short_help=OWN["as-of"],
        )
        self.allow_interspersed_args = False
        self.ignore_unknown_options = True

    def invoke(self, ctx: click.Context) -> Any:
        words, root = list(ctx.params["command"]), ctx.find_root()
        if words[0] in (*HOUSE_COMMANDS, *OWN):
            raise Refused.invalid(f"`hq as-of` runs reads such as describe or task list, not {words[0]}")
        root.params |= {"_at": ctx.params["moment"], "_known_at": ctx.params["_known_at"]}
        assert isinstance(root.command, Root)
        name, command, rest = root.command.resolve_command(root, words)
        with command.make_context(name, rest, parent=root) as inner:
            return command.invoke(inner)


class CompletionCommand(click.Command):
    """Prints click's script for a shell; `_HQ_COMPLETE` is how the script then asks."""

    def __init__(self) -> None:
        shells = click.Choice(["bash", "zsh", "fish"])
        super().__init__(
            "completion",
            params=[click.Argument(["shell"], type=shells)],
            help='Print the completion script of a shell, such as `eval "$(hq completion bash)"` in ~/.bashrc.',
            short_help=OWN["completion"],
        )

    def invoke(self, ctx: click.Context) -> None:
        from click.shell_completion import get_completion_class

        made = get_completion_class(ctx.params["shell"])
        assert made is not None
        print(made(Root(), {}, "hq", COMPLETE).source())


def run(args: list[str]) -> int:
    """Carry out a command; its exit code. Complaints come out as errors of ours."""
    root = Root()
    if instruction := os.environ.get(COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(root, {}, "hq", COMPLETE, instruction)
    try:
        with root.make_context("hq", list(args)) as ctx:
            result = root.invoke(ctx)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return 0
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        raise refusal(error) from error
    return result if isinstance(result, int) else 0
