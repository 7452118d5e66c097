"""Log notifications: what became of each call of a session, to the client that asked to be told, at the level it asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from mcp.server import ServerRequestContext
from mcp.server.connection import Connection, allowed_log_levels
from mcp_types import (
    EmptyResult,
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    SetLevelRequestParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from hq.mcp.door_calls import error_of

if TYPE_CHECKING:
    from hq.door.outcome import ResultContract

LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
"""Least urgent first."""
CHOSEN = "hq.log_level"
Context = ServerRequestContext[Any, Any]


def connection_of(ctx: Context) -> Connection:
    """What lasts from request to request; the SDK has it, and no public name for it."""
    return ctx.session._connection


async def set_level(ctx: Context, params: SetLevelRequestParams) -> EmptyResult:
    """`logging/setLevel`. Until then nothing is told."""
    connection_of(ctx).state[CHOSEN] = params.level
    return EmptyResult()


async def tell(ctx: Context, verb: str, contract: ResultContract, *, asked_for: bool) -> None:
    """Tell what became of a call: one that the client asked for, or one that an answer was put together from."""
    level = _level(contract, asked_for=asked_for)
    if ctx.request_id is None or level not in _wanted(ctx):
        return
    data: dict[str, Any] = {"verb": verb, "ok": contract["ok"], "audit_event_id": contract["audit_event_id"]}
    if not contract["ok"]:
        error = error_of(contract)
        data |= {"code": error["code"], "message": error["message"]}
    params = LoggingMessageNotificationParams(level=level, logger="hq", data=data)
    await ctx.session.send_notification(LoggingMessageNotification(params=params), ctx.request_id)


def _level(contract: ResultContract, *, asked_for: bool) -> LoggingLevel:
    if contract["ok"]:
        return "info" if asked_for else "debug"
    match error_of(contract)["code"]:
        case "waiting":
            return "notice"
        case "outage" | "defect":
            return "error"
        case _:
            return "warning" if asked_for else "debug"


def _wanted(ctx: Context) -> frozenset[LoggingLevel]:
    """Since 2026-07-28 each request says itself what it wants to hear."""
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return allowed_log_levels(ctx.protocol_version, ctx.meta)
    chosen = connection_of(ctx).state.get(CHOSEN)
    return frozenset(LEVELS[LEVELS.index(chosen) :]) if chosen else frozenset()
