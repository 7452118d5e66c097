"""Coding programs under way in this process, by the session that lets them work: how one is ended from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class CodingPrograms:
    def __init__(self) -> None:
        self._stops: dict[str, Callable[[str], None]] = {}

    @contextmanager
    def under_way(self, session: str | None, stop: Callable[[str], None]) -> Iterator[None]:
        """While a program works for a session; a person's own has none."""
        if session is None:
            yield
            return
        self._stops[session] = stop
        try:
            yield
        finally:
            self._stops.pop(session, None)

    def stop(self, session: str, why: str) -> None:
        """End what works for a session; nothing where nothing does."""
        if stop := self._stops.get(session):
            stop(why)
