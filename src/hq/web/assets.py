"""Templates, static files and the headers they go out with. Nothing is loaded from elsewhere, nothing inline is run."""

from __future__ import annotations

import hashlib
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from hq.errors import Refused
from hq.terminal.values import harmless

HERE = Path(__file__).parent
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types hq"
)
KINDS = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
A_YEAR = "public, max-age=31536000, immutable"


@cache
def version() -> str:
    """Of all files together: a page names it, so that a browser never mixes two versions."""
    found = hashlib.sha256()
    for file in sorted((HERE / "static").iterdir()):
        found.update(file.name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:12]


def page(name: str, status: int = 200, policy: str = POLICY, **values: Any) -> HTMLResponse:
    return HTMLResponse(part(name, **values), status, headers={"Content-Security-Policy": policy})


def part(name: str, **values: Any) -> str:
    return _templates().get_template(name).render(**values)


def static(name: str) -> Response:
    """`/static/<version>/<name>`; modules find each other there by relative names."""
    kind = KINDS.get(Path(name).suffix)
    if kind is None or "/" in name or not (HERE / "static" / name).is_file():
        raise Refused.not_found(f"there is no file {name!r}")
    return Response(_read(name), media_type=kind, headers={"Cache-Control": A_YEAR})


@cache
def _read(name: str) -> bytes:
    return (HERE / "static" / name).read_bytes()


@cache
def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["static"] = lambda name: f"/static/{version()}/{name}"
    made.filters |= {"clock": _clock, "day": _day, "moment": _moment, "words": lambda text: str(text).replace("_", " ")}
    made.filters["side"] = lambda mark: {"+": "new", "-": "old"}.get(mark, "same")
    return made


def _visible(value: Any) -> Any:
    """What a page says, as the terminal says it: nothing in it turns the direction of writing or hides what stands there."""
    if not isinstance(value, str):
        return value
    shown = harmless(value.replace("\r\n", "\n"))
    return Markup(shown) if isinstance(value, Markup) else shown  # noqa: S704 (it was before)


def _clock(moment: str) -> str:
    """In UTC; the page's own script says it in the reader's time."""
    return f"{datetime.fromisoformat(moment):%H:%M}"


def _moment(at: str | None, joint: str = "?") -> str:
    """What an address needs to stay at the moment the page is of."""
    return f"{joint}at={quote(at)}" if at else ""


def _day(moment: str) -> str:
    return f"{datetime.fromisoformat(moment):%a %d %b %Y}"
