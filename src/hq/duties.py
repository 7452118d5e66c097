"""Duties, which one process at a time does for all: every `hq up` and every `hq worker` stands ready to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import structlog

from hq.app import pumps
from hq.engine.announcer import Announcer
from hq.engine.duty import Duty
from hq.headquarters import Headquarters

UNWINDING = 7.0
"""Seconds that duties have to come to an end once they are called off."""
log = structlog.get_logger("hq.duties")


def duties(hq: Headquarters, announcer: Announcer) -> list[Duty]:
    return [announcer, *pumps(hq.address.app_url, hq.door)]


@asynccontextmanager
async def at_work(*duties: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Duties that run beside the block and end with it."""
    tasks = [asyncio.create_task(_watched(duty), name=duty.__qualname__) for duty in duties]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=UNWINDING)
            for task in late:
                log.error("a duty does not end; it is left behind", duty=task.get_name(), at=_where(task))


def _where(task: asyncio.Task[None]) -> list[str]:
    """The lines of its own code at which a task waits, outermost first."""
    return [f"{frame.f_code.co_filename}:{frame.f_lineno}" for frame in task.get_stack()]


async def _watched(duty: Coroutine[Any, Any, None]) -> None:
    try:
        await duty
    except Exception:
        log.exception("a duty ended that should not", duty=duty.__qualname__)
