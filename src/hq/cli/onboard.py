"""`hq onboard`: the questions that make a working company, one after the other; or all at once by options."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import Any

import click

from hq.cli import flags, options, verbs
from hq.cli.chat import ChatTransport, Hearing, way
from hq.cli.commands import VerbCommand
from hq.cli.output import show
from hq.cli.request import CommandAnswer, CommandRequest
from hq.json_types import JsonObject
from hq.settings import Settings
from hq.terminal.screen import Screen, aside

WELCOME = "A few questions, then the company works. Enter skips one, Ctrl-D stops; `hq onboard` goes on where you were."
LATER = "Go on any time with `hq onboard`."
DONE = "That is all; `hq chat` goes on talking."


class OnboardCommand(VerbCommand):
    def __init__(self) -> None:
        verb = verbs.find("onboard.answer")
        assert verb is not None
        super().__init__(verb)

    def invoke(self, ctx: click.Context) -> int:
        args, given = options.arguments(self.verb, ctx.params), flags.given(ctx)
        if args or given.json or not sys.stdin.isatty():
            return self.call(args, given)
        with closing(way(Settings.load(), given)) as talk:
            return Interview(talk, given, self.verb).run()


class Interview:
    def __init__(self, talk: ChatTransport, given: flags.Flags, verb: verbs.CliVerb) -> None:
        self._talk, self._given, self._verb = talk, given, verb
        self._screen = Screen.of(sys.stdout)

    def run(self) -> int:
        shown = self._call("onboard.show", {})
        if not shown.ok:
            return show(shown, self._verb, self._given)
        if shown.data["done"]:
            aside("All is answered already; change an answer with its option, such as --risk cautious.")
            return 0
        aside(WELCOME)
        told = shown
        try:
            for each in shown.data["steps"]:
                if each["state"] == "open":
                    told = self._ask(each)
        except EOFError:
            print()
            aside(LATER)
            return 0
        return self._greet(told)

    def _ask(self, each: JsonObject) -> CommandAnswer:
        """Until the answer is one that works."""
        while True:
            said = input(self._screen.bold(f"{each['question']} ")).strip()
            args = {each["step"]: _value(each["step"], said)} if said else {"skip": [each["step"]]}
            answer = self._call("onboard.answer", args)
            if not answer.ok:
                aside(f"{answer.message}; try again, or press Enter to skip it")
                continue
            if each["step"] == "provider" and said:
                self._tried(answer, said.lower())
            return answer

    def _tried(self, answer: CommandAnswer, provider: str) -> None:
        """Whether whoever was named can answer, told while one still thinks of it."""
        if answer.data.get("lacks"):
            aside(f"{answer.data['lacks']}; until then the script answers.")
        elif provider not in ("none", "script"):
            tested = self._call("mind.test", {"name": provider})
            aside("It answers." if tested.ok else f"It does not answer yet: {tested.message}")

    def _greet(self, told: CommandAnswer) -> int:
        """The company is working when its CEO answers."""
        if mission := told.data.get("mission"):  # answered last
            aside(f"The first mission is {mission}; `hq mission show {mission}` follows it.")
        hearing = Hearing(self._screen, told.data["agent"], silent=False)
        for name, data in self._talk.listen({"agent": told.data["agent"]}, told.data["after"]):
            if hearing.done_with(name, data):
                break
        aside(DONE)
        return hearing.exit_code

    def _call(self, name: str, args: JsonObject) -> CommandAnswer:
        return self._talk.say(CommandRequest(name, args, reason=self._given.reason or "", actor=self._given.actor))


def _value(step: str, said: str) -> Any:
    if step != "budget":
        return said
    try:
        return float(said.replace("$", "").replace(",", "").strip())
    except ValueError:
        return said  # the verb says what is wrong with it
