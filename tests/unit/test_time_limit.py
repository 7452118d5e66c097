"""A run that hangs ends by itself, says where, and fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "time_limit.py"
HANGS = "import time\ndef wait_for_ever():\n    time.sleep(600)\nwait_for_ever()"


def limited(minutes: str, *command: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, SCRIPT, minutes, sys.executable, "-X", "faulthandler", "-c", *command]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)


def test_what_hangs_ends_with_its_stacks() -> None:
    said = limited("0.05", HANGS)

    assert said.returncode == 124
    assert "longer than 0.05 minutes" in said.stderr and "wait_for_ever" in said.stderr


def test_what_ends_by_itself_keeps_its_exit_code() -> None:
    assert limited("5", "raise SystemExit(3)").returncode == 3


def test_what_was_left_running_ends_too() -> None:
    said = limited("5", "import subprocess; subprocess.Popen(['sleep', '600'])")

    assert said.returncode == 0, "and its output came to an end"
