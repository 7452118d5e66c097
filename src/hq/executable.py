"""The program as it is typed here: `hq` where the shell finds it, or else the way to it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

NAME = "hq"


def command() -> str:
    program = Path(sys.executable).with_name(NAME)
    found = shutil.which(NAME)
    if not program.exists() or (found and os.path.samefile(found, program)):
        return NAME
    here = Path.cwd()
    return str(program.relative_to(here) if program.is_relative_to(here) else program)
