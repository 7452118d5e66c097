"""A command for every verb and a group for every noun, made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from hq.cli import flags, names, options, verbs
from hq.cli.names import command_name
from hq.cli.output import show
from hq.cli.request import CommandRequest
from hq.cli.transport import send
from hq.cli.usage import no_such
from hq.cli.verbs import CliVerb
from hq.json_types import CallArgs
from hq.settings import Settings


class VerbCommand(click.Command):
    """`hq <noun> <verb>`: what was typed becomes a call, its answer is shown, its fate the exit code."""

    def __init__(self, verb: CliVerb, params: list[click.Parameter] | None = None) -> None:
        self.verb = verb
        taken = {arg.name for arg in verb.args}
        own = [*options.parameters(verb), *(params or [])]
        super().__init__(
            command_name(verb.alias or verb.action),
            params=[*own, *flags.options(taken, own, changes=verb.changes)],
            short_help=verb.says,
            hidden=verb.internal,
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--all" in args:
            from hq.cli.help import wants_all

            args = wants_all(ctx, args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from hq.cli.help import write

        write(self.verb, ctx, formatter)

    def invoke(self, ctx: click.Context) -> int:
        return self.call(options.arguments(self.verb, ctx.params), flags.given(ctx))

    def call(self, args: CallArgs, given: flags.Flags) -> int:
        if any(arg.secret for arg in self.verb.args):
            from hq.cli.secret import secrets

            args |= secrets(self.verb)
        settings = Settings.load()
        answer = send(CommandRequest.typed(self.verb.name, args, given), self.verb, settings, given.url)
        if self.verb.name == INBOX and answer.ok and not (given.json or given.quiet):
            from hq.cli.last_shown import LastShown

            LastShown(settings).cards(None, [each["card"] for each in answer.data["items"] if each.get("card")])
        return show(answer, self.verb, given)


INBOX = "ask.list"
DEFAULT = {"worker": "worker.run"}
"""What a noun does when it is told nothing more, and cannot list."""


class NounGroup(click.Group):
    """`hq <noun>`: its verbs. Where the noun is also a short command, whatever is not a verb goes to that one."""

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.words = names.words(noun)
        self.default = names.aliases().get(noun) or DEFAULT.get(noun)
        self.alone = self.default or _list_of(noun)
        super().__init__(
            self.words.rpartition(" ")[2],
            help=names.nouns()[noun],
            short_help=names.nouns()[noun],
            no_args_is_help=self.alone is None,
        )

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*map(command_name, names.actions(self.noun)), *special(self.noun), *self.parts()})

    def parts(self) -> dict[str, str]:
        """Nouns that are reached through this one, by the word for them here."""
        pairs = ((noun, words.split()) for noun, words in names.under().items())
        return {words[1]: noun for noun, words in pairs if words[0] == self.noun}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.parts():
            return NounGroup(self.parts()[cmd_name])
        if made := special(self.noun).get(cmd_name):
            return made()
        verb = verbs.find(f"{self.noun}.{cmd_name}") or verbs.find(f"{self.noun}.{cmd_name.replace('-', '_')}")
        return VerbCommand(verb) if verb else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        found = self.get_command(ctx, args[0])
        if found is not None:
            return found.name, found, args[1:]
        if ctx.resilient_parsing:
            return None, None, args[1:]
        raise no_such(
            f"{self.words} has no verb {args[0]!r}", args[0], self.list_commands(ctx), f"hq {self.words} --help"
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--all" in args:
            from hq.cli.help import wants_all

            args = wants_all(ctx, args)
        if self.alone and not ctx.resilient_parsing and (not args or self._is_for_alone(ctx, args[0])):
            args = [self.alone.partition(".")[2], *args]
        return super().parse_args(ctx, args)

    def _is_for_alone(self, ctx: click.Context, word: str) -> bool:
        if word in ctx.help_option_names:
            return False
        listed = self.default is None or self.noun in DEFAULT
        return word.startswith("-") if listed else word not in self.list_commands(ctx)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from hq.cli.help import ALL, usage, write_arguments, write_examples

        default = verbs.find(self.default) if self.default else None
        if default:
            formatter.write_usage(default.command, usage(default))
        formatter.write_usage(
            f"hq {self.words}", "<verb> [options]" if default or not self.alone else "[<verb>] [options]"
        )
        formatter.write_paragraph()
        formatter.write_text(names.nouns()[self.noun])
        if self.alone and not default:
            formatter.write_paragraph()
            formatter.write_text(f"`hq {self.words}` alone lists them.")
        if default:
            write_arguments(default, formatter, every=bool(ctx.meta.get(ALL)))
        sections = {"Verbs": self._shown(ctx)}
        for noun in self.parts().values():
            sections[f"hq {names.words(noun)}"] = NounGroup(noun)._shown(ctx)
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        if default:
            write_examples(default, formatter)
        formatter.write_paragraph()
        formatter.write_text(
            f"`hq {self.words} <verb> --help` shows what a verb takes and an example."
            if any(sections.values())
            else "hq does this by itself: there is nothing to type here."
        )

    def _shown(self, ctx: click.Context) -> list[tuple[str, str]]:
        """Its verbs with their lines, without those that only hq itself calls."""
        own = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx) if name not in self.parts())
        return [(name, found.short_help or "") for name, found in own if found and not found.hidden]


def _list_of(noun: str) -> str | None:
    """What lists them, where that needs no more than its name."""
    verb = verbs.find(f"{noun}.list")
    return verb.name if verb and not any(arg.required for arg in verb.args) else None


def make(name: str) -> VerbCommand:
    verb = verbs.find(name)
    assert verb is not None
    return VerbCommand(verb)


def special(noun: str) -> dict[str, Callable[[], click.Command]]:
    """Commands that need more than their verb says."""
    match noun:
        case "agent":
            from hq.cli.ask_command import AskCommand

            return {"ask": AskCommand}
        case "auth":
            from hq.cli import login

            return {"login": login.LoginCommand, "logout": login.LogoutCommand}
        case "chat":
            from hq.cli.chat import ChatCommand
            from hq.cli.chat_follow import ChatFollowCommand

            return {"say": ChatCommand, "follow": ChatFollowCommand}
        case "events":
            from hq.cli import tail

            return {"tail": tail.TailCommand}
        case "onboard":
            from hq.cli.onboard import OnboardCommand

            return {"answer": OnboardCommand}
        case "org":
            from hq.cli.stdin import PipedCommand

            return {name: partial(PipedCommand, f"org.{name}", "document") for name in ("import", "validate")}
        case "org_intent":
            from hq.cli.stdin import PipedCommand

            return {"write": partial(PipedCommand, "org_intent.write", "body")}
        case "mission":
            from hq.cli.stdin import PipedCommand
            from hq.cli.wait_command import WaitCommand

            return {
                "import": partial(PipedCommand, "mission.import", "document"),
                "wait": partial(WaitCommand, "mission.wait"),
            }
        case "persona":
            from hq.cli.stdin import PipedCommand, ReadOrWrite

            return {
                "skill": partial(ReadOrWrite, "persona.skill", "write", "persona.write_skill"),
                "experience": partial(ReadOrWrite, "persona.experience", "append", "persona.append_experience"),
                "write-skill": partial(PipedCommand, "persona.write_skill", "body"),
                "append-experience": partial(PipedCommand, "persona.append_experience", "body"),
            }
        case "mind":
            from hq.cli.serve_script import serve_script

            return {"serve-script": lambda: serve_script}
        case "skill":
            from hq.cli import skills

            return {"import": skills.ImportCommand, "export": skills.ExportCommand}
        case "session":
            from hq.cli import session_tail

            return {"tail": session_tail.SessionTailCommand}
        case "worker":
            from hq.cli.server_commands import run_worker
            from hq.cli.wait_command import WaitCommand

            return {"run": lambda: run_worker, "wait": partial(WaitCommand, "worker.wait")}
        case "subagent" | "project":
            from hq.cli.wait_command import WaitCommand

            return {"run": partial(WaitCommand, f"{noun}.run")}
        case "code":
            from hq.cli.wait_command import WaitCommand

            return {"wait": partial(WaitCommand, "code.wait")}
        case _:
            return {}
