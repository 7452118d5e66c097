"""Checks of a chart of seats: one title each, lines that lead up and end, escalation that leads somewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class ChartSeat:
    """A seat as far as its place in the chart goes."""

    id: UUID
    title: str
    level: int = 1
    is_cross_cutting: bool = False
    reports_to: UUID | None = None
    escalates_to: UUID | None = None


@dataclass(frozen=True)
class Flaw:
    """What is wrong, at which seat, with which of its fields."""

    id: UUID
    field: str
    message: str
    others: tuple[UUID, ...] = ()
    """Further seats that have a part in it."""


def same_title(title: str) -> str:
    """Titles name seats within an organisation, so they differ in more than capitals."""
    return " ".join(title.split()).casefold()


def flaws(places: Sequence[ChartSeat]) -> list[Flaw]:
    """Everything that keeps these seats from being a valid chart."""
    by_id = {place.id: place for place in places}
    return [
        *_twice(places),
        *_cycles(by_id, "reports_to", "reports to"),
        *_cycles(by_id, "escalates_to", "escalates to"),
        *_downward(by_id),
    ]


def oddities(places: Sequence[ChartSeat]) -> list[Flaw]:
    """What a chart may have but seldom should."""
    by_id = {place.id: place for place in places}
    return [flaw for place in places if (flaw := _odd(place, by_id))]


def above(by_id: Mapping[UUID, ChartSeat], place: ChartSeat, field: str = "reports_to") -> Iterator[ChartSeat]:
    """The line from a seat upward; it ends at the founder, or where it would come round again."""
    seen = {place.id}
    while (up := getattr(place, field)) in by_id and up not in seen:
        seen.add(up)
        place = by_id[up]
        yield place


def _twice(places: Sequence[ChartSeat]) -> Iterator[Flaw]:
    first: dict[str, ChartSeat] = {}
    for place in places:
        known = first.setdefault(same_title(place.title), place)
        if known is not place:
            yield Flaw(
                place.id,
                "title",
                f"there is already a seat {known.title!r}; every seat has a title of its own",
                (known.id,),
            )


def _cycles(by_id: Mapping[UUID, ChartSeat], field: str, words: str) -> Iterator[Flaw]:
    done: set[UUID] = set()
    for start in by_id.values():
        path: list[UUID] = []
        at: UUID | None = start.id
        while at is not None and at in by_id and at not in done and at not in path:
            path.append(at)
            at = getattr(by_id[at], field)
        if at is not None and at in path:
            circle = path[path.index(at) :]
            titles = [by_id[each].title for each in (*circle, at)]
            yield Flaw(at, field, f"{' → '.join(titles)} is a circle: nobody {words} themselves", tuple(circle))
        done.update(path)


def _downward(by_id: Mapping[UUID, ChartSeat]) -> Iterator[Flaw]:
    for place in by_id.values():
        target = by_id.get(place.escalates_to) if place.escalates_to else None
        if target and target.id != place.id and place in above(by_id, target):
            yield Flaw(
                place.id,
                "escalates_to",
                f"{place.title!r} escalates to {target.title!r}, who reports to it; escalate up",
            )


def _odd(place: ChartSeat, by_id: Mapping[UUID, ChartSeat]) -> Flaw | None:
    manager = by_id.get(place.reports_to) if place.reports_to else None
    if manager is None and place.level > 1 and not place.is_cross_cutting:
        return Flaw(place.id, "reports_to", f"{place.title!r} is at level {place.level} but reports to nobody here")
    if manager and manager.level > place.level:
        return Flaw(
            place.id, "level", f"{place.title!r} is at level {place.level}, above {manager.title!r}, whom it reports to"
        )
    return None
