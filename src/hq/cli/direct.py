"""A call straight on the database, when no server runs: the whole house is opened for it and closed again."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

from hq import logs
from hq.cli.request import Request
from hq.cli.screen import aside
from hq.door.tx import Call
from hq.headquarters import open_headquarters
from hq.home import prepare_home
from hq.settings import Settings

PATIENCE = 1.0  # seconds until a person is told what takes so long


def call(request: Request, settings: Settings) -> dict[str, Any]:
    prepare_home(settings.home)
    logs.set_up_logs(settings, terminal=False)
    return asyncio.run(_call(request, settings))


async def _call(request: Request, settings: Settings) -> dict[str, Any]:
    with _patience() as waited:
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


@contextmanager
def _patience() -> Iterator[Timer]:
    timer = Timer(PATIENCE, lambda: aside("starting the database…") if sys.stderr.isatty() else None)
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()
