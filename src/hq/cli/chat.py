"""`hq chat`: a conversation in the terminal. One message and its answer, or one after the other until Ctrl-D."""

from __future__ import annotations

import select
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Protocol, TypedDict
from urllib.parse import urlencode

import click

from hq.asks.ask_text import ask
from hq.chat.card_text import card
from hq.chat.status import STILL
from hq.cli import flags, verbs
from hq.cli.commands import VerbCommand
from hq.cli.http_client import ConnectionDropped
from hq.cli.last_shown import NOTHING, LastShown
from hq.cli.output import show
from hq.cli.request import CommandAnswer, CommandRequest
from hq.cli.tail import messages
from hq.cli.transport import Server, reach, send
from hq.door.actor import HOUSE_ACTOR
from hq.errors import Refused
from hq.json_types import CallArgs, EventPayload
from hq.settings import Settings
from hq.terminal.screen import Screen, aside
from hq.terminal.values import harmless
from hq.terminal.width import WordWrap

if TYPE_CHECKING:
    from hq.door.outcome import ResultContract

GREETING = "You are talking to {}. Ctrl-D ends it; the conversation stays."
Frame = tuple[str, EventPayload]
LOOK_AGAIN = 2.0
"""Seconds between looks for what came while nobody types."""
UNDECIDED = 4
"""The exit code of a word that may be an answer to what waits, and was not taken for it."""


class HeardOutcome(TypedDict):
    """What was answered, and how the conversation stands."""

    answer: str
    state: str
    why: str


class ChatTransport(Protocol):
    """How what is said gets there, and how the answer comes back."""

    def say(self, request: CommandRequest) -> CommandAnswer: ...

    def listen(self, where: dict[str, str], after: str | None) -> Iterator[Frame]: ...

    def close(self) -> None: ...


class ChatCommand(VerbCommand):
    def __init__(self) -> None:
        verb = verbs.find("chat.say")
        assert verb is not None
        super().__init__(verb)

    def invoke(self, ctx: click.Context) -> int:
        given, settings = flags.given(ctx), Settings.load()
        typed = {arg.name: ctx.params.get(arg.name) for arg in self.verb.args}
        args = {name: value for name, value in typed.items() if value is not None}
        screen = LastShown(settings)
        shown = args.pop("shown", None)
        text = args.pop("text", None) or ("" if sys.stdin.isatty() else sys.stdin.read().strip())
        with closing(way(settings, given)) as found:
            talk = TerminalChat(found, self.verb, given, dict(args), screen, shown)
            return talk.once(text) if text or not sys.stdin.isatty() else talk.on_and_on()


class TerminalChat:
    def __init__(
        self,
        way: ChatTransport,
        verb: verbs.CliVerb,
        given: flags.Flags,
        args: CallArgs,
        shown: LastShown,
        said_shown: str | None = None,
    ) -> None:
        self._way, self._verb, self._given, self._args = way, verb, given, args
        self._shown, self._said_shown = shown, said_shown
        """What stands on this screen, and what whoever calls says of it: a word answers nothing that came after it."""
        self._reply_to = {"reply_to": args.pop("reply_to")} if "reply_to" in args else {}
        """What the first message answers; the next one is said like any other."""
        self._screen = Screen.of(sys.stdout)

    @property
    def _agent(self) -> str | None:
        return self._args.get("agent")

    def once(self, text: str) -> int:
        if not text:
            raise Refused.invalid('there is nothing to say; try hq chat "What is going on?"')
        given = self._given
        shown = self._said_shown or self._shown.read(self._agent) or NOTHING  # as it was when this was typed
        self._show_news()
        request = CommandRequest(
            "chat.say",
            {**self._args, **self._reply_to, "text": text, "shown": shown},
            given.key,
            given.reason or "",
            given.actor,
            given.at,
            given.known_at,
        )
        answer = self._way.say(request)
        if not answer.ok:
            return show(answer, self._verb, given)
        self._reply_to, self._said_shown = {}, None
        silent, mine, before = given.json or given.quiet, answer.data["id"], self._shown.printed(self._agent)
        hearing = AnswerPrinter(self._screen, answer.data["agent"], silent=silent, mine=mine, before=before)
        try:
            for name, data in self._way.listen({**self._args, "agent": answer.data["agent"]}, answer.data["after"]):
                if hearing.done_with(name, data):
                    break
        finally:
            self._shown.line(self._agent, hearing.last, hearing.printed)
            self._saw(hearing.cards)
        if hearing.read_upto:  # what stands here was read, on this device
            self._way.say(CommandRequest("chat.read", {**self._args, "upto": hearing.read_upto}))
        undecided = answer.data.get("undecided", [])
        if given.json:
            heard: ResultContract = {**answer.contract, "data": answer.data | hearing.outcome}
            code = show(CommandAnswer(heard), self._verb, given)
            return UNDECIDED if undecided else code
        if given.quiet:
            print(harmless(hearing.outcome["answer"]))
        else:
            self._show_asks(undecided)
        return UNDECIDED if undecided else hearing.exit_code

    def _show_asks(self, asks: list[str]) -> None:
        """What a word may have been meant for: it stands here now, so the next one is."""
        for each in asks:
            found = self._way.say(CommandRequest("ask.show", {"ask": each}))
            if found.ok:
                print("\n".join(ask(found.data, self._screen)), end="\n\n")
        if asks:
            aside("(nothing was decided; say it once more if it is meant for this)")

    def on_and_on(self) -> int:
        aside(GREETING.format(self._args.get("agent", "the CEO")))
        self._show_open()
        while True:
            try:
                text = self._typed()
            except EOFError:
                print()
                return 0
            if text and (code := self.once(text)) not in (0, UNDECIDED):
                return code

    def _typed(self) -> str:
        """The next message. What comes meanwhile stands there before it, and the prompt anew."""
        prompt = self._screen.bold("you › ")
        self._show_news()
        if sys.stdin.isatty():
            print(prompt, end="", flush=True)
            while not select.select([sys.stdin], [], [], LOOK_AGAIN)[0]:
                if self._show_news("\n\n"):
                    print(prompt, end="", flush=True)
            prompt = ""
        return input(prompt).strip()

    def _show_open(self) -> None:
        """What the CEO has put before the founder and waits for."""
        self._show_cards(self._cards(asks=True))
        self._saw([each["id"] for each in self._cards()])

    def _show_news(self, before: str = "") -> bool:
        """What was put before the founder since this terminal was written to last; whether there was any."""
        if self._given.json or self._given.quiet:
            return False
        cards, seen = self._cards(), self._shown.seen(self._agent)
        news = [each for each in cards if seen is not None and each["id"] > seen]
        if news:
            print(before, end="")
            self._show_cards(news)
        self._saw([each["id"] for each in cards] or ["-"])
        return bool(news)

    def _cards(self, *, asks: bool = False) -> list[EventPayload]:
        """The newest last."""
        found = self._way.say(CommandRequest("card.list", {"open": True, "asks": asks, "limit": 10}))
        return found.data["items"][::-1] if found.ok else []

    def _show_cards(self, cards: Sequence[EventPayload]) -> None:
        for each in cards:
            print("\n".join(card(each, self._screen)), end="\n\n")
        self._shown.cards(self._agent, [each["id"] for each in cards])

    def _saw(self, cards: Sequence[str]) -> None:
        if cards:
            self._shown.saw(self._agent, max(cards))


class AnswerPrinter:
    """Prints an answer while it is being said."""

    def __init__(self, screen: Screen, host: str, *, silent: bool, mine: str = "", before: Iterable[str] = ()) -> None:
        self._screen, self._host, self._silent = screen, host, silent
        self._mine = mine
        """The message that is answered; what was said meanwhile elsewhere is shown, for it is answered too."""
        self._before = frozenset(before)
        """What stands on the screen already: what nobody had taken up when it was shown comes again when somebody does."""
        self.printed: list[str] = []
        self._lines: list[str] = []
        self._shown = ""
        """Of the answer under way, what stands on the screen."""
        self._wrap = WordWrap(screen.width) if screen.tty else None
        self._state = {"state": "working", "why": ""}
        self.last: str | None = None
        """The last line that stands on the screen."""
        self.cards: list[str] = []
        """The cards that stand there."""
        self.read_upto: str | None = None
        """The last of them that has its place in the conversation."""

    def done_with(self, name: str, data: EventPayload) -> bool:
        """Take one thing in; whether that was the end of it."""
        if name == "line" and data["id"] in self._before:
            return False
        if name == "line" and data["role"] != "user" and not self._silent:
            self.last = data["id"]
            self.printed.append(data["id"])
            self.read_upto = data["id"] if data["id"].partition(".")[2].isdecimal() else self.read_upto
        match name:
            case "line" if data.get("card"):
                if not self._silent:
                    self.cards.append(data["card"]["id"])
                    print("\n".join(card(data["card"], self._screen)), end="\n\n")
            case "line" if data["role"] != "user":
                self._head(data)
                self._put(data["text"], whole=True)
                self._lines.append(data["text"])
            case "line" if self._mine and data["id"] != self._mine:
                self._aside(f"also said: {harmless(data['text'])}")
            case "draft":
                self._put(self._shown[: data["at"]] + data["text"])
            case "status":
                self._state = data
                if data["state"] in ("waiting", "stopped") or data["why"].startswith(STILL):
                    self._aside(f"{data['why']}; I wait" if data.get("passes") else data["why"])
                return data["state"] != "working" and not data.get("passes")
            case "end":
                self._aside(data["why"])
                return True
        return False

    @property
    def outcome(self) -> HeardOutcome:
        return {"answer": "\n\n".join(self._lines), "state": self._state["state"], "why": self._state["why"]}

    @property
    def exit_code(self) -> int:
        return 0 if self._lines or self._state["state"] != "stopped" else 1

    def _head(self, line: EventPayload) -> None:
        """Somebody else than whom one talks to, who was called in, speaks under their own name."""
        if line["role"] == "assistant" and line["sender"] not in (self._host, HOUSE_ACTOR) and not self._silent:
            print(self._screen.bold(harmless(line.get("name") or line["sender"])))

    def _put(self, text: str, *, whole: bool = False) -> None:
        if self._silent:
            return
        if not text.startswith(self._shown):  # it began anew
            print(self._wrap.end() if self._wrap else "")
            self._shown = ""
        said = harmless(text[len(self._shown) :])
        if self._wrap:
            said = self._wrap.feed(said) + (self._wrap.end() if whole else "")
        print(said, end="\n\n" if whole and self._screen.tty else "\n" if whole else "")
        sys.stdout.flush()
        self._shown = "" if whole else text

    def _aside(self, why: str) -> None:
        if not self._silent:
            aside(f"({why})")


class RemoteChat:
    """Over HTTP, to a running server."""

    def __init__(self, server: Server, settings: Settings, given: flags.Flags, verb: verbs.CliVerb) -> None:
        self._server, self._settings, self._given, self._verb = server, settings, given, verb

    def say(self, request: CommandRequest) -> CommandAnswer:
        return send(request, self._verb, self._settings, self._given.url)

    def listen(self, where: dict[str, str], after: str | None) -> Iterator[Frame]:
        path = f"/api/chat/stream?{urlencode(where)}"
        while True:
            try:
                for said in messages(self._server, path, self._given, after):
                    after = said.id or after
                    yield said.name, said.json()
            except ConnectionDropped as lost:
                aside(f"{lost.message}; trying again")

    def close(self) -> None:
        return None


def way(settings: Settings, given: flags.Flags) -> ChatTransport:
    verb = verbs.find("chat.say")
    assert verb is not None
    if server := reach(settings, given.url):
        return RemoteChat(server, settings, given, verb)
    from hq.cli.local_chat import LocalChat

    return LocalChat(settings, given)
