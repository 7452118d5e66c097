"""What was true when, and what we believed when: a generated workload with exact ground truth."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

START = datetime(2024, 1, 1, tzinfo=UTC)
NAMES = ["Ana", "Bo", "Chidi", "Dara", "Eli", "Femi", "Goro", "Hana"]
VALUES = {
    "employer": ["Acme", "Globex", "Initech", "Hooli"],
    "city": ["Lisbon", "Lagos", "Oslo", "Kyoto"],
    "plan": ["free", "team", "business"],
}


@dataclass(frozen=True)
class Saying:
    """On `day` somebody says: from `since` on the value holds (or, with none, is no longer known)."""

    day: int
    subject: str
    relation: str
    value: str | None
    since: int


def workload(seed: int) -> list[Saying]:
    """On time, late, planned, repeated, retracted and corrected sayings, in the order they are learned."""
    rng = random.Random(seed)
    said: list[Saying] = []
    for subject in NAMES:
        for relation, values in VALUES.items():
            day, since, value = rng.randint(0, 40), 0, None
            for _ in range(rng.randint(1, 6)):
                kind = rng.choices(["now", "late", "future", "again", "retract", "correct"], [40, 20, 12, 10, 8, 10])[0]
                other = rng.choice([v for v in values if v != value])
                if kind == "again" and value:
                    said.append(Saying(day, subject, relation, value, since))
                elif kind == "retract" and value:
                    value, since = None, day
                    said.append(Saying(day, subject, relation, None, day))
                elif kind == "correct" and value:
                    value = other
                    said.append(Saying(day, subject, relation, value, since))
                else:
                    shift = {"late": -rng.randint(3, 50), "future": rng.randint(3, 30)}.get(kind, 0)
                    value, since = other, max(0, day + shift)
                    said.append(Saying(day, subject, relation, value, since))
                day += rng.randint(0, 60)
    rng.shuffle(said)
    return sorted(said, key=lambda s: s.day)


def truth(said: list[Saying], subject: str, relation: str, true_at: int, known_at: int) -> str | None:
    """The latest start wins; of equal starts the last one said. Nothing but the rule, written out."""
    best: tuple[int, int] | None = None
    value = None
    for index, s in enumerate(said):
        fits = (s.subject, s.relation) == (subject, relation) and s.day <= known_at and s.since <= true_at
        if fits and (best is None or (s.since, index) > best):
            best, value = (s.since, index), s.value
    return value


def day(number: int) -> str:
    return (START + timedelta(days=number)).isoformat()


async def tell(hq, said: list[Saying]) -> None:
    for s in said:
        hq.clock.set(START + timedelta(days=s.day))
        slot = {"subject": s.subject, "relation": s.relation, "valid_from": day(s.since)}
        if s.value is None:
            await hq.do("fact.retract", **slot)
        else:
            await hq.do("fact.assert", value=s.value, **slot)
    hq.clock.set(START + timedelta(days=2000))


@pytest.mark.parametrize("seed", range(4))
async def test_every_question_about_the_past_is_answered_as_it_was(hq, seed):
    said = workload(seed)
    await tell(hq, said)
    rng = random.Random(seed + 1000)

    wrong = []
    for subject, relation in sorted({(s.subject, s.relation) for s in said}):
        points = sorted({p for s in said if (s.subject, s.relation) == (subject, relation) for p in (s.day, s.since)})
        for _ in range(6):
            true_at = max(0, rng.choice(points) + rng.choice([-1, 0, 1, 7]))
            known_at = max(0, rng.choice(points) + rng.choice([-1, 0, 1, 400]))
            got = await hq.do("fact.get", subject=subject, relation=relation, _at=day(true_at), _known_at=day(known_at))
            if got.get("value") != truth(said, subject, relation, true_at, known_at):
                wrong.append((subject, relation, true_at, known_at, got.get("value")))

    assert wrong == []


async def test_a_planned_change_shows_when_its_moment_comes_and_not_before(hq, clock):
    task = await hq.do("project.create", name="Site", priority="next")
    await hq.do(
        "project.update", ref=task["slug"], priority="now", valid_from=(clock.now() + timedelta(days=2)).isoformat()
    )

    before = (await hq.do("project.list"))["items"][0]["priority"]
    clock.advance(days=3)
    after = (await hq.do("project.list"))["items"][0]["priority"]

    assert (before, after) == ("next", "now")


async def test_a_late_change_does_not_undo_a_later_one_of_the_same_property(hq, clock):
    made = await hq.do("contact.create", name="Ana", valid_from="2025-01-01", email="old@example.com")
    clock.advance(days=1)
    await hq.do("contact.update", ref=made["slug"], email="new@example.com", valid_from="2025-06-01")
    clock.advance(days=1)
    await hq.do("contact.update", ref=made["slug"], email="mid@example.com", phone="1", valid_from="2025-03-01")

    async def email(at: str) -> str:
        return (await hq.do("contact.show", ref=made["slug"], _at=at, _known_at="now"))["props"]["email"]

    assert [await email(f"2025-{m}-02") for m in ("02", "04", "07")] == [
        "old@example.com",
        "mid@example.com",
        "new@example.com",
    ]
    assert (await hq.do("contact.show", ref=made["slug"]))["props"]["phone"] == "1"


async def test_a_link_is_remembered_where_it_pointed_before(hq, clock):
    bo, cy = await hq.do("contact.create", name="Bo"), await hq.do("contact.create", name="Cy")
    ana = await hq.do("contact.create", name="Ana", manager=bo["slug"])
    then = clock.advance(days=1)
    clock.advance(days=1)
    await hq.do("contact.update", ref=ana["slug"], manager=cy["slug"])

    async def people_of(who: str, **how: str) -> list[str]:
        links = (await hq.do("contact.show", ref=who, **how))["links"]
        return [link["slug"] for link in links if link["edge"] == "reports_to" and link["direction"] == "from"]

    assert await people_of(bo["slug"], _at=then.isoformat()) == [ana["slug"]]
    assert await people_of(bo["slug"]) == []
    assert await people_of(cy["slug"]) == [ana["slug"]]


async def test_the_past_cannot_be_written(hq):
    outcome = await hq.call("task.create", title="x", _at="2025-01-01")

    assert outcome.error["code"] == "invalid"
    assert "--valid-from" in outcome.error["message"]


async def test_a_view_without_a_past_says_so_instead_of_ignoring_the_moment(hq):
    outcome = await hq.call("auth.whoami", _at="2025-01-01")

    assert "no view of the past" in outcome.error["message"]


async def test_history_as_of_then_shows_what_was_known_then(hq, clock):
    await hq.do("project.create", name="Site", priority="next")
    then = clock.advance(days=1)
    clock.advance(days=1)
    await hq.do("project.update", ref="site", priority="now")

    assert len((await hq.do("graph.history", ref="site"))["items"]) == 2
    assert len((await hq.do("graph.history", ref="site", _at=then.isoformat()))["items"]) == 1


async def test_a_second_planned_change_does_not_show_before_the_first(hq, clock):
    await hq.do("project.create", name="Site", priority="backlog")
    for days, priority in ((10, "next"), (20, "focus")):
        when = (clock.now() + timedelta(days=days)).isoformat()
        await hq.do("project.update", ref="site", priority=priority, valid_from=when)

    async def shown() -> str:
        return (await hq.do("project.list"))["items"][0]["priority"]

    assert await shown() == "backlog"
    clock.advance(days=11)
    assert await shown() == "next"
    clock.advance(days=10)
    assert await shown() == "focus"


async def test_what_is_changed_at_once_by_many_is_all_there(hq):
    await hq.do("contact.create", name="Ana")
    fields = ["email", "phone", "job_title", "timezone", "style_notes", "preferred_language"]

    await asyncio.gather(*(hq.do("contact.update", ref="ana", **{field: "x"}) for field in fields))

    assert set(fields) <= set((await hq.do("contact.show", ref="ana"))["props"])


async def test_a_process_whose_clock_is_behind_neither_hides_nor_loses_a_change(hq, clock):
    await hq.do("project.create", name="Site")
    clock.advance(seconds=5)
    await hq.do("project.update", ref="site", priority="now")
    clock.advance(seconds=-3)

    await hq.do("project.update", ref="site", repo_url="https://example.com")

    shown = (await hq.do("project.show", ref="site"))["props"]
    assert (shown["priority"], shown["repo_url"]) == ("now", "https://example.com")
    assert len((await hq.do("project.list"))["items"]) == 1


async def test_a_new_link_takes_nothing_over_from_the_one_before_it(hq, clock):
    for name in ("Ana", "Bo", "Cy"):
        await hq.do("contact.create", name=name)
    ends = (clock.now() + timedelta(days=1)).isoformat()
    await hq.do("graph.link", source="ana", edge="reports_to", target="bo", valid_to=ends)
    clock.advance(days=2)

    await hq.do("graph.link", source="ana", edge="reports_to", target="cy")

    assert [x["slug"] for x in (await hq.do("contact.show", ref="ana"))["links"]] == ["cy"]


async def test_a_planned_link_shows_when_its_moment_comes_and_not_before(hq, clock):
    for name in ("Ana", "Bo"):
        await hq.do("contact.create", name=name)
    when = (clock.now() + timedelta(days=2)).isoformat()
    await hq.do("graph.link", source="ana", edge="reports_to", target="bo", valid_from=when)

    async def links(who: str) -> int:
        return len((await hq.do("contact.show", ref=who))["links"])

    assert (await links("ana"), await links("bo")) == (0, 0)
    clock.advance(days=3)
    assert (await links("ana"), await links("bo")) == (1, 1)


async def test_what_ends_before_it_begins_is_refused(hq, clock):
    await hq.do("project.create", name="Site", valid_from="2024-01-01")
    await hq.do("entity.create", name="Acme")
    ends = {"valid_from": "2024-06-01", "valid_to": "2024-05-01"}

    for outcome in (
        await hq.call("project.create", name="Other", **ends),
        await hq.call("project.create", name="Other", valid_to="2024-05-01"),
        await hq.call("project.update", ref="site", priority="now", **ends),
        await hq.call("project.update", ref="site", valid_to="2023-05-01"),
        await hq.call("graph.link", source="site", edge="related_to", target="acme", **ends),
    ):
        assert outcome.error["code"] == "invalid" and "is not after" in outcome.error["message"]
    assert (await hq.call("project.update", ref="site", valid_to="2024-05-01")).ok


async def test_an_end_that_was_said_can_be_taken_away_again(hq, clock):
    await hq.do("project.create", name="Site", valid_to="2190-01-01", confidence=0.5)

    await hq.do("project.update", ref="site", clear=["valid_to", "confidence"])

    shown = await hq.do("project.show", ref="site")
    assert "valid_to" not in shown and "confidence" not in shown
    assert (await hq.call("project.update", ref="site", clear=["nonsense"])).error["code"] == "invalid"
