"""Subscriptions: a client is told when a resource has changed, from the one stream, as far as its caller sees."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple

from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from hq.mcp.call_log import Context, connection_of
from hq.mcp.pages import PAGES, Read
from hq.mcp.resources import parsed, read_one

MOST = 100
WATCH = "hq.watch"
Event = Mapping[str, Any]
Events = Callable[[str | None], AbstractAsyncContextManager[AsyncIterator[Event]]]
"""Opens the events that a caller sees, behind a position or from now on."""
Tell = Callable[[str], Awaitable[None]]


class WatchedResource(NamedTuple):
    """What of a company's events is about a resource."""

    names: frozenset[str] = frozenset()
    nouns: frozenset[str] = frozenset()

    def touched(self, event: Event) -> bool:
        if self.nouns:
            return "graph" in self.nouns or event["topic"].partition(".")[0] in self.nouns
        return any(value in self.names for value in event["payload"].values() if isinstance(value, str))


async def watched(read: Read, uri: str) -> WatchedResource:
    """A resource that is there for this caller; for any other the same error as when it is read."""
    place = parsed(uri)
    contents = await read_one(read, uri)
    if place.kind == "state":
        return WatchedResource(nouns=frozenset(s.verb.partition(".")[0] for s in PAGES[place.name].sections))
    node = json.loads(contents.text)
    return WatchedResource(names=frozenset((node["id"], node["slug"])))


class Watch:
    """What one connection follows, while it lasts. Where its credential ends, the next request's takes over from there."""

    def __init__(self, tell: Tell) -> None:
        self.resources: dict[str, WatchedResource] = {}
        self.following: asyncio.Task[None] | None = None
        self._tell = tell
        self._after: str | None = None

    async def follow(self, events: Events) -> None:
        """Begin, unless it is under way; whatever happens from here on is told."""
        if not self.resources or not (self.following is None or self.following.done()):
            return
        opened = asyncio.Event()
        self.following = asyncio.create_task(self._pass_on(events, opened))
        opening = asyncio.create_task(opened.wait())
        try:
            await asyncio.wait((opening, self.following), return_when=asyncio.FIRST_COMPLETED)
        finally:
            opening.cancel()
        if self.following.done():
            self.following.result()

    async def close(self) -> None:
        if self.following is not None:
            self.following.cancel()
            await asyncio.gather(self.following, return_exceptions=True)

    async def _pass_on(self, events: Events, opened: asyncio.Event) -> None:
        async with events(self._after) as told:
            opened.set()
            async for event in told:
                self._after = event["id"]
                for uri in [uri for uri, each in self.resources.items() if each.touched(event)]:
                    await self._tell(uri)


async def subscribe(ctx: Context, params: SubscribeRequestParams, read: Read, events: Events) -> EmptyResult:
    connection, uri = connection_of(ctx), str(params.uri)
    watch = connection.state.get(WATCH)
    if watch is None:
        watch = connection.state[WATCH] = Watch(connection.send_resource_updated)
        connection.exit_stack.push_async_callback(watch.close)
    if len(watch.resources) >= MOST and uri not in watch.resources:
        raise MCPError(code=INVALID_PARAMS, message=f"{MOST} resources are followed already; unsubscribe from some")
    watch.resources[uri] = await watched(read, uri)
    await watch.follow(events)
    return EmptyResult()


async def unsubscribe(ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
    watch = connection_of(ctx).state.get(WATCH)
    if watch is not None and watch.resources.pop(str(params.uri), None) and not watch.resources:
        await watch.close()
    return EmptyResult()


async def take_over(ctx: Context, events: Events) -> None:
    """Go on with what was followed, where the credential that it was begun with has ended and this request has another."""
    watch = connection_of(ctx).state.get(WATCH)
    if watch is not None:
        await watch.follow(events)


async def listen(
    ctx: Context, params: SubscriptionsListenRequestParams, read: Read, events: Events
) -> SubscriptionsListenResult:
    """`subscriptions/listen`, since 2026-07-28: a bus for this one stream, for what is told to one is not for all."""
    wanted = params.notifications.resource_subscriptions or []
    if len(wanted) > MOST:
        raise MCPError(code=INVALID_PARAMS, message=f"at most {MOST} resources are followed by one stream")
    bus = InMemorySubscriptionBus()
    watch = Watch(lambda uri: bus.publish(ResourceUpdated(uri=uri)))
    watch.resources = {str(uri): await watched(read, str(uri)) for uri in wanted}
    handler = ListenHandler(bus)
    await watch.follow(events)
    if watch.following is not None:  # with the credential the stream ends, and the client comes back with another
        watch.following.add_done_callback(lambda _: handler.close())
    try:
        return await handler(ctx, params)
    finally:
        await watch.close()
