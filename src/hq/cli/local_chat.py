"""A local chat, without a server: the house is opened for as long as it lasts, and works on the answer itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

from hq import logs
from hq.agents.worker_process import runner_for
from hq.chat.conversation_view import TOPICS, ChatFollowOpened, ConversationView, PlainFrames
from hq.cli.flags import Flags
from hq.cli.local_call import hub_alone, patience
from hq.cli.request import CommandAnswer, CommandRequest
from hq.door.tx import Call
from hq.headquarters import Headquarters, open_headquarters
from hq.home import prepare_home
from hq.settings import Settings
from hq.stream.follow import Following


class Alone:
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

    def listen(self, where: dict[str, str], after: str) -> Iterator[tuple[str, Any]]:
        frames = self._frames(where, after)
        try:
            while True:
                yield self._loop.run(anext(frames))  # type: ignore[arg-type]
        finally:
            self._loop.run(frames.aclose())

    async def _frames(self, where: dict[str, str], after: str):
        hq = self._hq
        call = Call("chat.follow", {**where, "after": after}, hq.token or "", actor=self._actor)
        opened = ChatFollowOpened.model_validate((await hq.door.call(call)).data)
        working = asyncio.create_task(self._work())
        view = ConversationView(hq.door, opened, PlainFrames())
        try:
            async with hub_alone(hq) as hub, Following(hub, opened.filter(TOPICS), view) as following:
                async for frames in following.frames():
                    for frame in frames:
                        yield frame.name or "", frame.data
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)

    async def _work(self) -> None:
        runner = await runner_for(self._hq.door, self._hq.address)
        while await runner.run_once():
            pass

    def close(self) -> None:
        self._loop.run(self._open.aclose())
        self._loop.close()
