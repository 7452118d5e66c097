"""What is made once for a whole run, by whichever of its processes comes first."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RUN = "HQ_TEST_RUN"


@contextmanager
def only_one(name: str) -> Iterator[Path]:
    """The run's directory, while nobody else makes what has this name."""
    run = Path(os.environ[RUN])
    with open(run / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield run
