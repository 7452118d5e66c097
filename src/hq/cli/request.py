"""A call on its way out and the contract that comes back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from hq.errors import CODES, ErrorDetail, HqError
from hq.json_types import CallArgs, CallResult

if TYPE_CHECKING:
    from hq.cli.flags import Flags
    from hq.door.outcome import ResultContract


class CommandRequest(NamedTuple):
    """A verb to be called, as somebody typed it."""

    verb: str
    args: CallArgs
    key: str | None = None
    reason: str = ""
    actor: str | None = None
    at: str | None = None
    known_at: str | None = None

    @classmethod
    def typed(cls, verb: str, args: CallArgs, given: Flags, *, repeated: bool = False) -> CommandRequest:
        """With what its flags say. One that is made again for what came of it has its key from the beginning."""
        key = given.key or (os.urandom(16).hex() if repeated else None)
        return cls(verb, args, key, given.reason or "", given.actor, given.at, given.known_at)


class CommandAnswer(NamedTuple):
    """The result contract, and which server gave it (none when the database was asked directly)."""

    contract: ResultContract
    url: str | None = None

    @property
    def ok(self) -> bool:
        return bool(self.contract.get("ok"))

    @property
    def data(self) -> Any:
        return self.contract.get("data")

    @property
    def error(self) -> ErrorDetail:
        return self.contract.get("error") or {"code": "", "message": ""}

    @property
    def message(self) -> str:
        """What went wrong, in words."""
        return str(self.error.get("message", ""))

    @property
    def exit_code(self) -> int:
        return 0 if self.ok else exit_code(str(self.error.get("code")))


def exit_code(code: str) -> int:
    """A newer server may know codes that we do not; then the caller should look at the message."""
    return CODES[code].exit if code in CODES else 1


def failed(action: str, error: HqError) -> CommandAnswer:
    """The contract of a call that never reached the door."""
    return CommandAnswer(_contract(action, ok=False, error=error.as_dict()))


def succeeded(action: str, data: CallResult) -> CommandAnswer:
    """The contract of what was done without the door, by the house itself."""
    return CommandAnswer(_contract(action, ok=True, data=data))


def _contract(action: str, *, ok: bool, data: Any = None, error: ErrorDetail | None = None) -> ResultContract:
    return {
        "ok": ok,
        "action": action,
        "data": data,
        "audit_event_id": None,
        "trace_id": None,
        "error": error,
        "sequence": None,
    }
