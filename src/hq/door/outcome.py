"""The result contract: the same shape from every verb on every face (seed 002 §33.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict
from uuid import UUID

from hq.errors import CODES, ErrorDetail, HqError
from hq.ids import event_name, trace_name


class ResultContract(TypedDict):
    """What every face gives back."""

    ok: bool
    action: str
    data: Any
    audit_event_id: str | None
    trace_id: str | None
    error: ErrorDetail | None
    sequence: str | None


@dataclass(frozen=True)
class Outcome:
    """What became of a call."""

    ok: bool
    action: str
    data: Any
    action_id: UUID | None
    trace_id: UUID
    error: ErrorDetail | None = None
    sequence: str | None = None
    taint: frozenset[str] = frozenset()
    """Marks of outside content that went into it; for who goes on with it, not part of the contract."""
    has_mail: bool | None = None
    """Whether something was said meanwhile to the session in whose journal it is; unknown where it is in none."""
    replayed: bool = False
    """The answer to an earlier call under the same idempotency key."""

    @classmethod
    def failed(
        cls, action: str, error: HqError, trace_id: UUID, action_id: UUID | None = None, data: Any = None
    ) -> Outcome:
        return cls(False, action, data, action_id, trace_id, error.as_dict(), taint=error.marks)

    @property
    def code(self) -> str | None:
        """The name of what went wrong; nothing where nothing did."""
        return self.error["code"] if self.error else None

    @property
    def message(self) -> str:
        """What went wrong, in words."""
        return self.error["message"] if self.error else ""

    @property
    def exit_code(self) -> int:
        return CODES[self.code].exit if self.code else 0

    @property
    def status(self) -> int:
        return CODES[self.code].status if self.code else 200

    def as_dict(self) -> ResultContract:
        return {
            "ok": self.ok,
            "action": self.action.partition(".")[2],
            "data": self.data,
            "audit_event_id": event_name(self.action_id) if self.action_id else None,
            "trace_id": trace_name(self.trace_id),
            "error": self.error,
            "sequence": self.sequence,
        }
