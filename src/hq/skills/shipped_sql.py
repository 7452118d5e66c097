"""The skills that come with hq, as SQL knows them: written from their folders by `scripts/sql_views.py`."""

from __future__ import annotations

from pathlib import Path

from hq.skills.shipped import shipped, shipped_folder

FILE = Path(__file__).with_name("shipped.sql")
NOTE = "-- Written by `scripts/sql_views.py` from the folders of `shipped`; do not edit.\n\n"


def written() -> str:
    rows = ",\n".join(f"        ({_row(name)})" for name in sorted(shipped()))
    return (
        f"{NOTE}-- The skills that come with hq, whether a company has a node of them or not; `looks`: nothing they do changes anything.\n"
        "create or replace function ops.shipped_skills() returns table (slug text, title text, description text, looks boolean)\n"
        "    language sql immutable\n"
        "    set search_path = pg_catalog, pg_temp\n"
        f"begin atomic\n    values\n{rows};\nend;\n"
        "revoke all on function ops.shipped_skills from public;\n"
        "grant execute on function ops.shipped_skills to {app};\n"
    )


def _row(name: str) -> str:
    skill = shipped_folder(name).skill
    looks = all(command.effect == "read" for command in skill.commands)
    return ", ".join([*map(_quoted, (name, skill.title, skill.description)), str(looks).lower()])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
