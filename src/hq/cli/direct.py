"""A call straight on the database, when no server runs: the whole house is opened for it and closed again."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Timer
from typing import Any
from uuid import UUID

from hq import logs
from hq.agents.tail import follow as follow_steps
from hq.cli.request import Request
from hq.cli.screen import aside
from hq.door.tx import Call
from hq.engine.announcer import Announcer
from hq.engine.feed import Feed
from hq.engine.position import Position
from hq.engine.subscription import Ended, Told
from hq.engine.topics import Topics
from hq.errors import Outage
from hq.headquarters import open_headquarters
from hq.home import prepare_home
from hq.settings import Settings

PATIENCE = 1.0  # seconds until a person is told what takes so long


def call(request: Request, settings: Settings) -> dict[str, Any]:
    prepare_home(settings.home)
    logs.set_up_logs(settings, terminal=False)
    return asyncio.run(_call(request, settings))


async def _call(request: Request, settings: Settings) -> dict[str, Any]:
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


def follow(
    args: dict[str, Any], actor: str | None, settings: Settings, tell: Callable[[Mapping[str, Any]], bool]
) -> dict[str, Any] | None:
    """Tell of events until enough was told. What comes back is a refusal."""
    prepare_home(settings.home)
    logs.set_up_logs(settings, terminal=False)
    return asyncio.run(_follow(args, actor, settings, tell))


async def _follow(
    args: dict[str, Any], actor: str | None, settings: Settings, tell: Callable[[Mapping[str, Any]], bool]
) -> dict[str, Any] | None:
    with patience() as waited:
        async with open_headquarters(settings) as hq:
            waited.cancel()
            opened = await hq.door.call(Call("events.tail", args, hq.token or "", actor=actor))
            if not opened.ok:
                return json.loads(json.dumps(opened.as_dict()))
            announcing = asyncio.create_task(Announcer(hq.address.app_url, hq.clock).run())  # nobody else may
            feed = Feed(hq.address.app_url, hq.door.pool, hq.clock)
            try:
                await _tell_all(feed, opened.data, tell)
            finally:
                announcing.cancel()
                await asyncio.gather(announcing, feed.close(), return_exceptions=True)
    return None


def follow_session(
    args: dict[str, Any],
    actor: str | None,
    settings: Settings,
    tell: Callable[[Mapping[str, Any]], bool],
    over: Callable[[Mapping[str, Any]], None],
) -> dict[str, Any] | None:
    """Tell of a session's steps until it is over. What comes back is a refusal."""
    prepare_home(settings.home)
    logs.set_up_logs(settings, terminal=False)
    return asyncio.run(_follow_session(args, actor, settings, tell, over))


async def _follow_session(
    args: dict[str, Any],
    actor: str | None,
    settings: Settings,
    tell: Callable[[Mapping[str, Any]], bool],
    over: Callable[[Mapping[str, Any]], None],
) -> dict[str, Any] | None:
    with patience() as waited:
        async with open_headquarters(settings) as hq:
            waited.cancel()
            opened = await hq.door.call(Call("session.tail", args, hq.token or "", actor=actor))
            if not opened.ok:
                return json.loads(json.dumps(opened.as_dict()))
            async for seen in follow_steps(hq.door, opened.data):
                for item in seen.items:
                    tell(item)
                if seen.over:
                    over({"state": seen.over})
                if seen.revoked:
                    raise Outage("the credential was revoked or has expired")
    return None


async def _tell_all(feed: Feed, opened: dict[str, Any], tell: Callable[[Mapping[str, Any]], bool]) -> None:
    tenant, credential, last = UUID(opened["tenant_id"]), UUID(opened["credential"]), opened["after"]
    async with feed.subscribe(tenant, credential, Topics(opened["topics"]), Position.parse(last)) as subscription:
        while not isinstance(message := await subscription.next(), Ended):
            for event in message.events if isinstance(message, Told) else ():
                if not tell(json.loads(event.told(last))):
                    return
                last = str(event.position)
        raise Outage(message.why)


@contextmanager
def patience() -> Iterator[Timer]:
    timer = Timer(PATIENCE, lambda: aside("starting the database…") if sys.stderr.isatty() else None)
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()
