"""The pages' way through HTTP: a browser's session cookie becomes the token they read with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from hq.api.credentials import COOKIE
from hq.api.problems import trace_of
from hq.door.door import Door
from hq.errors import Refused
from hq.web import missions, pages
from hq.web.assets import static
from hq.web.house import HousePage
from hq.web.notice import HOW_TO_ENTER, notice
from hq.web.page_reads import PageReader

Shown = Callable[[PageReader, pages.Asked], Awaitable[Response]]
PAGES: dict[str, Shown] = {
    "/": pages.chat,
    "/inbox": pages.inbox,
    "/work": pages.work,
    "/agents": pages.everybody,
    "/agents/{agent}": pages.agent,
    "/sessions/{session}": pages.session,
    "/onboarding": pages.onboarding,
    "/missions/{mission}": missions.mission,
    "/missions/{mission}/files": missions.files,
    "/missions/{mission}/files/{path:path}": missions.file,
    "/missions/{mission}/changes": missions.changes,
    "/part/missions/{mission}": missions.mission_part,
    "/part/work": pages.work_part,
    "/part/work/{noun}/{status}": pages.more_work_part,
    "/part/cards": pages.cards_part,
    "/part/card": pages.card_part,
    "/part/lines": pages.lines_part,
    "/part/agents": pages.agents_part,
    "/part/agents/{agent}": pages.agent_part,
    "/part/agents/{agent}/sessions": pages.sessions_part,
    "/part/sessions/{session}": pages.steps_part,
}


class Site:
    def __init__(self, door: Door, house: HousePage) -> None:
        self._door = door
        self._house = house

    def add_to(self, app: Starlette) -> None:
        for path, shown in (PAGES | {"/house": self._house.show}).items():
            app.add_route(path, self._page(shown), methods=["GET"])
        app.add_route("/static/{version}/{name}", self._file, methods=["GET"])

    def _page(self, shown: Shown) -> Callable[[Request], Awaitable[Response]]:
        async def show(request: Request) -> Response:
            session = request.cookies.get(COOKIE)
            if not session and request.url.path == "/":
                return notice("hq", HOW_TO_ENTER)
            if not session:
                raise Refused.unauthenticated("log in first: `hq auth login` prints a link")
            asked = {**request.query_params, **request.path_params}
            at, known_at = asked.get("at") or None, asked.get("known_at") or None
            async with PageReader.opened(self._door, session, at, trace_of(request), known_at) as reader:
                return await shown(reader, asked)

        return show

    async def _file(self, request: Request) -> Response:
        return static(request.path_params["name"])
