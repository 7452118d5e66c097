"""The directory that holds everything of one installation: made ready, its token read, its private files written.

Every command of the command line passes here, so this loads nothing but the standard library.
"""

from __future__ import annotations

import os
from pathlib import Path

from hq.errors import Outage
from hq.settings import Settings


def prepare_home(home: Path) -> None:
    """The home and what hq itself keeps there; the server looks after its own directory."""
    try:
        # As root the server runs as another user, who must be able to pass through.
        home.mkdir(0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
        for directory in (home / "run", home / "logs"):
            directory.mkdir(exist_ok=True)
        # What agents are told and who they are is for nobody else who may pass.
        (home / "companies").mkdir(0o700, exist_ok=True)
        (home / "companies").chmod(0o700)
        probe = home / "run" / ".writable"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        raise Outage(
            f"the home {home} cannot be written to ({error.strerror or error}); make it writable or set HQ_HOME to another place"
        ) from error


def read_token(settings: Settings) -> str | None:
    if settings.token:
        return settings.token
    try:
        return settings.token_file.read_text().strip() or None
    except OSError:
        return None


def write_private(file: Path, text: str) -> None:
    """Written whole or not at all, and never readable by anybody else, not even for a moment."""
    fresh = file.with_suffix(".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)
