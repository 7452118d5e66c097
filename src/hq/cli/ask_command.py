"""`hq agent ask`: asks, and stays for the answer as long as was said. The same key asks again without asking twice."""

from __future__ import annotations

import os
import sys
import time

from hq.cli import flags, verbs
from hq.cli.commands import VerbCommand
from hq.cli.output import show
from hq.cli.request import CommandAnswer, CommandRequest
from hq.cli.transport import send
from hq.json_types import CallArgs
from hq.settings import Settings

USUAL = 30
"""Seconds, when nothing else is said; the question itself waits longer."""
LOOKS = (0.1, 0.2, 0.5, 1.0)


class AskCommand(VerbCommand):
    def __init__(self) -> None:
        verb = verbs.find("agent.ask")
        assert verb is not None
        super().__init__(verb)

    def call(self, args: CallArgs, given: flags.Flags) -> int:
        request = CommandRequest(
            self.verb.name,
            args,
            key=given.key or os.urandom(16).hex(),
            reason=given.reason or "",
            actor=given.actor,
            at=given.at,
            known_at=given.known_at,
        )
        return show(self._answered(request, given.url), self.verb, given)

    def _answered(self, request: CommandRequest, url: str | None) -> CommandAnswer:
        settings, until = Settings.load(), time.monotonic() + request.args.get("timeout", USUAL)
        looks = 0
        answer = send(request, self.verb, settings, url)
        # Without a server nobody is there to answer; the question keeps.
        while answer.error.get("code") == "waiting" and answer.url and time.monotonic() < until:
            time.sleep(LOOKS[min(looks, len(LOOKS) - 1)])
            looks += 1
            answer = send(request, self.verb, settings, url)
        if answer.error.get("code") == "waiting" and answer.data:
            message = answer.data.get("message")
            print(f"no answer yet; `hq agent read {message}` shows when there is one", file=sys.stderr)
        return answer
