"""Commands that wait for work: `hq subagent run`, `hq project run`, `hq worker wait` and their like stay until it is over.

What goes on is told meanwhile, beside the result. Ctrl-C stays no longer and stops nothing. Nothing is asked again and again: the
stream of the session, or of the events that end the waiting, says when; the same call under the same key then has the result.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import click

from hq.cli import flags, options, verbs
from hq.cli.commands import VerbCommand
from hq.cli.output import show
from hq.cli.request import CommandAnswer, CommandRequest
from hq.cli.tail import over_http
from hq.cli.transport import Server, reach, send
from hq.json_types import CallResult
from hq.sessions.session_text import step
from hq.settings import Settings
from hq.terminal.screen import Screen, aside


class WaitCommand(VerbCommand):
    def __init__(self, name: str) -> None:
        verb = verbs.find(name)
        assert verb is not None
        says = "Do not stay for the result; it goes on all the same."
        super().__init__(verb, [click.Option(["--no-wait", "_no_wait"], is_flag=True, help=says)])

    def invoke(self, ctx: click.Context) -> int:
        given, stays = flags.given(ctx), not ctx.params["_no_wait"]
        args = options.arguments(self.verb, ctx.params)
        if not stays and any(arg.name == "background" for arg in self.verb.args):
            args["background"] = True
        request = CommandRequest.typed(self.verb.name, args, given, repeated=True)
        settings = Settings.load()
        answer = send(request, self.verb, settings, given.url)
        try:
            if stays and under_way(answer) and not (given.json or given.quiet):
                aside("waiting until it is over; Ctrl-C leaves it running")
            while stays and under_way(answer) and self._ended(answer, given, settings):
                answer = send(request, self.verb, settings, given.url)
        except KeyboardInterrupt:
            aside(f"\nit goes on without you; {_again(answer.data)}")
        return show(answer, self.verb, given)

    def _ended(self, answer: CommandAnswer, given: flags.Flags, settings: Settings) -> bool:
        """Stay until what is waited for has ended; not where nobody is there to do it."""
        if server := reach(settings, given.url):
            return follow_to_end(answer, server, given)
        aside(f"hq is not up, so nobody works on it; it goes on with `hq up`, and {_again(answer.data)}")
        return False


def under_way(answer: CommandAnswer) -> bool:
    """Whether work is waited for; not for an approval, which may take days."""
    return answer.error.get("code") == "waiting" and bool(answer.data and answer.data.get("waits_for"))


def follow_to_end(answer: CommandAnswer, server: Server, given: flags.Flags, *, until: float | None = None) -> bool:
    """Follow the stream of what a call waits for, until it ended or that moment came. False where the server refused to tell."""
    waits: CallResult = answer.data
    things = [waits["waits_for"]] if isinstance(waits["waits_for"], str) else waits["waits_for"]
    nouns, ids = zip(*(each.split(":", 1) for each in things), strict=True)
    if nouns == ("session",):
        steps = f"/api/sessions/{ids[0]}/steps"
        return over_http(server, steps, "0", given, _told(given), lambda _: None, until) is None
    topics = waits.get("waits_on") or [f"{noun}.*" for noun in sorted(set(nouns))]
    path = f"/api/events?{urlencode([('topic', topic) for topic in topics])}"
    settled = (answer.contract.get("sequence") or "").partition("+")[0]
    since = str(waits.get("waits_since") or settled) or None
    return (
        over_http(server, path, since, given, lambda event: event["payload"].get("id") not in ids, None, until) is None
    )


def _told(given: flags.Flags) -> Any:
    """What tells a step of the work to who waits, and wants the next."""
    screen = Screen.of(sys.stderr)

    def tell(item: Mapping[str, Any]) -> bool:
        if not given.json and not given.quiet:
            print(step(item, screen), file=sys.stderr, flush=True)
        return True

    return tell


def _again(waits: CallResult) -> str:
    """How one comes back to it."""
    if worker := waits.get("worker"):
        return f"`hq worker wait {worker}` waits for it again"
    return "the same command waits for it again"
