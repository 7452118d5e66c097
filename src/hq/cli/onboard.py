"""`hq onboard`: the questions that make a working company, one after the other; or all at once by options."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from getpass import getpass
from typing import Any, NotRequired, TypedDict

import click

from hq.cli import flags, options, verbs
from hq.cli.chat import AnswerPrinter, ChatTransport, way
from hq.cli.commands import VerbCommand
from hq.cli.output import show
from hq.cli.request import CommandAnswer, CommandRequest
from hq.json_types import CallArgs
from hq.settings import Settings
from hq.terminal.screen import Screen, aside

WELCOME = "A few questions, then the company works. Enter skips one, Ctrl-D stops; `hq onboard` goes on where you were."
ALL = "All is answered; change an answer with its option, such as `hq onboard --risk cautious`."
LEFT_OUT = "What you left out is asked again. Enter leaves it out once more, Ctrl-D stops."
LATER = "Go on any time with `hq onboard`."
DONE = "That is all; `hq chat` goes on talking."


class StepAsked(TypedDict):
    """A question of the onboarding, as far as it is asked here."""

    step: str
    question: str


class ProviderItem(TypedDict):
    """Whose model may answer, as far as it is asked for here."""

    name: str
    label: str
    key: NotRequired[str]
    needs_key: bool
    needs_model: bool
    needs_base_url: bool


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
        # Who comes back is asked what was left out.
        wanted = ("open",) if not shown.data["done"] else ("skipped",)
        asked = [each for each in shown.data["steps"] if each["state"] in wanted]
        if not asked:
            aside(ALL)
            return 0
        aside(LEFT_OUT if shown.data["done"] else WELCOME)
        told = shown
        try:
            for each in asked:
                told = self._ask(each) if each["step"] != "provider" else self._ask_provider(shown.data["providers"])
        except EOFError:
            print()
            aside(LATER)
            return 0
        return self._greet(told)

    def _ask(self, each: StepAsked) -> CommandAnswer:
        """Until the answer is one that works."""
        while True:
            said = input(self._screen.bold(f"{each['question']} ")).strip()
            args = {each["step"]: _value(each["step"], said)} if said else {"skip": [each["step"]]}
            answer = self._call("onboard.answer", args)
            if answer.ok:
                return answer
            aside(f"{answer.message}; try again, or press Enter to skip it")

    def _ask_provider(self, providers: Sequence[ProviderItem]) -> CommandAnswer:
        """Which of them, what it takes, and whether it answers."""
        print(self._screen.bold("Whose model answers?"))
        for number, each in enumerate(providers, 1):
            print(f"  {number}  {each['label']}")
        print(f"  {len(providers) + 1}  None: only the script that comes with hq")
        while True:
            said = input(self._screen.bold("A number or a name; Enter decides later: ")).strip().lower()
            if not said:
                return self._call("onboard.answer", {"skip": ["provider"]})
            chosen = _chosen(providers, said)
            if chosen is None and said not in ("none", "script", str(len(providers) + 1)):
                aside(f"{said!r} is none of these")
                continue
            answer = self._connect(chosen) if chosen else self._call("onboard.answer", {"provider": "none"})
            if answer.ok:
                return answer
            aside(f"{answer.message}; try again, or press Enter to skip it")

    def _connect(self, provider: ProviderItem) -> CommandAnswer:
        args: CallArgs = {"provider": provider["name"]}
        if provider["needs_base_url"]:
            args["base_url"] = input("Address of its server, such as http://127.0.0.1:8000/v1: ").strip()
        if provider["needs_model"]:
            args["model"] = input("Which model: ").strip()
        while True:
            if provider.get("key"):
                self._ask_key(provider)
            answer = self._call("onboard.answer", {name: said for name, said in args.items() if said})
            if not answer.ok:
                return answer
            aside("Asking it something small…")
            tested = self._call("mind.test", {"name": provider["name"]})
            if tested.ok:
                aside(f"It answers: {tested.data['items'][0]['model']}.")
                return answer
            aside(f"{tested.message}. Until it works the script answers; `hq onboard --provider …` changes it.")
            if not provider.get("key") or input("Try another key? [y/N] ").strip().lower() not in ("y", "yes"):
                return answer

    def _ask_key(self, provider: ProviderItem) -> None:
        """Not shown while it is typed, and nowhere else than in the vault."""
        wants = "" if provider["needs_key"] else ", if it wants one"
        key = getpass(f"Paste its key{wants} (it is not shown; Enter goes on without): ").strip()
        if key:
            kept = self._call("vault.set", {"name": provider.get("key"), "value": key})
            aside("Kept in the vault." if kept.ok else kept.message)

    def _greet(self, told: CommandAnswer) -> int:
        """The company is working when its CEO answers."""
        if not told.data.get("agent"):  # greeted before
            aside(DONE)
            return 0
        if mission := told.data.get("mission"):  # answered last
            aside(f"Your CEO begins with it now; `hq mission show {mission}` shows how far it is.")
        hearing = AnswerPrinter(self._screen, told.data["agent"], silent=False)
        for name, data in self._talk.listen({"agent": told.data["agent"]}, told.data["after"]):
            if hearing.done_with(name, data):
                break
        aside(DONE)
        return hearing.exit_code

    def _call(self, name: str, args: CallArgs) -> CommandAnswer:
        return self._talk.say(CommandRequest(name, args, reason=self._given.reason or "", actor=self._given.actor))


def _chosen(providers: Sequence[ProviderItem], said: str) -> ProviderItem | None:
    for number, each in enumerate(providers, 1):
        if said in (str(number), each["name"]):
            return each
    return None


def _value(step: str, said: str) -> Any:
    if step != "budget":
        return said
    try:
        return float(said.replace("$", "").replace(",", "").strip())
    except ValueError:
        return said  # the verb says what is wrong with it
