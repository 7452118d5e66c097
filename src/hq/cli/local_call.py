"""A local call, straight on the database, when no server runs: the whole house is opened for it and closed again."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from threading import Timer

from hq import logs
from hq.cli.request import CommandRequest
from hq.door.outcome import ResultContract
from hq.door.tx import Call
from hq.engine.announcer import Announcer
from hq.errors import Outage
from hq.headquarters import Headquarters, open_headquarters
from hq.home import prepare_home
from hq.json_types import CallArgs, CallResult
from hq.sessions.session_view import SessionStreamView
from hq.settings import Settings
from hq.stream.events_view import EventsView
from hq.stream.follow import Following, Frame, StreamView
from hq.stream.hub import Hub
from hq.terminal.screen import aside

PATIENCE = 1.0  # seconds until a person is told what takes so long


def call(request: CommandRequest, settings: Settings) -> ResultContract:
    prepare_home(settings.home)
    logs.set_up_logs(settings, terminal=False)
    return asyncio.run(_call(request, settings))


async def _call(request: CommandRequest, settings: Settings) -> ResultContract:
    with patience() as waited:
        async with open_headquarters(settings) as hq:
            waited.cancel()
            outcome = await hq.door.call(
                Call(
                    request.verb,
                    request.args,
                    hq.token or "",
                    key=request.key,
                    reason=request.reason,
                    actor=request.actor,
                    at=request.at,
                    known_at=request.known_at,
                )
            )
    return json.loads(json.dumps(outcome.as_dict()))


Tell = Callable[[Frame], bool]
"""Takes what is new; says whether more is wanted."""


def follow(verb: str, args: CallArgs, actor: str | None, settings: Settings, tell: Tell) -> ResultContract | None:
    """Tell of what a verb opened until enough was told or it is over. What comes back is a refusal."""
    prepare_home(settings.home)
    logs.set_up_logs(settings, terminal=False)
    return asyncio.run(_follow(verb, args, actor, settings, tell))


async def _follow(
    verb: str, args: CallArgs, actor: str | None, settings: Settings, tell: Tell
) -> ResultContract | None:
    with patience() as waited:
        async with open_headquarters(settings) as hq:
            waited.cancel()
            opened = await hq.door.call(Call(verb, args, hq.token or "", actor=actor))
            if not opened.ok:
                return json.loads(json.dumps(opened.as_dict()))
            async with hub_alone(hq) as hub, Following(hub, _view(hq, verb, opened.data)) as following:
                async for frames in following.frames():
                    for frame in frames:
                        if frame.name == "end":
                            raise Outage(str(frame.data["why"]))  # type: ignore[index, call-overload]
                        if not tell(frame):
                            return None
    return None


def _view(hq: Headquarters, verb: str, opened: CallResult) -> StreamView:
    return EventsView(hq.door.catalogue, opened) if verb == "events.tail" else SessionStreamView(hq.door, opened)


@asynccontextmanager
async def hub_alone(hq: Headquarters) -> AsyncIterator[Hub]:
    """A hub where no server runs: nobody else may announce, so that is done here."""
    announcing = asyncio.create_task(Announcer(hq.address.app_url, hq.clock).run())
    hub = Hub(hq.address.app_url, hq.door.pool, hq.clock)
    try:
        yield hub
    finally:
        announcing.cancel()
        await asyncio.gather(announcing, hub.close(), return_exceptions=True)


@contextmanager
def patience() -> Iterator[Timer]:
    timer = Timer(PATIENCE, lambda: aside("starting the database…") if sys.stderr.isatty() else None)
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()
