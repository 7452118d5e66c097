"""A session's mind: what governs it, what it is told of how things stand, and the asking itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from hq.clock import Clock
from hq.door.outcome import Outcome
from hq.engine.sessions.leases import Claimed
from hq.engine.sessions.steps import NoteStep
from hq.errors import Refused
from hq.minds.mind import MindRequest, OnText, Reply
from hq.minds.policy import TierDecision
from hq.sessions import mind_call
from hq.sessions.config import AgentConfig
from hq.sessions.loop.door import SessionDoor
from hq.sessions.loop.record import SessionRecord
from hq.sessions.session_host import SessionHost

FRESH = timedelta(seconds=2)
"""How long what was told of how things stand is good for, as long as the session itself changes nothing: others are at work too."""


class SessionMind:
    def __init__(self, host: SessionHost, claimed: Claimed, record: SessionRecord, door: SessionDoor) -> None:
        self._host = host
        self._claimed = claimed
        self._record = record
        self._door = door
        self._clock: Clock = host.door.clock
        self.config: AgentConfig
        self.now = ""
        """How things stand, as it is told last; no part of the conversation."""
        self._told_at: datetime | None = None

    async def introduce(self, config: AgentConfig, about: str = "", *, begins: bool = False) -> Outcome:
        """Who it is, in which company: what governs a session from its first step on."""
        self.config = config
        told = await self.tell(about, begins=begins)
        if not told.ok:
            raise Refused(f"no session without its context: {(told.error or {}).get('message')}")
        self.config = replace(config, identity=told.data["system"])
        return told

    async def tell(self, about: str = "", *, begins: bool = False) -> Outcome:
        args = {"agent": self.config.slug, "session": str(self._claimed.id), "begins": begins}
        told = await self._door.do("context.tell", args | ({"about": about[:2000]} if about else {}))
        self.now, self._told_at = told.data["now"] if told.ok else "", self._clock.now()
        return told

    async def know(self, about: str = "") -> Outcome | None:
        """What it is told of how things stand is so; what was read for that marks it like anything else."""
        if self._told_at and self._clock.now() - self._told_at < FRESH:
            return None
        told = await self.tell(about)
        if not told.taint <= self._record.talk.taint:
            await self._record.write(NoteStep(taint=sorted(told.taint)))
        return told

    def outdated(self) -> None:
        """Something changed: before it is asked again, it is told anew how things stand."""
        self._told_at = None

    @property
    def used_up(self) -> bool:
        """What one run may use is used."""
        limit = self.config.tokens_per_run
        return bool(limit and self._record.talk.spent_tokens >= limit)

    def request(self, messages: Any, purpose: str) -> MindRequest:
        now = self.now or mind_call.clock_line(self._clock.now())
        return mind_call.ask_of(messages, self.config, self._door.offer.shown, purpose, now)

    async def answer(self, ask: MindRequest, chosen: TierDecision, on_text: OnText | None = None) -> Reply:
        """A whole answer, paid for out of what the session may spend."""
        ask = replace(ask, tier=chosen.tier)
        return await mind_call.answered(self._host, self._claimed, self.config, ask, on_text)
