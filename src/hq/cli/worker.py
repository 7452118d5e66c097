"""`hq worker`: one more process that works on sessions, on this machine or another, until it is asked to leave."""

from __future__ import annotations

import asyncio
import signal

import uvloop

from hq.agents.worker_process import runner_for
from hq.duties import at_work, duties
from hq.engine.announcer import Announcer
from hq.headquarters import open_headquarters
from hq.home import prepare_home
from hq.logs import set_up_logs
from hq.settings import Settings
from hq.stop_guard import StopGuard
from hq.telemetry import set_up_telemetry


def work(settings: Settings, room: int) -> None:
    prepare_home(settings.home)
    set_up_logs(settings)
    set_up_telemetry()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_work(settings, room))


async def _work(settings: Settings, room: int) -> None:
    guard = StopGuard(settings)
    async with open_headquarters(settings) as hq:
        runner = await runner_for(hq.door, hq.address, room)

        def leave() -> None:
            guard.begin()
            runner.leave()

        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, leave)
        working = [duty.run() for duty in duties(hq, Announcer(hq.address.app_url, hq.clock))]
        async with at_work(*working, guard.watch()):
            print(f"working on up to {room} sessions at a time; Ctrl-C lets it leave", flush=True)
            await runner.run()
    guard.nearly_over()
