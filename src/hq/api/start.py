"""The start of `hq up`: whatever can be refused is refused before the house is loaded, which takes a second or two."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from hq.api.listener import bind
from hq.home import prepare_home
from hq.logs import set_up_logs
from hq.server_lock import claimed
from hq.settings import Settings


def serve(settings: Settings, say: Callable[[str], None] = partial(print, flush=True)) -> None:
    """Serve this home in the foreground. Comes back after SIGTERM or Ctrl-C, with everything stopped in order."""
    prepare_home(settings.home)
    _allow_many_connections()
    with claimed(settings), bind(settings) as listener:
        set_up_logs(settings)
        import uvloop

        from hq.api.server import serve_until_signal
        from hq.telemetry import set_up_telemetry

        set_up_telemetry()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve_until_signal(settings, listener, say))


def _allow_many_connections() -> None:
    """Each reader of a stream holds a file open; many systems allow a process only 1,024 unless it asks."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
