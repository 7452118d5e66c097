"""A fallback chain of minds: the first whose circuit is closed answers; when it cannot, the next is asked.

Where all of them lack only a key that works, or have never answered since they were set, the script answers: the company goes
on, and its status says what is missing. One that has answered and is away is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import structlog

from hq.errors import HqError
from hq.minds.circuit_breaker import Doors, OpenCircuit
from hq.minds.mind import (
    KeyRefused,
    Mind,
    MindAway,
    MindBusy,
    MindDown,
    MindRefused,
    MindRequest,
    MindUnready,
    NeverAnswered,
    OnText,
    Reply,
    SaysModel,
    Tier,
)
from hq.minds.stand_in import UNTIL_THEN, StandIn

LOOK = "`hq mind list` says which key it needs"
log = structlog.get_logger("hq.minds")


@dataclass(frozen=True)
class ChainLink:
    mind: Mind
    door: str | None
    """None has no quota to run into."""


@dataclass(frozen=True)
class Keyless:
    """Stands where a mind is asked by itself whose key is missing."""

    name: str
    key: str

    async def answer(self, ask: MindRequest, *, on_text: OnText | None = None) -> Reply:
        raise KeyRefused(f"{self.name} lacks the key {self.key}", hint=f"`hq vault set {self.key}`")


class FallbackChain:
    def __init__(
        self,
        links: Sequence[ChainLink],
        doors: Doors,
        script: Callable[[], Mind] | None = None,
        *,
        knocks: bool = False,
    ) -> None:
        self._links = links
        self._doors = doors
        self._knocks = knocks
        """Whether closed doors are tried all the same: by a person who wants to know."""
        self._script = script
        """Who answers where nobody's key works; None where only these are meant."""

    @property
    def name(self) -> str:
        return self._links[0].mind.name

    def says(self, tier: Tier) -> str:
        first = self._links[0].mind
        return first.says(tier) if isinstance(first, SaysModel) else first.name

    async def answer(self, ask: MindRequest, *, on_text: OnText | None = None) -> Reply:
        doors = [link.door for link in self._links if link.door and not self._knocks]
        closed = await self._doors.closed(doors) if doors else {}
        failures: list[HqError] = []
        for link in self._links:
            if link.door in closed:
                shut = closed[link.door]
                failures.append(_turned_away(shut))
                continue
            try:
                reply = await self._who(link, failures).answer(ask, on_text=on_text)
            except (MindBusy, MindDown, MindRefused) as error:
                failures.append(await self._failed(link.door, error))
            else:
                if link.door:
                    await self._doors.let_through(link.door)
                return replace(reply, passed_over=tuple(failure.message for failure in failures))
            log.warning("a mind could not answer", mind=link.mind.name, why=failures[-1].message)
        stands_in = all(isinstance(failure, MindUnready) for failure in failures)
        if self._script and ask.stand_in and stands_in:
            why = "; ".join(f"{failure.message}{f': {failure.hint}' if failure.hint else ''}" for failure in failures)
            reply = await StandIn(self._script(), f"{why}; {UNTIL_THEN}").answer(ask, on_text=on_text)
            return replace(reply, passed_over=tuple(failure.message for failure in failures))
        raise worst(failures)

    async def _failed(self, door: str | None, error: MindBusy | MindDown | MindRefused) -> HqError:
        """Closes its door for as long as that takes; what to make of it."""
        if door is None:
            return error
        if isinstance(error, KeyRefused):
            error.until = await self._doors.leave_alone(door, error.message)
            return error
        if isinstance(error, MindDown) and error.spoke:
            await self._doors.give_it_time(door, error)
            raise error
        if await self._never_answered(door):
            until = await self._doors.stand_in_for(door, error)
            return error if self._knocks else NeverAnswered(error.message, hint=LOOK, until=until)
        if isinstance(error, MindBusy):
            return type(error)(error.what, await self._doors.close(door, error))
        return await self._doors.give_it_time(door, error) if isinstance(error, MindDown) else error

    async def _never_answered(self, door: str) -> bool:
        """As whoever tests it finds, or has found before: what is only asked is given time."""
        return not await self._doors.has_answered(door) if self._knocks else door in self._doors.unproven

    def _who(self, link: ChainLink, failures: Sequence[HqError]) -> Mind:
        """The script says for whom it answers."""
        if link.door is not None or not failures:
            return link.mind
        models = ", ".join(each.mind.name for each in self._links if each.door)
        return StandIn(link.mind, f"{models} cannot answer just now; until then the script does")


def _turned_away(shut: OpenCircuit) -> HqError:
    if shut.unproven:
        return NeverAnswered(shut.why, hint=LOOK, until=shut.until)
    if shut.refused:
        return KeyRefused(shut.why, hint=LOOK, until=shut.until)
    return (MindAway if shut.away else MindBusy)(shut.why, shut.until)


def worst(failures: Sequence[HqError]) -> HqError:
    """What to tell when nobody answered: wait while somebody's door will open, then try later, then change something."""
    busy = [failure for failure in failures if isinstance(failure, MindBusy)]
    if busy:
        return min(busy, key=lambda failure: failure.until)
    down = [failure for failure in failures if isinstance(failure, MindDown)]
    return (down or list(failures))[0]
