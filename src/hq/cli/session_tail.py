"""`hq session tail`: a session's steps as they are written, from a running server or from the database itself."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import click

from hq.cli import flags, options, verbs
from hq.cli.commands import VerbCommand
from hq.cli.output import show
from hq.cli.request import CommandAnswer
from hq.cli.tail import over_http
from hq.cli.transport import reach
from hq.sessions.session_text import step
from hq.settings import Settings
from hq.terminal.screen import Screen, aside


class SessionTailCommand(VerbCommand):
    def __init__(self) -> None:
        verb = verbs.find("session.tail")
        assert verb is not None
        super().__init__(verb)

    def invoke(self, ctx: click.Context) -> int:
        given, settings = flags.given(ctx), Settings.load()
        args = options.arguments(self.verb, ctx.params)
        screen = Screen.of(sys.stdout)

        def tell(item: Mapping[str, Any]) -> bool:
            line = json.dumps(item, ensure_ascii=False, separators=(",", ":")) if given.json else step(item, screen)
            print(line, flush=True)
            return True

        def over(said: Mapping[str, Any]) -> None:
            aside(f"it is over: {said['state']}")

        if server := reach(settings, given.url):
            path = f"/api/sessions/{args['id']}/steps"
            refused = over_http(server, path, str(args.get("after", 0)), given, tell, over)
        else:
            from hq.cli.local_call import Frame, follow

            def take(frame: Frame) -> bool:
                if frame.name is None:
                    return tell(frame.data)  # type: ignore[arg-type]
                if frame.name == "over":
                    over(frame.data)  # type: ignore[arg-type]
                return True

            answer = follow("session.tail", args, given.actor, settings, take)
            refused = CommandAnswer(answer) if answer else None
        return show(refused, self.verb, given) if refused else 0
