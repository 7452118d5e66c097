"""Keeping what a tool gave back: whole in the database, an excerpt and a reference in the answer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import partial
from typing import Any, TypedDict

from pydantic import Field

from hq.artifacts.excerpt import excerpt, readable
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.door.verb import Result
from hq.ids import new_id

SQL = beside(__file__)
SHOWN = 8_000


class Output(Result):
    """What a tool gave back."""

    artifact: str
    """Where all of it is: `hq artifact read <id>`."""
    text: str = ""
    """As much of it as fits here."""
    size: int
    """How many bytes were kept."""
    cut: bool = False
    """More was kept than is shown here."""
    complete: bool = True
    """All that came was kept; otherwise it went on beyond the limit and was stopped."""
    taint: list[str] = Field(default_factory=list)
    """Marks of everything above: others wrote it."""


class OutputFields(TypedDict):
    """The fields of an `Output`, for whoever makes one with more."""

    artifact: str
    text: str
    size: int
    cut: bool
    complete: bool
    taint: list[str]


def leave(
    tx: Tx,
    name: str,
    content: bytes,
    *,
    taint: str | None,
    media_type: str = "text/plain",
    complete: bool = True,
    text: str | None = None,
    shown: int = SHOWN,
) -> OutputFields:
    """Leave what an effect gave back: it is stored with the record of the call. Returns the fields of an `Output`.

    `text` is what to show of it, where that is not simply its bytes read as text. `taint` marks it as others' words; without one it is
    what hq itself has measured.
    """
    if taint:
        tx.taint.add(taint)
    artifact = new_id()
    tx.on_recorded.append(
        partial(_keep, artifact=artifact, name=name, content=content, media_type=media_type, done=complete)
    )
    part, cut = excerpt(readable(content) if text is None else text, shown, str(artifact))
    return {
        "artifact": str(artifact),
        "text": part,
        "size": len(content),
        "cut": cut,
        "complete": complete,
        "taint": sorted(tx.taint),
    }


async def _keep(tx: Tx, *, artifact: Any, name: str, content: bytes, media_type: str, done: bool) -> None:
    values = {
        "id": artifact,
        "action": tx.action_id,
        "name": name,
        "media_type": media_type[:200],
        "hash": await keep_bytes(tx, content, held=False),
        "size": len(content),
        "complete": done,
        "taint": sorted(tx.taint),
        "now": tx.now,
        "by": tx.caller.actor,
    }
    await tx.conn.execute(SQL["keep"], values)


async def keep_bytes(tx: Tx, content: bytes, *, held: bool = True) -> bytes:
    """Put bytes away; their hash. Unless they are held, they go with the last artifact that has them."""
    digest = hashlib.sha256(content).digest()
    values = {"hash": digest, "size": len(content), "content": content, "now": tx.now, "held": held}
    await tx.conn.execute(SQL["keep_blob"], values)
    return digest


async def bytes_of(tx: Tx, digest: bytes) -> bytes | None:
    return await tx.scalar(SQL["blob"], {"hash": digest}, of=bytes)


def without(secrets: Iterable[str], content: bytes) -> bytes:
    """Blot secrets out of what came back: a server may repeat what it was sent."""
    for secret in secrets:
        if len(secret) >= 4:
            content = content.replace(secret.encode(), b"[secret]")
    return content
