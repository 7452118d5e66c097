"""`hq events tail`: events as they are announced, from a running server or from the database itself."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

import click

from hq.cli import flags, options, verbs
from hq.cli.commands import VerbCommand
from hq.cli.http_client import ConnectionDropped, NoStream, Unreachable, stream
from hq.cli.output import show
from hq.cli.request import CommandAnswer
from hq.cli.transport import Server, contract, reach
from hq.errors import Refused
from hq.json_types import CallArgs
from hq.settings import Settings
from hq.sse import Parser, SentEvent
from hq.terminal.screen import Screen, aside
from hq.terminal.values import moment, one_line

PAUSE = 1.0  # seconds before a lost connection is made again
Event = Mapping[str, Any]
Tell = Callable[[Event], bool]
"""Shows an event; says whether another one is wanted."""


class TailCommand(VerbCommand):
    def __init__(self) -> None:
        verb = verbs.find("events.tail")
        assert verb is not None
        count = click.Option(["--count", "_count"], type=click.INT, metavar="N", help="Stop after so many.")
        super().__init__(verb, [count])

    def invoke(self, ctx: click.Context) -> int:
        given, settings = flags.given(ctx), Settings.load()
        args = options.arguments(self.verb, ctx.params)
        tell = EventPrinter(given, ctx.params["_count"])
        server = reach(settings, given.url)
        if server:
            query = urlencode([("topic", topic) for topic in args.get("topics", [])])
            refused = over_http(server, f"/api/events?{query}", args.get("after"), given, tell)
        else:
            refused = _direct(settings, args, given, tell)
        return show(refused, self.verb, given) if refused else 0


class EventPrinter:
    """Prints each event on a line of its own, at once."""

    def __init__(self, given: flags.Flags, count: int | None) -> None:
        if count is not None and count < 1:
            raise Refused.invalid("--count takes a number from 1 on")
        self._given = given
        self._left = count
        self._screen = Screen.of(sys.stdout)

    def __call__(self, event: Event) -> bool:
        print(self._line(event), flush=True)
        if self._left is not None:
            self._left -= 1
        return self._left != 0

    def _line(self, event: Event) -> str:
        if self._given.json:
            return json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        if self._given.quiet:
            return str(event["id"])
        said = "  ".join(f"{name} {one_line(value, self._screen)}" for name, value in event["payload"].items())
        when, topic = moment(event["at"], self._screen), one_line(event["topic"], self._screen)
        by = self._screen.dim(f"by {one_line(event['actor'], self._screen)}")
        return f"{self._screen.dim(event['id'])}  {when}  {self._screen.bold(topic)}  {said}  {by}"


def over_http(
    server: Server,
    path: str,
    last: str | None,
    given: flags.Flags,
    tell: Tell,
    over: Callable[[Event], None] | None = None,
    until: float | None = None,
) -> CommandAnswer | None:
    """Until enough was told, the server says that it is over, or that moment of `time.monotonic` came. A connection that is
    lost is made again, and nothing is missed in between."""
    met = False
    while True:
        try:
            for said in messages(server, path, given, last, until):
                last, met = said.id or last, True
                if said.name == "over" and over:
                    over(said.json())
                    return None
                if said.name == "message" and not tell(said.json()):
                    return None
            return None
        except NoStream as other:
            return CommandAnswer(contract(other.response, server), server.url)
        except (ConnectionDropped, Unreachable) as lost:
            if not met:
                raise
            aside(f"{lost.message}; trying again")
            time.sleep(PAUSE)


def messages(
    server: Server, path: str, given: flags.Flags, last: str | None, until: float | None = None
) -> Iterator[SentEvent]:
    headers = {
        "Accept": "text/event-stream",
        "Authorization": f"Bearer {server.token}" if server.token else None,
        "Last-Event-ID": last,
        "X-HQ-Actor": given.actor,
    }
    named = {name: value for name, value in headers.items() if value is not None}
    parser = Parser()
    for part in stream(f"{server.url}{path}", named, until):
        yield from parser.feed(part)


def _direct(settings: Settings, args: CallArgs, given: flags.Flags, tell: Tell) -> CommandAnswer | None:
    from hq.cli.local_call import Frame, follow

    def take(frame: Frame) -> bool:
        return frame.name is not None or tell(json.loads(frame.data))  # type: ignore[arg-type]

    refused = follow("events.tail", args, given.actor, settings, take)
    return CommandAnswer(refused) if refused else None
