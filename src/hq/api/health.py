"""`GET /health`: how each part of the house is, for people, supervisors and `hq status`. Needs no credential."""

from __future__ import annotations

import shutil
from typing import Any, Literal, NotRequired, TypedDict

from starlette.requests import Request
from starlette.responses import Response

from hq import __version__
from hq.api.database_health import DatabaseLook, Pulse
from hq.api.replies import JsonResponse
from hq.database.schema_history import migrations
from hq.engine.announcer import BEAT, Announcer
from hq.headquarters import Headquarters

SILENT = 1.5 * BEAT
LITTLE_ROOM = 512 * 1024 * 1024


class HealthPart(TypedDict):
    """How a part of the house is, and what is worth knowing of it."""

    status: Literal["ok", "degraded"]
    trouble: NotRequired[str]
    kind: NotRequired[str]
    version: NotRequired[str | int]
    milliseconds: NotRequired[float | None]
    leading: NotRequired[bool]
    lag: NotRequired[int]
    watermark: NotRequired[int]
    size: NotRequired[int]
    free: NotRequired[int]
    most: NotRequired[int]
    waiting: NotRequired[int]
    free_mb: NotRequired[int]


class Health(TypedDict):
    """What `/health` says."""

    status: Literal["ok", "degraded"]
    version: str
    parts: dict[str, HealthPart]


class HealthReport:
    def __init__(self, hq: Headquarters, announcer: Announcer | None, pulse: Pulse) -> None:
        self._hq = hq
        self._announcer = announcer
        self._pulse = pulse
        self._since = hq.clock.now()

    async def show(self, request: Request) -> Response:
        report = await self.report()
        return JsonResponse(report, 200 if report["parts"]["database"]["status"] == "ok" else 503)

    async def report(self) -> Health:
        look = await self._pulse.look()
        parts = {
            "database": self._database(look),
            "schema": self._schema(look),
            "announcer": self._announcing(look),
            "pool": self._pool(),
            "disk": self._disk(),
        }
        well = all(part["status"] == "ok" for part in parts.values())
        return {"status": "ok" if well else "degraded", "version": __version__, "parts": parts}

    def _database(self, look: DatabaseLook) -> HealthPart:
        kind = "external" if self._hq.settings.database_url else "embedded"
        if look.vitals is None:
            return _part(False, kind=kind, trouble=look.trouble)
        return _part(True, kind=kind, version=look.vitals.server.split()[0], milliseconds=look.milliseconds)

    def _schema(self, look: DatabaseLook) -> HealthPart:
        if look.vitals is None:
            return _part(False, trouble="unknown while the database does not answer")
        return _part(look.vitals.schema == migrations()[-1].version, version=look.vitals.schema)

    def _announcing(self, look: DatabaseLook) -> HealthPart:
        """It may lead elsewhere; what counts is that somebody links what is done."""
        leading = bool(self._announcer and self._announcer.leading)
        if look.vitals is None:
            return _part(False, leading=leading, trouble="unknown while the database does not answer")
        vitals = look.vitals
        silent = self._hq.clock.now() - (vitals.beat_at or self._since) > SILENT
        return _part(not (silent and vitals.lag), leading=leading, lag=vitals.lag, watermark=vitals.watermark)

    def _pool(self) -> HealthPart:
        stats = self._hq.door.pool.get_stats()
        size, most, waiting = stats["pool_size"], stats["pool_max"], stats.get("requests_waiting", 0)
        exhausted = waiting > 0 and size >= most  # below its limit it just grows
        return _part(not exhausted, size=size, free=stats["pool_available"], most=most, waiting=waiting)

    def _disk(self) -> HealthPart:
        free = shutil.disk_usage(self._hq.settings.home).free
        return _part(free > LITTLE_ROOM, free_mb=free // 1024**2)


def _part(well: bool, **told: Any) -> HealthPart:
    return HealthPart(status="ok" if well else "degraded", **told)
