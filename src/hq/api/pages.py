"""HTML without scripts: one template, a nonce per answer, everything escaped."""

from __future__ import annotations

import secrets
from html import escape
from pathlib import Path
from string import Template

from starlette.responses import HTMLResponse

TEMPLATE = Template(Path(__file__).with_name("page.html").read_text("utf-8"))


def page(title: str, body: str, status: int = 200) -> HTMLResponse:
    """A whole page. `body` is HTML already; the title is not."""
    nonce = secrets.token_urlsafe(16)
    policy = (
        f"default-src 'none'; style-src 'nonce-{nonce}'; img-src data:; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    html = TEMPLATE.substitute(title=escape(title), body=body, nonce=nonce)
    return HTMLResponse(html, status, headers={"Content-Security-Policy": policy})


def notice(title: str, says: str, status: int = 200) -> HTMLResponse:
    """A page with one thing to say; `says` may mark commands with backticks."""
    parts = escape(says).split("`")
    marked = "".join(f"<code>{part}</code>" if n % 2 else part for n, part in enumerate(parts))
    return page(title, f"<section><p>{marked}</p></section>", status)
