"""Delivery of a mission: where what was made is on this machine, and the command that starts it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from shlex import quote

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.missions.types import Mission
from hq.missions.work_start import workspace_of
from hq.workspace.verbs.workspace_verbs import company

PROGRAMS = {
    "app.py": "python3 app.py",
    "main.py": "python3 main.py",
    "server.py": "python3 server.py",
    "package.json": "npm start",
    "index.html": "xdg-open index.html",
}
"""By what is among the files, the likeliest first: what starts it."""
README = 20_000


async def delivery(tx: Tx, mission: Stored[Mission]) -> dict[str, str]:
    """As it is kept with the mission; nothing where there are no files."""
    workspace = await workspace_of(tx, mission)
    if workspace is None or workspace.props.snapshot is None:
        return {}
    place = company(tx).mission(workspace.props)
    command = await asyncio.to_thread(start_command, place)
    return {"files_at": str(place)} | ({"start_with": f"cd {quote(str(place))} && {command}"} if command else {})


def start_command(place: Path) -> str | None:
    """What starts the program in a directory: as its README says it, else as such programs are started."""
    program = next((each for each in PROGRAMS if _is_file(place / each)), None)
    if program is None:
        return None
    usual, readme = PROGRAMS[program], place / "README.md"
    if not _is_file(readme):
        return usual
    with readme.open(encoding="utf-8", errors="replace") as file:
        said = re.search(rf"`([^`\n]{{0,200}}\b{re.escape(usual)})`", file.read(README))
    return said[1] if said and said[1].isprintable() else usual


def _is_file(path: Path) -> bool:
    """Whoever made the files may have made links to anywhere."""
    return path.is_file() and not path.is_symlink()
