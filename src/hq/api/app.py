"""The HTTP face, put together: every verb under /api, how the house is, and a browser's way in."""

from __future__ import annotations

import json
from functools import cache

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from hq.api.calls import VerbHandler
from hq.api.database_health import Pulse
from hq.api.guard import Guard
from hq.api.health import HealthReport
from hq.api.jarvis import Jarvis
from hq.api.login import LoginRoutes
from hq.api.mcp import McpFace
from hq.api.metrics import Meter, Metrics
from hq.api.mission_files import MissionFileRoutes
from hq.api.oauth.routes import OAuthRoutes
from hq.api.openai.routes import add_openai
from hq.api.openapi import document
from hq.api.problems import explain, on_error, on_http_error
from hq.api.site import Site
from hq.api.stream import Streams
from hq.engine.announcer import Announcer
from hq.errors import HqError
from hq.headquarters import Headquarters
from hq.stream.hub import Hub
from hq.web.house import HousePage


def create_app(
    hq: Headquarters, announcer: Announcer | None, hub: Hub | None = None, mcp: McpFace | None = None
) -> Starlette:
    """The app on an open door. Without an announcer of its own it says so and works all the same."""
    hub = hub or Hub(hq.address.app_url, hq.door.pool, hq.clock)
    app = Starlette()
    app.router.redirect_slashes = False
    app.add_middleware(Guard, settings=hq.settings)
    app.add_exception_handler(HqError, on_error)
    app.add_exception_handler(HTTPException, on_http_error)
    _add_routes(app, hq, announcer, hub)
    app.add_route("/mcp", mcp or McpFace(hq, hub=hub))  # type: ignore[arg-type] (an ASGI app is a route as well)
    return app


def _add_routes(app: Starlette, hq: Headquarters, announcer: Announcer | None, hub: Hub) -> None:
    meter, pulse, login = Meter(), Pulse(hq.door.pool), LoginRoutes(hq.door)
    health = HealthReport(hq, announcer, pulse)
    Jarvis(hq.door, hub).add_to(app)  # before the verbs, for its paths look like theirs
    app.add_route("/api/{noun}/{action}", VerbHandler(hq.door, meter).call, methods=["POST"])
    streams = Streams(hq.door, hub)
    app.add_route("/api/events", streams.events, methods=["GET"])
    app.add_route("/api/sessions/{id}/steps", streams.session, methods=["GET"])
    app.add_route("/api/chat/stream", streams.conversation, methods=["GET"])
    app.add_route("/stream", streams.page, methods=["GET"])
    add_openai(app, hq.door, hub)
    app.add_route("/health", health.show, methods=["GET"])
    app.add_route("/metrics", Metrics(hq.door, announcer, pulse, meter).show, methods=["GET"])
    app.add_route("/openapi.json", describe, methods=["GET"])
    app.add_route("/errors/{code}", explain, methods=["GET"])
    app.add_route("/login", login.enter, methods=["GET"])
    app.add_route("/logout", login.leave, methods=["POST"])
    OAuthRoutes(hq.door).add_to(app)
    MissionFileRoutes(hq.door).add_to(app)
    Site(hq.door, HousePage(health.report)).add_to(app)


async def describe(request: Request) -> Response:
    """`GET /openapi.json`"""
    return Response(_written(), media_type="application/json")


@cache
def _written() -> bytes:
    return json.dumps(document(), separators=(",", ":")).encode()
