"""`hq agent ask`: asks, and stays for the answer as long as was said. The same key asks again without asking twice."""

from __future__ import annotations

import sys
import time

from hq.cli import flags, verbs
from hq.cli.commands import VerbCommand
from hq.cli.output import show
from hq.cli.request import CommandRequest
from hq.cli.transport import reach, send
from hq.cli.wait_command import follow_to_end, under_way
from hq.json_types import CallArgs
from hq.settings import Settings

USUAL = 30
"""Seconds, when nothing else is said; the question itself waits longer."""
UNTOLD = 15.0
"""Seconds until it is asked again though the stream said nothing: not everybody is told who answered whom."""


class AskCommand(VerbCommand):
    def __init__(self) -> None:
        verb = verbs.find("agent.ask")
        assert verb is not None
        super().__init__(verb)

    def call(self, args: CallArgs, given: flags.Flags) -> int:
        request = CommandRequest.typed(self.verb.name, args, given, repeated=True)
        settings, until = Settings.load(), time.monotonic() + args.get("timeout", USUAL)
        answer = send(request, self.verb, settings, given.url)
        server = reach(settings, given.url)  # without one nobody is there to answer; the question keeps
        while server and under_way(answer) and (now := time.monotonic()) < until:
            follow_to_end(answer, server, given, until=min(until, now + UNTOLD))
            answer = send(request, self.verb, settings, given.url)
        if answer.error.get("code") == "waiting" and answer.data:
            message = answer.data.get("message")
            print(f"no answer yet; `hq agent read {message}` shows when there is one", file=sys.stderr)
        return show(answer, self.verb, given)
