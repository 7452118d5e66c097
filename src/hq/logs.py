"""Logs of hq: JSON lines in the home's log, human lines on a terminal, and no secret in either."""

from __future__ import annotations

import logging
import os
import re
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO, Any

import structlog
from structlog.typing import EventDict, Processor

from hq.errors import Refused
from hq.settings import Settings

LEVELS = ("debug", "info", "warning", "error")
SIZE, KEPT = 10 * 1024 * 1024, 5
SECRETS = (
    (re.compile(r"\bhq_([a-z]+)_[A-Za-z0-9_-]{8,}"), r"hq_\1_…"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]+"), r"\1 …"),
    (re.compile(r"://([^/\s:@]*):[^/\s@]+@"), r"://\1:…@"),
    (re.compile(r"(?i)\b(password|passwd|secret)=\S+"), r"\1=…"),
)
SENSITIVE = ("authorization", "cookie", "set-cookie", "password", "token")


def set_up_logs(settings: Settings, *, terminal: bool | None = None) -> None:
    """Route everything, our own lines and those of libraries, to the log file and, on a terminal, to stderr."""
    if settings.log_level not in LEVELS:
        raise Refused.invalid(f"HQ_LOG_LEVEL is {settings.log_level!r}; it takes {', '.join(LEVELS)}")
    handlers: list[logging.Handler] = [_file_handler(settings.log_file)]
    if sys.stderr.isatty() if terminal is None else terminal:
        handlers.append(_terminal_handler())
    logging.raiseExceptions = False  # a full disk must not fill the terminal with tracebacks
    logging.basicConfig(handlers=handlers, level=settings.log_level.upper(), force=True)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def redact(value: Any) -> Any:
    """The same value without tokens, passwords and credentials in URLs."""
    if isinstance(value, str):
        for pattern, instead in SECRETS:
            value = pattern.sub(instead, value)
        return value
    if isinstance(value, dict):
        return {k: "…" if str(k).lower() in SENSITIVE else redact(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [redact(v) for v in value]
    return value


def _redacted(_logger: Any, _method: str, event: EventDict) -> EventDict:
    return redact(event)


def _shared() -> list[Processor]:
    """What every line gets, whoever wrote it."""
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.processors.StackInfoRenderer(),
    ]


class _PrivateFileHandler(RotatingFileHandler):
    """Rotates like its parent, but what it opens is nobody else's to read."""

    def _open(self) -> IO[str]:  # type: ignore[override]
        return open(self.baseFilename, self.mode, encoding="utf-8", opener=lambda p, flags: os.open(p, flags, 0o600))


def _file_handler(file: Path) -> logging.Handler:
    handler = _PrivateFileHandler(file, maxBytes=SIZE, backupCount=KEPT, encoding="utf-8", delay=True)
    handler.setFormatter(
        _formatter(
            structlog.processors.format_exc_info, _redacted, structlog.processors.JSONRenderer(ensure_ascii=False)
        )
    )
    return handler


def _terminal_handler() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    plain = structlog.dev.ConsoleRenderer(timestamp_key="at", exception_formatter=structlog.dev.plain_traceback)
    handler.setFormatter(_formatter(structlog.processors.format_exc_info, _redacted, plain))
    return handler


def _formatter(*last: Processor) -> logging.Formatter:
    processors = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last]
    return structlog.stdlib.ProcessorFormatter(foreign_pre_chain=_shared(), processors=processors)
