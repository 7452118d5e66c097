"""The result of a command, wherever it ran."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CommandResult:
    out: bytes
    err: bytes
    exit_code: int | None
    """None where it was stopped before it ended."""
    timed_out: bool = False
    complete: bool = True
    """False where it printed more than is kept, and was stopped for that."""

    @property
    def printed(self) -> bytes:
        """All it printed, complaints last."""
        if not self.err:
            return self.out
        return self.out + (b"" if not self.out or self.out.endswith(b"\n") else b"\n") + b"[stderr]\n" + self.err
