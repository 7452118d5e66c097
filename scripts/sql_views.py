"""Write what is SQL of declarations: the catalogue's views, wholes and meanings, the lives of asks, missions and sessions, what waited then, the skills that come along, what the CEO looks for; with `--check`, only say whether one is stale."""

from __future__ import annotations

import sys

from hq.app import catalogue
from hq.asks import life
from hq.ceo import notice
from hq.door import wholes
from hq.engine.sessions import life as session_life
from hq.graph import meanings
from hq.missions import life as mission_life
from hq.skills import shipped_sql
from hq.sql import views


def main(args: list[str]) -> int:
    stale = 0
    texts = {
        views.FILE: views.written(catalogue()),
        meanings.FILE: meanings.written(catalogue()),
        wholes.FILE: wholes.written(catalogue()),
        life.FILE: life.written(),
        life.THEN: life.written_then(),
        session_life.FILE: session_life.written(),
        mission_life.FILE: mission_life.written(),
        shipped_sql.FILE: shipped_sql.written(),
        notice.FILE: notice.written(),
    }
    for file, fresh in texts.items():
        known = file.read_text("utf-8") if file.exists() else ""
        if "--check" not in args:
            file.write_text(fresh, "utf-8")
        elif fresh != known:
            print(f"{file} is stale; run `make docs`", file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
