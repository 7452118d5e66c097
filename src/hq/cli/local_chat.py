"""A local chat, without a server: the house is opened for as long as it lasts, and works on the answer itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

from hq import logs
from hq.agents.worker_process import runner_for
from hq.chat.conversation_view import ConversationView, PlainFrames
from hq.cli.flags import Flags
from hq.cli.local_call import hub_alone, patience
from hq.cli.request import CommandAnswer, CommandRequest
from hq.door.tx import Call
from hq.engine.session_waker import SessionWaker
from hq.errors import Refused
from hq.headquarters import Headquarters, open_headquarters
from hq.home import prepare_home
from hq.settings import Settings
from hq.stream.follow import Following


class LocalChat:
    def __init__(self, settings: Settings, given: Flags) -> None:
        prepare_home(settings.home)
        logs.set_up_logs(settings, terminal=False)
        self._actor = given.actor
        self._loop = asyncio.Runner()
        self._open = AsyncExitStack()
        with patience():
            self._hq: Headquarters = self._loop.run(self._open.enter_async_context(open_headquarters(settings)))

    def say(self, request: CommandRequest) -> CommandAnswer:
        call = Call(
            request.verb, request.args, self._hq.token or "", request.key, request.reason, request.actor, request.at,
            request.known_at,
        )  # fmt: skip
        outcome = self._loop.run(self._hq.door.call(call))
        return CommandAnswer(json.loads(json.dumps(outcome.as_dict())))

    def listen(self, where: dict[str, str], after: str | None) -> Iterator[tuple[str, Any]]:
        frames = self._frames(where, after)
        try:
            while True:
                yield self._loop.run(anext(frames))  # type: ignore[arg-type]
        finally:
            self._loop.run(frames.aclose())

    async def _frames(self, where: dict[str, str], after: str | None):
        hq = self._hq
        args = {**where, "after": after} if after else dict(where)
        found = await hq.door.call(Call("chat.follow", args, hq.token or "", actor=self._actor))
        if not found.ok:
            raise Refused(found.message, code=found.code)
        working = asyncio.create_task(self._work())
        view = ConversationView(hq.door, found.data, PlainFrames())
        try:
            async with hub_alone(hq) as hub, Following(hub, view) as following:
                async for frames in following.frames():
                    for frame in frames:
                        yield frame.name or "", frame.data
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)

    async def _work(self) -> None:
        """Also what wakes by itself after a while, such as one whose mind had no quota left, is gone on with."""
        hq = self._hq
        runner = await runner_for(hq.door, hq.address, hq.settings.sessions_at_once)
        waker = SessionWaker(hq.address.app_url, hq.clock)
        while True:
            while await runner.run_once():
                pass
            async with hq.door.pool.connection() as conn:
                await waker.run_once(conn)
            if waker.next_wake is None:
                return
            await asyncio.sleep(max(0.05, (waker.next_wake - hq.clock.now()).total_seconds()))

    def close(self) -> None:
        self._loop.run(self._open.aclose())
        self._loop.close()
