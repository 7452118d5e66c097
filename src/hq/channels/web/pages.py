"""A page's readable text, by the program in `readable.py`."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROGRAM = Path(__file__).with_name("readable.py")
SECONDS = 25.0
MARKUP = ("text/html", "application/xhtml+xml")
LEGIBLE = ("application/json", "application/xml", "application/javascript", "application/yaml")


@dataclass(frozen=True)
class ReadablePage:
    title: str
    text: str


async def page_of(media_type: str, body: bytes) -> ReadablePage:
    """What a person would read there. What is no text at all has none."""
    if media_type in MARKUP:
        return await _extracted(body)
    if media_type.startswith("text/") or media_type in LEGIBLE or media_type.endswith(("+json", "+xml")):
        return ReadablePage("", body.decode("utf-8", "replace"))
    return ReadablePage("", f"[{len(body)} bytes of {media_type}, which is no text]")


async def _extracted(body: bytes) -> ReadablePage:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", str(PROGRAM),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        env={"LANG": "C.UTF-8"},
    )  # fmt: skip
    try:
        async with asyncio.timeout(SECONDS):
            out, _ = await process.communicate(body)
        found = json.loads(out)
    except (TimeoutError, ValueError):
        return ReadablePage("", "[its text could not be made out; the artifact has the page as it came]")
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return ReadablePage(found["title"], found["text"])
