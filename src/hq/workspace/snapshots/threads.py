"""Threads for work on whole trees: however much of that there is, all else that blocks has threads of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
AT_ONCE = 8
"""Most of it waits for a disk, or for another that works on the same workspace."""
_threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="trees")


async def in_thread(work: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
    """As `asyncio.to_thread`, whose threads everybody shares."""
    context = copy_context()
    return await asyncio.get_running_loop().run_in_executor(
        _threads, partial(context.run, partial(work, *args, **more))
    )
