"""CPU that the command line takes: `hq --help`, and `hq task list --json` over HTTP and straight on the database."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.house import environment, running
from bench.measure import child, median, note
from bench.report import Result, at_most
from hq.database.embedded import scratch_home

PYTHON = [sys.executable, "-c", "pass"]
CLICK = [sys.executable, "-c", "import click"]
LIST = ["task", "list", "--json"]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--times", type=int, default=21, help="how often each command is run (default: 21)")
    parser.add_argument("--tasks", type=int, default=20, help="how many tasks there are to list (default: 20)")


def run(options: argparse.Namespace) -> list[Result]:
    with scratch_home() as home, running(home) as house:
        for index in range(options.tasks):
            house.call("task.create", {"title": f"Task {index}"})
        note(f"each command {options.times} times")
        commands: dict[str, tuple[Sequence[str], Mapping[str, str]]] = {
            "python": (PYTHON, environment(home)),
            "click": (CLICK, environment(home)),
            "help": ([*_hq(), "--help"], environment(home)),
            "http": ([*_hq(), *LIST], environment(home)),
            "direct": ([*_hq(), *LIST], environment(home, HQ_DIRECT="1")),
        }
        cpu: dict[str, list[float]] = {name: [] for name in commands}
        for turn in range(1 + options.times):  # in turns, so that a busy moment touches all of them
            for name, (command, env) in commands.items():
                spent = child(command, env)
                if turn:  # the first run compiles
                    cpu[name].append(spent.cpu * 1000)
        house.stop()
    typical = {name: median(times) for name, times in cpu.items()}
    python, click = "python -c pass", 'python -c "import click"'
    return [
        at_most(100, what="hq --help", value=typical["help"], unit="ms CPU", raw=typical["python"], against=python),
        _listed("over HTTP", typical["http"], typical["click"], click),
        _listed("direct", typical["direct"], typical["click"], click),
    ]


def _listed(way: str, value: float, raw: float, against: str) -> Result:
    return Result(what=f"hq task list --json, {way}", value=value, unit="ms CPU", raw=raw, against=against)


def _hq() -> list[str]:
    """As it is installed, or as a module of a tree that is not."""
    installed = Path(sys.executable).with_name("hq")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "hq"]
