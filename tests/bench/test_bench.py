"""Every benchmark runs, and says what it measured in the agreed shape. What the numbers are is not for a test."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import main
from bench.measure import percentile
from bench.report import Result, as_table, at_most, within
from tests.support.passable import MISSING

ROOT = Path(__file__).parents[2]
TINY = {
    "boot": ["--idle", "0.5", "--starts", "1"],
    "cli": ["--times", "2", "--tasks", "2"],
    "graph": ["--rows", "2000", "--writes", "10", "--reads", "5"],
    "door": ["--calls", "5", "--rounds", "2", "--seconds", "0.3"],
    "outbox": ["--seconds", "0.5"],
    "stream": ["--readers", "20", "--events", "5"],
    "search": ["--nodes", "400", "--searches", "5"],
    "embed": ["--texts", "50"],
    "retrieval": ["--data", str(ROOT / "tests" / "bench" / "talk.json")],
    "policy": ["--turns", "20"],
    "route": [],
    "chat": ["--messages", "2"],
    "context": ["--memories", "1200", "--times", "2"],
    "pages": ["--times", "2", "--tasks", "2"],
    "session": ["--runs", "16"],
    "story": [],
    "wake": ["--wakes", "8"],
    "tick": ["--missions", "100", "--looks", "5"],
    "workers": ["--workers", "4"],
    "org": ["--seats", "20"],
    "mail": ["--asks", "8", "--messages", "50"],
    "delegate": ["--branches", "2", "--leaves", "2"],
    "coding": ["--runs", "1"],
    "sandbox": ["--runs", "2"],
    "snapshot": ["--files", "200"],
}
QUICK = ("graph", "policy", "retrieval", "route")  # a few seconds; of the others, most start whole houses
SHAPE = {"what", "value", "unit", "raw", "ratio", "target", "met", "against"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in QUICK else pytest.mark.long) for name in TINY]
)
def test_a_benchmark_prints_one_object_of_the_agreed_shape(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name in ("coding", "sandbox") and MISSING:
        pytest.skip(MISSING)
    main([name, "--json", *TINY[name]])

    told: dict[str, Any] = json.loads(capsys.readouterr().out)

    assert told["name"] == name
    assert {"cpus", "load_average", "idle"} <= set(told["machine"])
    assert told["results"]
    for result in told["results"]:
        assert set(result) == SHAPE
        assert result["value"] >= 0
        assert result["met"] in ((None,) if result["target"] is None else (True, False))


def test_without_a_name_it_lists_them() -> None:
    command = [sys.executable, "-m", "bench"]
    said = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout

    assert [line.split()[0] for line in said.splitlines()] == list(TINY)


def test_a_target_is_met_up_to_and_including_itself() -> None:
    assert at_most(3, what="trips", value=3, unit="trips").met
    assert not within(2, what="read", value=2.1, unit="ms", raw=1).met


def test_the_ratio_is_against_the_raw_limit_and_there_is_none_without_one() -> None:
    assert Result(what="write", value=3, unit="ms", raw=1.5).ratio == 2
    assert Result(what="write", value=3, unit="ms", raw=0).ratio is None


def test_the_table_says_what_was_missed() -> None:
    assert "MISSED" in as_table([at_most(1, what="trips", value=2, unit="trips")])


def test_a_percentile_is_one_of_the_values() -> None:
    assert percentile([5, 1, 4, 2, 3], 0.5) == 3
    assert percentile(list(range(1, 101)), 0.95) == 95
