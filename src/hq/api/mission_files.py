"""Files of a mission, by way of a browser: opened on its own address, downloaded as a zip, shown as a picture."""

from __future__ import annotations

import mimetypes
from base64 import b64decode
from pathlib import Path
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from hq.api.credentials import COOKIE, from_our_pages
from hq.api.problems import trace_of
from hq.door.door import Door
from hq.door.tx import Call
from hq.errors import Refused
from hq.json_types import CallArgs, CallResult
from hq.web.missions import PICTURES

SHUT = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
"""A picture may be a document with a program in it: it gets nothing, not even its own origin."""


class MissionFileRoutes:
    """With the session of the founder's browser, from hq's own pages or the address bar alone."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def add_to(self, app: Starlette) -> None:
        app.add_route("/missions/{mission}/open", self.open, methods=["GET"])
        app.add_route("/missions/{mission}/download", self.download, methods=["GET"])
        app.add_route("/missions/{mission}/raw/{path:path}", self.raw, methods=["GET"])

    async def open(self, request: Request) -> Response:
        """`GET /missions/<slug>/open`: to the app where it runs, or to the page that shows what there is."""
        data = await self._called(request, "mission.open", {"ref": request.path_params["mission"]})
        return RedirectResponse(data.get("url") or quote(data["path"]), 303)

    async def download(self, request: Request) -> Response:
        """`GET /missions/<slug>/download`"""
        slug = request.path_params["mission"]
        data = await self._called(request, "mission.download", {"ref": slug})
        return FileResponse(Path(data["path"]), media_type="application/zip", filename=f"{data['slug']}.zip")

    async def raw(self, request: Request) -> Response:
        """`GET /missions/<slug>/raw/<path>`: a picture is shown, anything else is taken away."""
        path = request.path_params["path"]
        args = {"ref": request.path_params["mission"], "path": path}
        data = await self._called(request, "mission.fetch_file", args)
        shown = path.lower().endswith(PICTURES)
        kind = (mimetypes.guess_type(path)[0] if shown else None) or "application/octet-stream"
        name = quote(path.rpartition("/")[2])
        how = "inline" if shown else "attachment"
        headers = {"content-security-policy": SHUT, "content-disposition": f"{how}; filename*=UTF-8''{name}"}
        return Response(b64decode(data["base64"]), media_type=kind, headers=headers)

    async def _called(self, request: Request, verb: str, args: CallArgs) -> CallResult:
        session = request.cookies.get(COOKIE)
        if not session:
            raise Refused.unauthenticated("log in first: `hq auth login` prints a link")
        if not from_our_pages(request):
            raise Refused.forbidden("only hq's own pages open this")
        outcome = await self._door.call(Call(verb, args, session, trace_id=trace_of(request)))
        if not outcome.ok:
            raise Refused(outcome.message, code=outcome.code, hint=(outcome.error or {}).get("hint", ""))
        return outcome.data
