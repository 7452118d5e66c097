"""Hang guard: a test that waits for what never comes says where, task by task, before its time is over.

pytest-timeout ends its process and shows the threads; of an asyncio test those say only that the loop waits.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

FRAMES, AWAITED = ("cr_frame", "gi_frame", "ag_frame"), ("cr_await", "gi_yieldfrom", "ag_await")
_stderr = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_stderr] = os.dup(sys.stderr.fileno())  # where it goes when the test's own is captured


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    timer = threading.Timer(float(item.config.getini("faulthandler_timeout")), tell, (item,))
    timer.daemon = True
    timer.start()
    try:
        return (yield)
    finally:
        timer.cancel()


def tell(item: pytest.Item) -> None:
    with open(item.config.stash[_stderr], "w", closefd=False) as out:
        print(f"\n{item.nodeid} has not ended yet; what its tasks wait for:", file=out)
        for loop in [
            one for one in gc.get_objects() if isinstance(one, asyncio.AbstractEventLoop) and one.is_running()
        ]:
            for task in asyncio.all_tasks(loop):
                print(f"{task.get_name()}:", file=out)
                out.writelines(traceback.format_list(traceback.StackSummary.extract(_frames(task.get_coro()))))


def _frames(awaited: Any) -> Iterator[tuple[FrameType, int]]:
    """From the task's own coroutine down to what it waits in; `Task.get_stack` has only the first of them."""
    while frame := next((found for name in FRAMES if (found := getattr(awaited, name, None))), None):
        yield frame, frame.f_lineno
        awaited = next((found for name in AWAITED if (found := getattr(awaited, name, None))), None)
