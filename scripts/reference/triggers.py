"""The page of the CEO's triggers, from their declarations."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from hq.ceo.triggers import TRIGGERS
from scripts.reference.markdown import head, table

INTRO = """
What the CEO notices by itself. Every occurrence is written down once, under a key, and handled once, however many processes
run. [Let the CEO speak first](../how-to/heartbeat.md) tells what it does with them.
"""
AFTER = {timedelta(days=1): "after a day", timedelta(weeks=1): "after a week"}
TIMES = {2: "twice", 3: "three times"}


def page() -> Iterator[str]:
    yield from head("Triggers", INTRO)
    rows = [(f"`{each.name}`", each.when, each.does, _again(each.again, each.most)) for each in TRIGGERS]
    yield from table(("trigger", "when", "what it does", "again"), rows)
    yield "## Events they are about"
    yield ""
    heard = [(f"`{each.name}`", ", ".join(f"`{topic}`" for topic in each.topics)) for each in TRIGGERS if each.topics]
    yield from table(("trigger", "events"), heard)


def _again(after: timedelta | None, most: int | None) -> str:
    if after is None:
        return "never"
    return AFTER[after] + (f", {TIMES[most]} at most" if most else "")
