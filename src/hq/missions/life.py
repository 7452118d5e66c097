"""The life of a mission: what each of its states means to whoever only wants to know whether it waits, is worked on or is over.

`life.sql` has the same words as functions; `scripts/sql_views.py` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

MissionStatus = Literal[
    "backlog", "planning", "assigned", "in_progress", "review", "done", "failed", "taken_back", "paused"
]
Stage = Literal["waiting", "in_hand", "reviewed", "resting", "over"]
LIFE: Mapping[MissionStatus, Stage] = {
    "in_progress": "in_hand",
    "review": "reviewed",
    "assigned": "in_hand",
    "planning": "in_hand",
    "paused": "resting",
    "backlog": "waiting",
    "done": "over",
    "failed": "over",
    "taken_back": "over",
}
"""Where each state stands; first what moves."""
CALLED_OFF = "called off"
"""The word for what is `failed` because whoever gave it wanted it no longer."""
TAKEN_BACK = "taken back"
"""The word for a change of which the files show nothing any more."""
OPEN = tuple(status for status, stage in LIFE.items() if stage != "over")
"""Not over."""
GIVEN = tuple(status for status, stage in LIFE.items() if stage not in ("waiting", "over"))
"""Not over, and somebody's."""
AT_WORK = tuple(status for status, stage in LIFE.items() if stage in ("in_hand", "reviewed"))
"""Somebody's, who works on it or waits for a word about it."""
IN_HAND = tuple(status for status, stage in LIFE.items() if stage == "in_hand")
"""Whoever has it works on it, or is about to."""
OVER = tuple(status for status, stage in LIFE.items() if stage == "over")
HANDED_IN = ("review", *OVER)
"""What it came to is there, and stays as it is."""
GROUPS = {"open": OPEN, "given": GIVEN, "at_work": AT_WORK, "in_hand": IN_HAND, "over": OVER}

FILE = Path(__file__).with_name("life.sql")
NOTE = "-- Written by `scripts/sql_views.py` from life.py; do not edit.\n\n"


def written() -> str:
    """Without a `search_path` of its own, so that the planner reads it as the list it stands for, and uses its indexes."""
    groups = "".join(
        f"\n        when '{name}' then _status in ({', '.join(repr(each) for each in states)})"
        for name, states in GROUPS.items()
    )
    return (
        f"{NOTE}-- Whether a mission in that state is one of {', '.join(GROUPS)}.\n"
        "create or replace function ops.mission_is(_status text, _group text) returns boolean\n"
        "    language sql immutable\n"
        f"    return case _group{groups} end;\n"
        "revoke all on function ops.mission_is from public;\n"
        "grant execute on function ops.mission_is to {app};\n"
    )
