"""Text of sessions: what one is doing, its steps a line each, and where two part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.detail import detail
from hq.terminal.screen import Screen
from hq.terminal.values import harmless, moment, one_line

Data = Mapping[str, Any]
FIRST = ("kind", "turns", "steps", "waits_for", "wakes_at", "closed_as", "exit_code")
ASIDE = ("session", "agent", "actor", "state", "trigger", "trigger_kind", "result")


def session_detail(data: Data, screen: Screen) -> Iterator[str]:
    """Who, in what state, why; what it said last comes last."""
    yield f"{screen.bold(data['agent'])}  {state(data['state'], screen)}  {screen.dim(data['session'])}"
    trigger = data.get("trigger") or {}
    yield one_line(trigger.get("summary") or trigger.get("text") or data.get("trigger_kind"), screen)
    yield ""
    ordered = {name: data[name] for name in FIRST if name in data}
    yield from detail(ordered | {n: v for n, v in data.items() if n not in (*FIRST, *ASIDE)}, screen)
    if said := (data.get("result") or {}).get("text"):
        yield ""
        yield screen.bold("said last")
        yield from (f"  {harmless(line)}" for line in said.splitlines())


def replayed(data: Data, screen: Screen) -> Iterator[str]:
    for item in data["items"]:
        yield step(item, screen)


def step(item: Data, screen: Screen) -> str:
    """`12  14:02  ← task.list …`: what the mind said is plain, what came back dim, what went wrong red."""
    when = moment(item["at"], screen)
    said = one_line(item["says"], screen)
    line = f"{item['step']:>4}  {when}  {item['kind']:<5} {said}"
    if item["kind"] == "verb":
        return screen.dim(screen.fit(line)) if item["payload"].get("ok") else screen.red(screen.fit(line))
    return screen.fit(line) if item["kind"] == "mind" else screen.dim(screen.fit(line))


def parted(data: Data, screen: Screen) -> Iterator[str]:
    yield f"the first {data['same']} steps are the same" if data["same"] else "nothing is the same"
    for sign, side, ink in (("-", data["a"], screen.red), ("+", data["b"], screen.green)):
        for line in side:
            yield ink(screen.fit(f"{sign} {one_line(line, screen)}"))


def state(name: str, screen: Screen) -> str:
    match name:
        case "done" | "success":
            return screen.green(name)
        case "failed" | "silent" | "timeout":
            return screen.red(name)
        case _:
            return screen.yellow(name)
