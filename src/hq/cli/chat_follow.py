"""`hq chat follow`: a conversation as it goes on, in readable words, until Ctrl-C."""

from __future__ import annotations

import json
import sys
from contextlib import closing

import click

from hq.chat.conversation_text import spoken_line
from hq.cli import flags, options, verbs
from hq.cli.chat import way
from hq.cli.commands import VerbCommand
from hq.cli.http_client import NoStream
from hq.cli.output import show
from hq.cli.request import CommandAnswer
from hq.cli.transport import contract, reach
from hq.json_types import EventPayload
from hq.settings import Settings
from hq.terminal.screen import Screen, aside


class ChatFollowCommand(VerbCommand):
    def __init__(self) -> None:
        verb = verbs.find("chat.follow")
        assert verb is not None
        super().__init__(verb)

    def invoke(self, ctx: click.Context) -> int:
        given, settings = flags.given(ctx), Settings.load()
        args = options.arguments(self.verb, ctx.params)
        after = args.pop("after", None)
        tell = ConversationPrinter(given, Screen.of(sys.stdout))
        try:
            with closing(way(settings, given)) as found:
                for name, data in found.listen(args, after):
                    tell(name, data)
        except NoStream as other:
            server = reach(settings, given.url)
            assert server is not None
            return show(CommandAnswer(contract(other.response, server), server.url), self.verb, given)
        except KeyboardInterrupt:
            return 0
        return 0


class ConversationPrinter:
    """Prints what happens: lines when they are whole, and how the one at the other end is when that changes."""

    def __init__(self, given: flags.Flags, screen: Screen) -> None:
        self._given, self._screen = given, screen
        self._state = ""

    def __call__(self, name: str, data: EventPayload) -> None:
        if self._given.json:
            print(json.dumps({"event": name, **data}, ensure_ascii=False, separators=(",", ":")), flush=True)
        elif name == "line":
            print("\n".join(spoken_line(data, self._screen)), flush=True)
        elif name in ("status", "end") and not self._given.quiet and data["why"] != self._state:
            self._state = data["why"]
            aside(f"({data['why']})")
