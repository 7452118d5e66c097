"""HTML without scripts: one template, a nonce per answer, everything escaped."""

from __future__ import annotations

import secrets
from html import escape
from pathlib import Path
from string import Template

from starlette.requests import Request
from starlette.responses import HTMLResponse

from hq.errors import HqError

HOW_TO_ENTER = "hq is running. Run `hq auth login` on this machine and open the link it prints."
FOR_PROGRAMS = ("/api/", "/v1/", "/mcp", "/part/", "/stream", "/static/", "/openapi.json", "/health", "/metrics")
TITLES = {
    401: "Your login has ended",
    403: "This is not for your login",
    404: "There is nothing here",
    405: "This page is not sent to",
    503: "One moment",
}
BACK = '<footer><a href="/">Back to the company</a></footer>'
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


def notice(title: str, says: str, status: int = 200, more: str = "") -> HTMLResponse:
    """A page with one thing to say; `says` may mark commands with backticks. What is `more` is HTML already."""
    parts = escape(says).split("`")
    marked = "".join(f"<code>{part}</code>" if n % 2 else part for n, part in enumerate(parts))
    return page(title, f"<section><p>{marked}</p></section>{more}", status)


def for_a_browser(request: Request) -> bool:
    """Whether somebody looks at the answer: a browser asks for HTML, and not where programs ask."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(FOR_PROGRAMS)


def trouble(error: HqError, reference: str) -> HTMLResponse:
    """What went wrong, for somebody who looks at it. What is our fault has a number under which the log tells more."""
    status = error.code.status
    if status == 401:
        return notice(TITLES[401], "Run `hq auth login` on this machine and open the link it prints.", status)
    title = TITLES.get(status, "Something went wrong" if status >= 500 else "That did not work")
    says = error.message[:1].upper() + error.message[1:]
    says = says if says.endswith((".", "!", "?", "…")) else f"{says}."
    if status == 500:
        says = f"That is a fault of hq, not yours. `hq logs` shows what happened, under the number `{reference}`."
    return notice(title, says, status, BACK)
