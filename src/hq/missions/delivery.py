"""Delivery of a mission: what its files are to somebody who opens them. An app that is started, a page, a document, files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import Stored
from hq.missions.output import output_of
from hq.missions.types import Mission
from hq.missions.work_start import workspace_of
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.entries import Entry, get_entries
from hq.workspace.snapshots.lookup import entry_at
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.verbs.workspace_verbs import company, locked

Sort = Literal["app", "page", "document", "files"]
PROGRAMS = ("app.py", "main.py", "server.py")
"""What starts an app by itself, the likeliest first."""
SITES = ("", "dist", "build", "public", "site")
"""Where a page may lie."""
DOCUMENTS = (".md", ".html", ".csv", ".txt", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".pdf")
"""What is shown by itself, the likeliest first."""
README = 20_000
LONGEST = 500
WEB = re.compile(r"^web:[ \t]*(\S[^\n]*)$", re.M)
NPM = "it is started by npm, which programs here do not have; `hq mission download` brings the files"


@dataclass(frozen=True)
class MissionOutput:
    """What there is to open."""

    sort: Sort
    command: str | None = None
    """Starts it, in its own directory."""
    path: str | None = None
    """The directory of a page, or the document."""
    landing: str = ""
    """The file of a page that is opened, where it is not its index."""
    why: str = ""
    """Why there is no more to it than files."""


async def delivery(tx: Tx, mission: Stored[Mission], start: str | None = None) -> dict[str, str]:
    """As it is kept with the mission; nothing where there are no files."""
    if (workspace := await workspace_of(tx, mission)) is not None:
        await locked(tx, workspace)
    made = await output_of(tx, mission)
    if made is None or not made.is_there:
        return {}
    if made.workspace is None:
        return {"brought": made.snapshot}
    here = company(tx)
    found = await in_thread(look, here.blobs, made.snapshot, checked(start))
    kept = {"files_at": str(here.mission(made.workspace.props)), "brought": made.snapshot}
    return kept | ({"start_with": found.command} if found.command else {})


def checked(start: str | None) -> str | None:
    """A command as somebody says it: one line that a shell runs."""
    start = (start or "").strip() or None
    if start and (len(start) > LONGEST or not start.isprintable()):
        raise Refused.invalid(f"start: one line of at most {LONGEST} characters, such as `python3 app.py`")
    return start


def look(blobs: Blobs, snapshot: str, said: str | None = None) -> MissionOutput:
    """What is among the files: as whoever built it said, as its Procfile or README says, else by what such files are called."""
    top = get_entries(blobs, snapshot)
    if command := said or _declared(blobs, top) or _usual(blobs, top):
        return MissionOutput("app", command=command)
    for place in SITES:
        page = entry_at(blobs, snapshot, [*filter(None, [place]), "index.html"])
        if _is_file(page):
            return MissionOutput("page", path=place)
    why = NPM if "package.json" in top else ""
    if not why and (document := _document(top)):
        if document.lower().endswith(".html"):  # a page by itself, which may hold anything
            return MissionOutput("page", path="", landing=document)
        return MissionOutput("document", path=document)
    return MissionOutput("files", why=why)


def _declared(blobs: Blobs, top: Mapping[str, Entry]) -> str | None:
    found = WEB.search(_text(blobs, top.get("Procfile")))
    return found[1].strip() if found and len(found[1]) <= LONGEST and found[1].isprintable() else None


def _usual(blobs: Blobs, top: Mapping[str, Entry]) -> str | None:
    program = next((name for name in PROGRAMS if _is_file(top.get(name))), None)
    if program is None:
        return None
    usual = f"python3 {program}"
    said = re.search(rf"`([^`\n<]{{0,200}}\b{re.escape(usual)}[^`\n<]{{0,200}})`", _text(blobs, top.get("README.md")))
    return said[1] if said and said[1].isprintable() else usual


def _document(top: Mapping[str, Entry]) -> str | None:
    """The README is about the rest, so it comes last."""
    found = [name for name, entry in top.items() if _is_file(entry) and name.lower().endswith(DOCUMENTS)]
    return min(found, key=lambda name: (name.lower().startswith("readme"), _place(name), name), default=None)


def _place(name: str) -> int:
    return next(at for at, ending in enumerate(DOCUMENTS) if name.lower().endswith(ending))


def _text(blobs: Blobs, entry: Entry | None) -> str:
    return blobs.read(entry.hash)[:README].decode("utf-8", "replace") if entry and _is_file(entry) else ""


def _is_file(entry: Entry | None) -> bool:
    """Whoever made the files may have made links to anywhere."""
    return entry is not None and entry.kind in ("file", "program")
