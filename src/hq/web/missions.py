"""Pages of a mission: how it stands, what it made, its files and what changed; plain, until the whole face comes."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from starlette.responses import HTMLResponse, Response

from hq.errors import Refused
from hq.missions.files import PartFilesItem
from hq.missions.life import CALLED_OFF, OVER
from hq.missions.progress import EvidenceShown, MissionPart
from hq.money import spent_text
from hq.web.assets import page, part
from hq.web.inbox import CardOffer, waiting
from hq.web.markdown import html
from hq.web.page_reads import PageReader
from hq.web.pages import Asked, frame
from hq.workspace.verbs.diff_verbs import FileItem

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg")
ROWS = 500


@dataclass(frozen=True)
class MissionView:
    """A mission, as its page has it."""

    slug: str
    title: str
    status: str
    agent: str | None
    outcome: str
    why: str
    description: str
    cost: str
    files_at: str | None
    continues: str | None
    evidence: list[EvidenceShown]
    parts: list[MissionPart]
    offers: list[CardOffer]
    changeable: bool

    @property
    def stands(self) -> str:
        return " · ".join(filter(None, (self.status.replace("_", " "), self.agent)))

    @property
    def ref(self) -> str:
        return json.dumps({"ref": self.slug})


@dataclass(frozen=True)
class FilesView:
    slug: str
    title: str
    opens_as: str = ""
    files: list[FileItem] = field(default_factory=list)
    more: int = 0
    parts: list[PartFilesItem] = field(default_factory=list)


@dataclass(frozen=True)
class FileView:
    """One file: as a picture, as what its markdown means, as a table, or as its text."""

    slug: str
    path: str
    size: int = 0
    picture: bool = False
    html: str | None = None
    table: list[list[str]] = field(default_factory=list)
    text: str | None = None
    cut: bool = False


async def mission(reader: PageReader, asked: Asked) -> Response:
    around, found, waits = await asyncio.gather(
        frame(reader), _mission(reader, asked["mission"]), waiting(reader, asked["mission"])
    )
    around = replace(around, cards=waits.cards, more=0)
    return page("mission.html", here="mission", found=found, **vars(around))


async def mission_part(reader: PageReader, asked: Asked) -> Response:
    return HTMLResponse(part("mission-body.html", found=await _mission(reader, asked["mission"]), at=reader.at))


async def files(reader: PageReader, asked: Asked) -> Response:
    around, shown, found = await asyncio.gather(
        frame(reader),
        reader.read("mission.show", ref=asked["mission"]),
        reader.read("mission.files", ref=asked["mission"]),
    )
    view = FilesView(
        found["mission"],
        shown["title"],
        found["opens_as"],
        found["items"],
        int("next" in found),
        found.get("parts", []),
    )
    return page("files.html", here="files", found=view, **vars(around))


async def file(reader: PageReader, asked: Asked) -> Response:
    around, view = await asyncio.gather(frame(reader), _file(reader, asked["mission"], asked["path"]))
    return page("file.html", here="files", found=view, **vars(around))


async def changes(reader: PageReader, asked: Asked) -> Response:
    around, shown, found = await asyncio.gather(
        frame(reader),
        reader.read("mission.show", ref=asked["mission"]),
        reader.read("mission.changes", ref=asked["mission"], limit=50),
    )
    view = FilesView(shown["slug"], shown["title"], files=found["items"], more=found["more"])
    return page("changes.html", here="files", found=view, **vars(around))


async def _mission(reader: PageReader, ref: str) -> MissionView:
    shown, tree = await asyncio.gather(reader.read("mission.show", ref=ref), reader.read("mission.tree", ref=ref))
    props, slug = shown["props"], shown["slug"]
    links = {each["edge"]: each["slug"] for each in shown.get("links", ()) if each["direction"] == "to"}
    made = bool(props.get("files_at"))
    offers = [("Open", "/open"), ("Files", "/files"), ("Changes", "/changes")]
    offers += [("Ask for a change", "#change")] if made else []
    counts = {name: tree.get(name, 0) for name in ("cached", "unpriced", "estimated")}
    return MissionView(
        slug=slug,
        title=shown["title"],
        status=CALLED_OFF if tree["status"] == "failed" and props.get("called_off") else tree["status"],
        agent=links.get("assigned_to"),
        outcome=html(props.get("outcome_summary") or ""),
        why=props.get("status_reason") or "",
        description=props.get("description") or "",
        cost=spent_text(tree.get("cost_usd"), tree["tokens"], **counts),
        files_at=props.get("files_at"),
        continues=links.get("continues"),
        evidence=tree["evidence"],
        parts=[each | {"title": each["title"].strip()} for each in tree["items"][1:]],
        offers=[CardOffer(label, f"/missions/{slug}{to}") for label, to in offers] if props.get("brought") else [],
        changeable=made and tree["status"] in OVER,
    )


async def _file(reader: PageReader, slug: str, path: str) -> FileView:
    view = FileView(slug, path)
    if path.lower().endswith(PICTURES):
        return replace(view, picture=True)
    try:
        found = await reader.read("mission.read_file", ref=slug, path=path)
    except Refused as error:
        if error.code.name != "invalid":
            raise
        return view  # no text
    view = replace(view, path=found["path"], size=found["size"], cut=found.get("next") is not None)
    match PurePosixPath(path.lower()).suffix:
        case ".md":
            return replace(view, html=html(found["text"]))
        case ".csv" if not view.cut:
            return replace(view, table=list(csv.reader(io.StringIO(found["text"])))[:ROWS])
        case _:
            return replace(view, text=found["text"])
