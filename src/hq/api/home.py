"""`GET /house`: one small page that says how the company and its house are, now or at any moment."""

from __future__ import annotations

import asyncio
from html import escape
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from hq import __version__
from hq.api.credentials import COOKIE
from hq.api.health import HealthReport
from hq.api.pages import HOW_TO_ENTER, notice, page
from hq.api.problems import ALL_CODES
from hq.door.door import Door
from hq.door.tx import Call
from hq.errors import Refused

COUNTED = {"task": "tasks", "project": "projects", "contact": "contacts", "decision": "decisions", "memo": "memos"}
MOST = 200
FACTS = {
    "kind": "{}", "version": "version {}", "milliseconds": "{} ms", "lag": "{} behind", "free_mb": "{:,} MB free",
    "size": "{} connections", "trouble": "{}",
}  # fmt: skip


class Home:
    def __init__(self, door: Door, health: HealthReport) -> None:
        self._door = door
        self._health = health

    async def show(self, request: Request) -> Response:
        session = request.cookies.get(COOKIE)
        when = {name: said for name in ("at", "known_at") if (said := request.query_params.get(name))}
        company = (
            await self._door.call(Call("tenant.show", {}, session, at=when.get("at"), known_at=when.get("known_at")))
            if session
            else None
        )
        if company is not None and company.error and company.error["code"] in ("invalid", "not_found"):
            return notice("hq", company.error["message"], company.status)
        if company is None or not company.ok:
            return notice("hq", HOW_TO_ENTER)
        report, counts = await asyncio.gather(self._health.report(), self._counts(session or "", when))
        return page(company.data["name"], _past(when) + _counted(counts) + _parts(report) + FOOTER)

    async def _counts(self, session: str, when: dict[str, str]) -> dict[str, str]:
        at, known_at = when.get("at"), when.get("known_at")
        calls = [
            self._door.call(Call(f"{noun}.list", {"limit": MOST}, session, at=at, known_at=known_at))
            for noun in COUNTED
        ]
        found = dict(zip(COUNTED.values(), await asyncio.gather(*calls), strict=True))
        return {name: _many(outcome.data) for name, outcome in found.items() if outcome.ok}


async def explain(request: Request) -> Response:
    """`GET /errors/<code>`: where the `type` of a problem document leads."""
    code = ALL_CODES.get(request.path_params["code"])
    if code is None:
        raise Refused.not_found(f"there is no error {request.path_params['code']!r}")
    title = code.name.replace("_", " ").capitalize()
    return notice(title, f"{code.meaning} HTTP status {code.status}, exit code {code.exit} on the command line.")


def _past(when: dict[str, str]) -> str:
    """That this is not now, and which moment it is; the house below is always of now."""
    said = {"at": "as it was at {}", "known_at": "as far as was known at {}"}
    words = ", ".join(said[name].format(escape(moment)) for name, moment in when.items())
    return f'<section><p>The company {words}. <a href="/house">Back to now</a></p></section>' if when else ""


def _many(data: dict[str, Any]) -> str:
    return f"{len(data['items'])}{'+' if data.get('next') else ''}"


def _counted(counts: dict[str, str]) -> str:
    items = "".join(f"<li><b>{many}</b>{escape(name)}</li>" for name, many in counts.items())
    return f'<section><h2>In the graph</h2><ul class="counts">{items}</ul></section>'


def _parts(report: dict[str, Any]) -> str:
    rows = "".join(
        f'<dt class="{part["status"]}">{escape(name)}</dt><dd>{escape(_facts(part))}</dd>'
        for name, part in report["parts"].items()
    )
    return f"<section><h2>The house</h2><dl>{rows}</dl></section>"


def _facts(part: dict[str, Any]) -> str:
    return " · ".join(form.format(part[key]) for key, form in FACTS.items() if key in part) or part["status"]


FOOTER = f"""<footer><a href="/">Back to the company</a><a href="/openapi.json">API description</a><a href="/health">Health</a><p>hq {__version__}</p>
<form method="post" action="/logout"><button>Log out</button></form></footer>"""
