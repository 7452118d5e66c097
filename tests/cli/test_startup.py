"""What a command loads: starting must stay cheap, so nothing heavy comes in by accident."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .conftest import House

HEAVY = ("pydantic", "psycopg", "fastapi", "starlette", "asyncio", "structlog", "cryptography", "hq.app", "hq.door")
PROBE = """
import sys
from hq.cli.main import run
code = run(sys.argv[1:])
print(code, *sorted(sys.modules), file=sys.stderr)
"""


def _unmeasured(env: dict[str, str]) -> dict[str, str]:
    """Without `make coverage`, which loads modules of its own into every process."""
    return {name: value for name, value in env.items() if not name.startswith("COVERAGE_")}


def loaded(house: House, *args: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *args],
        env=_unmeasured(house.env),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    code, *modules = done.stderr.strip().splitlines()[-1].split()
    assert code == "0", done.stderr
    return set(modules)


def test_help_loads_not_even_click(house: House) -> None:
    assert not loaded(house, "--help") & {*HEAVY, "click", "dataclasses", "shutil"}


@pytest.mark.parametrize("command", [["task", "list", "--json"], ["task", "list"], ["whoami"], ["task", "--help"]])
def test_a_command_to_a_running_server_loads_no_verb_and_no_driver(house: House, command: list[str]) -> None:
    modules = loaded(house, *command)

    assert not modules & set(HEAVY)
    assert not {name for name in modules if name.startswith(("hq.api", "hq.graph", "hq.cli.server_commands"))}
