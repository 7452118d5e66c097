"""The one tree of errors, sorted by who must act: the caller (Refused), time (Outage), us (Defect).

HqError
├── Refused   the caller must change something   exit 1 (3 not found, 4 waiting)   HTTP 4xx
├── Outage    wait and try again                  exit 2                            HTTP 503
└── Defect    a bug of ours                       exit 2                            HTTP 500
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NotRequired, Self, TypedDict

from hq.json_types import ErrorDetails


@dataclass(frozen=True)
class Code:
    """What one error code means to a shell, to HTTP and to a reader."""

    name: str
    exit: int
    status: int
    meaning: str


CODES: dict[str, Code] = {
    code.name: code
    for code in (
        Code("invalid", 1, 422, "The arguments do not fit the verb; the message names the field and what it takes."),
        Code("unauthenticated", 1, 401, "No credential, or one that is unknown, expired or revoked."),
        Code("forbidden", 1, 403, "The credential is good but does not hold the scope this verb needs."),
        Code("cross_scope_violation", 1, 403, "An agent reached outside its own scope; the hint says whom to ask."),
        Code("not_found", 3, 404, "Nothing by that slug or id that this caller may see."),
        Code("conflict", 1, 409, "The state of things does not allow it now, such as a move a type does not have."),
        Code("idempotency_conflict", 1, 409, "The same idempotency key was used before with other arguments."),
        Code("stale", 1, 409, "The thing changed since it was looked at; look again and repeat."),
        Code("blocked", 1, 409, "Undo is blocked by later writes; the reasons are listed."),
        Code(
            "unknown_outcome", 1, 409, "An outside effect was started and never reported back; check before repeating."
        ),
        Code("expired", 1, 410, "What was asked for is no longer valid, such as an approval past its expiry."),
        Code("interrupted", 1, 409, "A call an agent did not get to make: somebody interrupted it."),
        Code("fenced", 2, 409, "Another worker holds this session by now; this one has to leave it."),
        Code("frozen", 1, 423, "Writes are frozen for this scope; `hq thaw` lifts it."),
        Code(
            "paused",
            1,
            423,
            "Who calls, or what it acts for, is paused; the message says by whom, the hint who may resume it.",
        ),
        Code("hard_stop", 1, 423, "What the seat manages is worth less than its hard stop; it may only escalate."),
        Code("too_large", 1, 413, "The request is larger than is accepted."),
        Code(
            "too_many_calls",
            2,
            429,
            "This token calls faster than HQ_CALLS_PER_SECOND allows; the message says when to go on.",
        ),
        Code("waiting", 4, 202, "The call is parked until somebody approves it."),
        Code(
            "declined",
            1,
            409,
            "A model declined to answer, or said nothing; say it in other words or ask another model.",
        ),
        Code("busy", 2, 503, "A mind's quota is used up; the message says when it can be asked again."),
        Code("outage", 2, 503, "Something hq depends on does not answer; it is safe to try again."),
        Code("defect", 2, 500, "A bug in hq. The trace id finds it in `hq logs`."),
    )
}


class ErrorDetail(TypedDict):
    """The `error` of the result contract."""

    code: str
    message: str
    hint: NotRequired[str]
    details: NotRequired[ErrorDetails]


class HqError(Exception):
    """Base of everything hq raises on purpose."""

    default: ClassVar[str] = "defect"

    def __init__(self, message: str, *, code: str | None = None, hint: str = "", **details: Any) -> None:
        super().__init__(message)
        self.code = CODES[code or self.default]
        self.message = message
        self.hint = hint
        self.details = details
        self.marks: frozenset[str] = frozenset()
        """Of outside content that was looked at on the way here: what an error says may be of it."""

    def as_dict(self) -> ErrorDetail:
        found: ErrorDetail = {"code": self.code.name, "message": self.message}
        if self.hint:
            found["hint"] = self.hint
        if self.details:
            found["details"] = self.details
        return found


class Refused(HqError):
    """The caller asked for something that cannot be; the message says what to do."""

    default = "invalid"

    @classmethod
    def invalid(cls, message: str, **more: Any) -> Self:
        return cls(message, code="invalid", **more)

    @classmethod
    def unauthenticated(cls, message: str, **more: Any) -> Self:
        return cls(message, code="unauthenticated", **more)

    @classmethod
    def forbidden(cls, message: str, **more: Any) -> Self:
        return cls(message, code="forbidden", **more)

    @classmethod
    def not_found(cls, message: str, **more: Any) -> Self:
        return cls(message, code="not_found", **more)

    @classmethod
    def conflict(cls, message: str, **more: Any) -> Self:
        return cls(message, code="conflict", **more)


class Waiting(Refused):
    """Not a failure: the call is parked and goes on when it is approved."""

    default = "waiting"


class Outage(HqError):
    """The database, a disk or a port is not there; nothing was half done."""

    default = "outage"


class Defect(HqError):
    """A bug of ours, met on purpose: an invariant that does not hold."""
