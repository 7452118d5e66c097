"""`hq skill import` and `hq skill export`: folders on this machine, whatever machine hq runs on."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import click

from hq.cli import flags, verbs
from hq.cli.commands import VerbCommand
from hq.cli.output import show
from hq.cli.request import CommandRequest
from hq.cli.transport import send
from hq.cli.verbs import CliVerb
from hq.errors import Refused
from hq.json_types import CallResult
from hq.settings import Settings

MOST_FILES, MOST_BYTES = 200, 2 * 2**20


def _verb(name: str) -> CliVerb:
    verb = verbs.find(name)
    assert verb is not None
    return verb


class ImportCommand(VerbCommand):
    """Takes a folder in place of what is in it."""

    def __init__(self) -> None:
        super().__init__(_verb("skill.import"))
        folder = click.Argument(["folder"], type=click.Path(path_type=Path), metavar="FOLDER")
        self.params = [folder, *(p for p in self.params if p.name not in ("name", "files"))]

    def invoke(self, ctx: click.Context) -> int:
        folder: Path = ctx.params["folder"].resolve()
        if not folder.is_dir():
            raise Refused.not_found(f"there is no folder {ctx.params['folder']}")
        return self.call({"name": folder.name, "files": list(_read(folder))}, flags.given(ctx))


class ExportCommand(VerbCommand):
    """Writes the folder below a directory."""

    def __init__(self) -> None:
        super().__init__(_verb("skill.export"))
        into = click.Argument(["into"], type=click.Path(path_type=Path), metavar="[DIRECTORY]", default=Path())
        self.params.insert(1, into)

    def invoke(self, ctx: click.Context) -> int:
        given = flags.given(ctx)
        request = CommandRequest(
            self.verb.name, {"skill": ctx.params["skill"]}, actor=given.actor, reason=given.reason or ""
        )
        answer = send(request, self.verb, Settings.load(), given.url)
        if answer.ok and not given.json:
            print(_write(ctx.params["into"], answer.data))
            return 0
        return show(answer, self.verb, given)


class SkillImportFile(TypedDict):
    """A file of a skill's folder, as `skill.import` takes it."""

    path: str
    content: str
    base64: bool
    executable: bool


def _read(folder: Path) -> Iterator[SkillImportFile]:
    """What belongs to the folder itself: links out of it are not followed, hidden files stay at home."""
    found = sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink())
    kept = [p for p in found if not any(part.startswith(".") for part in p.relative_to(folder).parts)]
    if len(kept) > MOST_FILES:
        raise Refused.invalid(f"{folder} has {len(kept)} files; a skill has at most {MOST_FILES}")
    if sum(path.stat().st_size for path in kept) > MOST_BYTES:
        raise Refused.invalid(f"{folder} has more than {MOST_BYTES // 2**20} MB of files, which is no skill's folder")
    for path in kept:
        content = path.read_bytes()
        try:
            text, packed = content.decode(), False
        except UnicodeDecodeError:
            text, packed = base64.b64encode(content).decode(), True
        yield {
            "path": path.relative_to(folder).as_posix(),
            "content": text,
            "base64": packed,
            "executable": os.access(path, os.X_OK),
        }


def _write(into: Path, data: CallResult) -> str:
    folder = into / data["name"]
    if folder.exists():
        raise Refused.conflict(f"{folder} is there already; name another directory")
    for file in data["files"]:
        parts = Path(file["path"]).parts
        if ".." in parts or Path(file["path"]).is_absolute():  # the server is not asked to be trusted
            raise Refused.invalid(f"{file['path']} would lie outside of {folder}")
        place = folder / file["path"]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(base64.b64decode(file["content"]) if file["base64"] else file["content"].encode())
        place.chmod(0o755 if file["executable"] else 0o644)
    return str(folder)
