"""A number with the raw limit measured beside it, as a table for people and as JSON for machines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from bench.machine import Machine


@dataclass(frozen=True, kw_only=True)
class Result:
    what: str
    value: float
    unit: str
    raw: float | None = None
    """The same without hq: what no program on this machine could beat by much."""
    against: str = ""
    """What the raw limit is."""
    target: float | None = None
    """The most that `value` may be, or the least where more is better."""
    met: bool | None = None
    more_is_better: bool = False

    @property
    def ratio(self) -> float | None:
        return self.value / self.raw if self.raw else None

    def of(self, benchmark: str) -> Result:
        return replace(self, what=f"{benchmark}: {self.what}")

    def as_dict(self) -> dict[str, Any]:
        told = asdict(self) | {"ratio": self.ratio}
        del told["more_is_better"]
        return {name: round(value, 4) if isinstance(value, float) else value for name, value in told.items()}


def at_most(target: float, *, what: str, value: float, unit: str, **more: Any) -> Result:
    """A number with a target to stay under."""
    return Result(what=what, value=value, unit=unit, target=target, met=value <= target, **more)


def at_least(target: float, *, what: str, value: float, unit: str, **more: Any) -> Result:
    """A number with a target to reach."""
    return Result(what=what, value=value, unit=unit, target=target, met=value >= target, more_is_better=True, **more)


def within(times: float, *, what: str, value: float, unit: str, raw: float, **more: Any) -> Result:
    """A number that may be so many times its raw limit."""
    return at_most(times * raw, what=what, value=value, unit=unit, raw=raw, **more)


def as_json(name: str, machine: Machine, results: Iterable[Result]) -> str:
    told = {"name": name, "machine": asdict(machine), "results": [result.as_dict() for result in results]}
    return json.dumps(told, indent=2, ensure_ascii=False)


def as_table(results: Sequence[Result]) -> str:
    head = ("what", "value", "unit", "raw", "ratio", "target", "", "raw limit")
    rows = [head, *(_cells(result) for result in results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return "\n".join(_line(row, widths) for row in rows)


def _cells(result: Result) -> tuple[str, ...]:
    return (
        result.what,
        _number(result.value),
        result.unit,
        _number(result.raw),
        _number(result.ratio),
        f"{'≥' if result.more_is_better else '≤'} {_number(result.target)}" if result.target is not None else "",
        {True: "met", False: "MISSED", None: ""}[result.met],
        result.against,
    )


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    left = (0, 2, 6, 7)
    aligned = (c.ljust(w) if i in left else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True)))
    return "  ".join(aligned).rstrip()


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
