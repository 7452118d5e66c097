"""Lineage of a workspace: the mission its files were made for, and those that go on with that work."""

from __future__ import annotations

from typing import Any

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.workspace.types import Workspace
from hq.workspace.verbs.workspace_verbs import SQL

LONGEST = 200


async def missions_of(tx: Tx, workspace: Stored[Workspace]) -> list[Stored[Any]]:
    """The first one, then what goes on with it, in the order in which they were made."""
    found = [await tx.get(link.other_id) for link in await tx.links(workspace, edge="for_mission") if link.outward]
    for mission in found:  # it grows while it is gone through
        later = [link.other_id for link in await tx.links(mission, edge="continues") if not link.outward]
        found += [await tx.get(id) for id in later[: LONGEST - len(found)]]
    return [*found[:1], *sorted(found[1:], key=lambda each: each.created_at)]


def standing(line: list[Stored[Any]], held: str | None) -> list[Stored[Any]]:
    """Those of them that the files still show: the first, what is open, and what is over and left the files otherwise than it found
    them. What was taken back, or ended before it touched a file, holds nothing up. `held` is what the files are now."""
    kept: list[Stored[Any]] = []
    after = held
    for each in reversed(line):
        began = each.props.began_with
        if each is line[0] or not each.over or (each.status != "taken_back" and began is not None and began != after):
            kept.append(each)
            after = began if each.over else after
    return kept[::-1]


def sealed(line: list[Stored[Any]]) -> Stored[Any] | None:
    """The last of those who worked on some files, where none of them does any more. One that goes on with them and has not begun
    does not yet."""
    at_work = [each for each in line if not _rests(each) and (each is line[0] or each.status != "backlog")]
    ended = [each for each in line if _rests(each)]
    return ended[-1] if ended and not at_work else None


def _rests(mission: Stored[Any]) -> bool:
    """What was handed in, accepted or given up stays as it is, until it is sent back or another goes on with it."""
    return mission.over or mission.status == "review"


async def kept_from(tx: Tx, workspace: Stored[Workspace]) -> Stored[Any] | None:
    """Of files that are sealed to who calls, the mission that brought them. Nobody is kept from them in the founder's thread."""
    last = sealed(await missions_of(tx, workspace))
    told = last and await tx.the_scalar(SQL["in_founders_thread"], {"session": tx.call.session_id}, of=bool)
    return None if told else last


def accepted(line: list[Stored[Any]]) -> Stored[Any] | None:
    """The last that is done, of those who worked on some files."""
    return next((each for each in reversed(line) if each.status == "done" and each.props.brought), None)


async def mission_at_work(tx: Tx, workspace: Stored[Workspace]) -> Stored[Any] | None:
    """Whose budget work on these files is: the latest that is not over, else the latest."""
    found = await missions_of(tx, workspace)
    open_ = [each for each in found if not each.over]
    return (open_ or found or [None])[-1]
