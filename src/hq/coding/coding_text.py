"""Text of a coding run: how it ended, what changed, and what can be done about it now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.money import cost_text
from hq.terminal.screen import Screen
from hq.terminal.table import table
from hq.terminal.values import harmless, one_line

FILES = {"files_created": "+", "files_modified": "~", "files_deleted": "-"}
MARKS = {"said": "“", "did": "▸", "got": " ", "asked": "?", "denied": "✗"}


def ran(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    yield from _ended(data, screen)
    if data.get("stdout"):
        yield from harmless(data["stdout"].strip()).splitlines()
    for name, mark in FILES.items():
        yield from (f"{mark} {one_line(path, screen)}" for path in data.get(name, ()))
    if check := data.get("check"):
        passed = check.get("exit_code") == 0
        yield (screen.green if passed else screen.red)(
            f"{'passed' if passed else 'failed'}: {one_line(check['command'], screen)}"
        )
        yield from () if passed else harmless(check["output"]).splitlines()
    if undo := data.get("undo"):
        yield screen.dim(f"`hq undo {undo}` takes it back")


def reviewed(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    yield from _ended(data, screen)
    columns = ("severity", "file", "line", "message", "suggestion")
    yield from table(data["findings"], screen, columns) if data.get("findings") else ["nothing found"]
    if unfounded := data.get("unfounded"):
        yield screen.dim(f"{unfounded} that pointed nowhere left out")


def steps(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    for step in data["items"]:
        first, *more = harmless(step["text"]).splitlines() or [""]
        line = screen.fit(f"{step['step']:>4} {MARKS.get(step['kind'], ' ')} {first}{' …' if more else ''}")
        yield screen.dim(line) if step["kind"] == "got" else screen.red(line) if step["kind"] == "denied" else line


def _ended(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    run, status = data["run"], data["status"]
    match status:
        case "waiting":
            wants = (data.get("wants") or {}).get("says", "something")
            yield screen.yellow(f"{run} waits: may it run {one_line(wants, screen)}?")
            yield f"`hq code allow {run}` or `hq code deny {run}` answers it"
            return
        case "answered":
            yield f"{run} goes on; `hq code steps {run}` shows what it does"
            return
        case "failed":
            yield screen.red(f"{run} failed: {one_line(data.get('why') or 'no reason given', screen)}")
        case _:
            yield screen.green(f"{run} is {status}") + (f": {one_line(data['why'], screen)}" if data.get("why") else "")
    cost = data.get("cost")
    priced = "unpriced" if cost is None else cost_text(cost)
    yield screen.dim(f"{data.get('tokens_used', 0):,} tokens, {priced}, {data.get('seconds', 0):.1f} seconds")
