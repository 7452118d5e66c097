"""`hq mcp-serve`: the Model Context Protocol over stdin and stdout, for a client that starts hq as its server.

It speaks to the running server where there is one, and opens the house itself where there is none.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from mcp.server.stdio import stdio_server

from hq import logs
from hq.cli.request import CommandRequest
from hq.cli.transport import reach, send
from hq.cli.verbs import find
from hq.errors import HqError, Outage, Refused
from hq.home import prepare_home
from hq.mcp.door_calls import CallRoute, DirectCalls, VerbRequest, failed, opened_events
from hq.mcp.server import HqServer
from hq.settings import Settings

if TYPE_CHECKING:
    from hq.door.outcome import ResultContract
    from hq.door.verb import Registry


def serve(settings: Settings, actor: str | None, tools: tuple[str, ...]) -> None:
    prepare_home(settings.home)
    logs.set_up_logs(settings, terminal=False)  # stdout is the protocol's, stderr the client's
    asyncio.run(_serve(settings, actor, tools))


async def _serve(settings: Settings, actor: str | None, tools: tuple[str, ...]) -> None:
    async with _way_in(settings, actor) as way_in:
        server = HqServer(way_in, _registry, tools).server
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())


def _registry() -> Registry:
    from hq.app import registry  # all rooms: a second that a client need not wait for

    return registry()


@asynccontextmanager
async def _way_in(settings: Settings, actor: str | None) -> AsyncIterator[CallRoute]:
    if reach(settings):
        yield HttpDoorCalls(settings, actor)
        return
    from hq.headquarters import open_headquarters

    async with open_headquarters(settings) as hq:
        if not hq.token:
            raise Refused.unauthenticated("there is no token in this home; set HQ_TOKEN to the one to act with")
        from hq.cli.local_call import hub_alone

        async with hub_alone(hq) as hub:
            yield DirectCalls(hq.door, hub, hq.token, actor)


class HttpDoorCalls:
    """The running server, asked as every other command asks it."""

    def __init__(self, settings: Settings, actor: str | None) -> None:
        self._settings = settings
        self._actor = actor

    async def call(self, ask: VerbRequest, request: Any) -> ResultContract:
        verb = find(ask.verb)
        if verb is None:
            return failed(ask.verb, Refused.not_found(f"there is no verb {ask.verb!r}"))
        wanted = CommandRequest(
            ask.verb, ask.args, key=ask.key, reason=ask.reason, actor=self._actor, at=ask.at, known_at=ask.known_at
        )
        try:
            return (await asyncio.to_thread(send, wanted, verb, self._settings)).contract
        except HqError as error:
            return failed(ask.verb, error)
        except OSError as error:
            return failed(ask.verb, Outage(f"the server does not answer ({error.strerror or error})"))

    @asynccontextmanager
    async def events(self, after: str | None, request: Any) -> AsyncIterator[AsyncIterator[Mapping[str, Any]]]:
        """Read beside the protocol, by a thread: it ends with its next event or heartbeat, or with the process."""
        opened = await opened_events(self, after, request)
        loop, told, left = asyncio.get_running_loop(), asyncio.Queue[Mapping[str, Any] | None](), threading.Event()

        def tell(event: Mapping[str, Any] | None) -> bool:
            if not left.is_set():
                loop.call_soon_threadsafe(told.put_nowait, event)
            return not left.is_set()

        def read() -> None:
            from hq.cli.flags import Flags
            from hq.cli.tail import over_http

            server = reach(self._settings)
            with suppress(HqError):
                if server is not None:
                    over_http(server, "/api/events", opened["after"], Flags(actor=self._actor), tell)
            tell(None)

        threading.Thread(target=read, daemon=True).start()
        try:
            yield _until_over(told)
        finally:
            left.set()


async def _until_over(told: asyncio.Queue[Mapping[str, Any] | None]) -> AsyncIterator[Mapping[str, Any]]:
    while (event := await told.get()) is not None:
        yield event
