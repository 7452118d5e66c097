"""The rate limit: how fast one credential that is no person's and not the house's may call. A token bucket for each, in this
process: nothing is asked of the database, and with several servers each counts for itself."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from hq.door.caller import FOUNDER, Caller, token_hash
from hq.door.tx import Call
from hq.errors import Outage

BURST = 10
"""Seconds' worth of calls that may be made at once after a rest."""
KEPT = 4096
"""How many buckets are kept; beyond that, those that are full again are forgotten."""
log = structlog.get_logger("hq.door")


@dataclass
class Bucket:
    actor: str
    left: float
    at: float
    empty: bool = False


class RateLimit:
    def __init__(self, per_second: int = 0, now: Callable[[], float] = time.monotonic) -> None:
        self.per_second = per_second
        """0 is no limit."""
        self._now = now
        self._buckets: dict[bytes, Bucket] = {}

    def check(self, token: str) -> None:
        """Counts a call. Who is not known yet is let through: the door finds out who that is, and says so."""
        if not self._buckets or (bucket := self._buckets.get(token_hash(token))) is None:
            return
        self._refill(bucket)
        if bucket.left >= 1:
            bucket.left -= 1
            bucket.empty = False
            return
        if not bucket.empty:
            log.warning("calls too fast", actor=bucket.actor, per_second=self.per_second)
        bucket.empty = True
        wait = math.ceil((1 - bucket.left) / self.per_second)
        raise Outage(
            f"{bucket.actor} calls faster than {self.per_second} times a second; go on in {wait} s, and more slowly",
            code="too_many_calls",
            retry_after=wait,
        )

    def learn(self, call: Call, caller: Caller) -> None:
        """From a call that was opened: whose its credential is. The founder's own is not limited, also not as an agent."""
        limited = not caller.human and not caller.house and FOUNDER not in caller.scopes
        if self.per_second and limited and from_outside(call):
            key, now = token_hash(call.token), self._now()
            if key not in self._buckets:
                if len(self._buckets) >= KEPT:
                    self._forget()
                self._buckets[key] = Bucket(caller.actor, self._most - 1, now)

    @property
    def _most(self) -> float:
        return float(BURST * self.per_second)

    def _refill(self, bucket: Bucket) -> None:
        now = self._now()
        bucket.left = min(self._most, bucket.left + (now - bucket.at) * self.per_second)
        bucket.at = now

    def _forget(self) -> None:
        for bucket in self._buckets.values():
            self._refill(bucket)
        self._buckets = {key: bucket for key, bucket in self._buckets.items() if bucket.left < self._most}


def from_outside(call: Call) -> bool:
    """Whether a face made it, and not a session that the house runs or another call."""
    return call.session_id is None and call.parent_id is None and call.approval_id is None and not call.inside
