"""The calls that are measured, each in two ways: through the whole door, and without hq."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.database import Company
from bench.plain import Plain
from hq.app import open_door
from hq.business.types import Event, Task
from hq.door.door import Door
from hq.door.tx import Call
from hq.ids import new_id

WRITES = ("event.create", "task.create")
READS = ("task.list", "task.show")
LINKS = {"event.create": 0, "task.create": 2}
SHOWN = "a-task-to-look-at"
"""The slug of the task that is shown."""
DOOR, BARE, ROWS = "door", "bare", "rows"
"""The ways: through the door; what the caller asked for and nothing else; every row the door writes, plainly."""

Made = Callable[[], Awaitable[None]]


@asynccontextmanager
async def opened(company: Company, pool_size: int = 16) -> AsyncIterator[Door]:
    """The door as the product opens it."""
    with TemporaryDirectory() as place:
        async with open_door(company.address, vault_file=Path(place) / "vault.key", pool_size=pool_size) as door:
            yield door


def through(door: Door, company: Company, verb: str) -> Made:
    async def call() -> None:
        outcome = await door.call(Call(verb, arguments(verb), company.token))
        if not outcome.ok:
            raise SystemExit(f"{verb}: {outcome.error}")

    return call


def without(plain: Plain, verb: str, way: str) -> Made:
    if verb == "task.list":
        return plain.list_tasks
    if verb == "task.show":
        return lambda: plain.show_task(SHOWN)
    noun = verb.partition(".")[0]
    return lambda: plain.write(noun, _props(verb), LINKS[verb], rows=way == ROWS)


def arguments(verb: str) -> dict[str, Any]:
    """Titles are new each time, as they are in life: the slug is made of them."""
    match verb:
        case "event.create":
            return {"kind": "milestone", "summary": f"Customer number {new_id().hex} signed"}
        case "task.create":
            return {"title": f"Call customer {new_id().hex}", "priority": "now"}
        case "task.show":
            return {"ref": SHOWN}
        case _:
            return {}


def _props(verb: str) -> dict[str, Any]:
    model = Event if verb == "event.create" else Task
    return model.model_validate(arguments(verb)).model_dump(mode="json")
