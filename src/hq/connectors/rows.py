"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hq.connectors.definition import McpToolDefinition


@dataclass(frozen=True, slots=True)
class ConnectorToolRow:
    """One tool of a connector."""

    name: str
    definition: McpToolDefinition
    hash: str
    seen_at: datetime
    gone_at: datetime | None
    approved: McpToolDefinition | None
    approved_hash: str | None
    approved_by: str | None
    approved_at: datetime | None


@dataclass(frozen=True, slots=True)
class UsableToolRow:
    """Every tool that may be used now: there, accepted, and still what was accepted."""

    slug: str
    title: str
    name: str
    approved: McpToolDefinition
