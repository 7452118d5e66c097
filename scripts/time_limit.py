"""Time limit for a whole command: `python scripts/time_limit.py 40 pytest …` ends it after 40 minutes, with its stacks.

SIGABRT goes to every process of its group: pytest's faulthandler makes each of them, workers included, print where its
threads are. What is left half a minute later is killed; so is, after any end, what the command started and did not stop,
or whoever reads the output would wait for it. Coreutils' `timeout` would keep Ctrl-C under `make` from the tests.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from types import FrameType

GRACE = 30.0
ENDED = 124  # as `timeout` says it


def main(minutes: float, command: list[str]) -> int:
    process = subprocess.Popen(command, process_group=0)

    def forward(number: int, _: FrameType | None) -> None:
        _signal(process.pid, number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, forward)
    try:
        return _code(process.wait(minutes * 60))
    except subprocess.TimeoutExpired:
        said = f"\nended: this took longer than {minutes:g} minutes. Where its processes are:"
        print(said, file=sys.stderr, flush=True)
        _signal(process.pid, signal.SIGABRT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        return ENDED
    finally:
        _signal(process.pid, signal.SIGKILL)
        process.wait()


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def _code(returned: int) -> int:
    return returned if returned >= 0 else 128 - returned


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
