"""Loops that cost money and lead nowhere: the same call again and again, the same answer, a circle, one error, a swelling context."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from itertools import groupby
from typing import Self

from hq.errors import Refused


@dataclass(frozen=True)
class LoopLimits:
    """Where loops are broken. 0 turns one kind off."""

    repeats: int = 4
    """repeats: how often the same call may be made again in a row, whatever it answers."""
    rounds: int = 3
    """rounds: how often a circle of two to four calls may be gone round."""
    results: int = 6
    """results: how often in one session the same call may bring the same result."""
    errors: int = 5
    """errors: how many turns in a row may fail with the same error, whatever each called."""
    swelling: int = 12
    """swelling: how many calls in a row may change nothing and bring little new, once the context is half full."""
    pingpong: int = 8
    """pingpong: how often in a row agents may wake each other with nobody else in between."""

    def in_circles(self, hops: int) -> bool:
        """Whether so many wakes in a row, each by an agent, are too many."""
        return 0 < self.pingpong < hops

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `name=number` with commas between, as in HQ_LOOPS."""
        known, given = [field.name for field in fields(cls)], {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, _, number = part.partition("=")
            if name not in known or not number.isdigit() or int(number) > 10_000:
                raise Refused.invalid(f"HQ_LOOPS: {part!r} is not one of {'=N, '.join(known)}=N")
            given[name] = int(number)
        return cls(**given)


@dataclass(frozen=True)
class CompletedCall:
    """A call that came back."""

    tool: str
    arguments: str
    result: int
    """A mark of what it answered: two that are the same answered the same."""
    error: str | None = None
    """The code of its error."""
    verb: str | None = None
    """What was done, if it was."""
    turn: int | None = field(default=None, compare=False)
    """The answer of the mind that it was part of: several calls of one were made before it saw what came of any."""


def looping(
    calls: Sequence[tuple[str, str]],
    made: Sequence[CompletedCall] = (),
    full: float = 0,
    limits: LoopLimits = LoopLimits(),
    reads: Callable[[str], bool] = lambda verb: False,
) -> str | None:
    """Why these calls, each as (tool, arguments), and what they brought lead nowhere; nothing if they lead somewhere.

    `full` is the share of the context that is used; `reads` says of a verb that it changes nothing.
    """
    idle = _idle(made, reads)
    return (
        _repeated(calls, limits.repeats)
        or _circled(calls, limits.rounds)
        or _errs(made, limits.errors)
        or _same_results(idle, limits.results)
        or _swells(idle, full, limits.swelling)
    )


def _idle(made: Sequence[CompletedCall], reads: Callable[[str], bool]) -> Sequence[CompletedCall]:
    """The calls since something was last changed: to look again after a change is sensible."""
    for back, call in enumerate(reversed(made)):
        if call.verb is not None and not reads(call.verb):
            return made[len(made) - back :]
    return made


def _repeated(calls: Sequence[tuple[str, str]], repeats: int) -> str | None:
    if repeats and len(calls) > repeats and len(set(calls[-repeats - 1 :])) == 1:
        return f"called {calls[-1][0]} with the same arguments {repeats + 1} times in a row"
    return None


def _circled(calls: Sequence[tuple[str, str]], rounds: int) -> str | None:
    for length in (2, 3, 4) if rounds else ():
        tail = list(calls[-length * rounds :])
        if len(tail) == length * rounds and len(set(tail)) > 1 and tail == tail[:length] * rounds:
            return f"went round in a circle of {length} calls {rounds} times: {', '.join(name for name, _ in tail[:length])}"
    return None


def _errs(made: Sequence[CompletedCall], errors: int) -> str | None:
    """By turns: what a mind called all at once it could not do better the second time."""
    turns = [{call.error for call in turn} for _, turn in groupby(made, key=_turn)]
    tail = turns[-errors:] if errors else []
    if len(tail) == errors > 0 and len(tail[0]) == 1 and None not in tail[0] and all(each == tail[0] for each in tail):
        return f"{errors} turns in a row failed with {next(iter(tail[0]))}"
    return None


def _turn(call: CompletedCall) -> int:
    return id(call) if call.turn is None else call.turn


def _same_results(idle: Sequence[CompletedCall], results: int) -> str | None:
    if not results or not idle:
        return None
    last = idle[-1]
    same = idle.count(last)
    if same >= results:
        return f"called {last.tool} {same} times with the same arguments and got the same result each time"
    return None


def _swells(idle: Sequence[CompletedCall], full: float, swelling: int) -> str | None:
    """A long read is no loop as long as it brings something new."""
    tail = idle[-swelling:] if swelling else []
    if full > 0.5 and len(tail) == swelling > 0 and len({(call.tool, call.result) for call in tail}) <= swelling // 2:
        return f"{swelling} calls in a row changed nothing and brought little new, and the context is {full:.0%} full"
    return None
