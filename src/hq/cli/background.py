"""`hq up -d`: the same `hq up`, in a session of its own, watched until it is ready."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from hq.cli.status import asked
from hq.errors import Outage
from hq.home import prepare_home
from hq.server_lock import RunningServer, find
from hq.settings import Settings

PATIENCE = 330.0  # seconds until it serves; a database that recovers from a crash may need minutes
SETTLING = 30.0  # seconds from then until all is well
POLL = 0.05


def start(settings: Settings, say: Callable[[str], None], *, as_json: bool = False) -> None:
    """Come back when /health answers well; pass on what `hq up` said either way, in its own form."""
    prepare_home(settings.home)
    said = settings.home / "run" / "up.out"
    child = _spawn(settings, said, ["--json"] if as_json else [])
    try:
        if _ready(settings, child, said):
            say(said.read_text().rstrip())
            return
        (sys.stdout if as_json else sys.stderr).write(said.read_text())
    finally:
        said.unlink(missing_ok=True)  # it holds the login link
    if child.poll() is None:
        raise Outage(f"hq (pid {child.pid}) started but is not well; `hq status` and `hq logs` say why")
    sys.exit(child.returncode)


def _spawn(settings: Settings, said: Path, options: list[str]) -> subprocess.Popen[bytes]:
    chosen = {"HQ_HOME": str(settings.home), "HQ_HOST": settings.host, "HQ_PORT": str(settings.port)}
    with open(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "hq", "up", *options],
            env=os.environ | chosen,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )


def _ready(settings: Settings, child: subprocess.Popen[bytes], said: Path) -> bool:
    deadline, serves = time.monotonic() + PATIENCE, False
    while child.poll() is None and time.monotonic() < deadline:
        found = find(settings)
        if found and found.pid == child.pid and said.stat().st_size:
            if _well(found):
                return True
            deadline, serves = deadline if serves else time.monotonic() + SETTLING, True
        time.sleep(POLL)
    return False


def _well(running: RunningServer) -> bool:
    health = asked(running.url)
    return health is not None and health["parts"]["database"]["status"] == "ok"
