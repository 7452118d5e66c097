"""Notices: pages with one thing to say, also to whoever is not logged in. They run no scripts."""

from __future__ import annotations

from starlette.responses import HTMLResponse

from hq.errors import HqError
from hq.web.assets import page

HOW_TO_ENTER = "hq is running. Run `hq auth login` on this machine and open the link it prints."
TITLES = {
    401: "Your login has ended",
    403: "This is not for your login",
    404: "There is nothing here",
    405: "This page is not sent to",
    503: "One moment",
}
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)


def notice(title: str, says: str, status: int = 200, *, back: bool = False) -> HTMLResponse:
    """What it says may mark commands with backticks."""
    return page("notice.html", status, POLICY, title=title, parts=says.split("`"), back=back)


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
    return notice(title, says, status, back=True)
