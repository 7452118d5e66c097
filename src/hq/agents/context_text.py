"""The prompt of an agent for people: every part under its heading, with its tokens; of tools only their sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import harmless


def shown(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    yield screen.bold(f"{data['agent']}: about {data['tokens']:,} tokens")
    if problem := data.get("problem"):
        yield screen.yellow(f"its files are broken, so these are the last good ones: {harmless(problem)}")
    for part, sections in groupby(data["sections"], key=lambda each: each["part"]):
        yield ""
        yield screen.bold(f"== {part} ({data['parts'][part]:,} tokens)")
        for each in sections:
            if part == "tools":
                yield f"{each['tokens']:>6}  {harmless(each['name'])}"
                continue
            yield screen.dim(f"-- {harmless(each['name'])} ({each['tokens']:,} tokens)")
            yield from (harmless(line) for line in each["text"].splitlines())
