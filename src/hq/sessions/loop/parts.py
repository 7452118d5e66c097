"""The parts of a session, which its loop and its kind work with."""

from __future__ import annotations

from dataclasses import dataclass

from hq.engine.sessions.journal import Journal
from hq.engine.sessions.leases import Claimed
from hq.sessions.loop.door import SessionDoor
from hq.sessions.loop.mind import SessionMind
from hq.sessions.loop.record import SessionRecord
from hq.sessions.loop.signals import SessionSignals
from hq.sessions.session_host import SessionHost


@dataclass(frozen=True)
class SessionParts:
    host: SessionHost
    claimed: Claimed
    record: SessionRecord
    signals: SessionSignals
    door: SessionDoor
    mind: SessionMind

    @classmethod
    def of(cls, host: SessionHost, claimed: Claimed, journal: Journal) -> SessionParts:
        record, signals = SessionRecord(journal), SessionSignals(claimed.stop)
        door = SessionDoor(host.door, claimed, record, signals)
        return cls(host, claimed, record, signals, door, SessionMind(host, claimed, record, door))
