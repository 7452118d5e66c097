"""Lists give the same answer whichever way they are found."""

from __future__ import annotations

import pytest

from hq.graph import view


@pytest.fixture
async def company(hq):
    """Tasks of two drivers in two projects; some of them were somebody else's once."""
    for name in ("Ana", "Bo"):
        await hq.do("contact.create", name=name)
        await hq.do("project.create", name=f"Project {name}")
    for n in range(6):
        driver, project = ("ana" if n % 2 else "bo"), ("project-ana" if n < 4 else "project-bo")
        await hq.do("task.create", title=f"T{n}", owner=driver, project=project)
    return hq


async def titles(hq, **wanted) -> list[str]:
    return [row["title"] for row in (await hq.do("task.list", **wanted))["items"]]


@pytest.mark.parametrize("few", [0, 2, 1000])
async def test_a_list_by_what_it_is_joined_to_is_the_same_for_few_and_for_many(company, monkeypatch, clock, few):
    monkeypatch.setattr(view, "FEW", few)
    before = clock.now().isoformat()
    clock.advance(hours=1)
    for n in (1, 3):
        await company.do("task.update", ref=f"t{n}", owner="bo")

    assert await titles(company, owner="ana") == ["T5"]
    assert await titles(company, owner="bo") == ["T4", "T3", "T2", "T1", "T0"]
    assert await titles(company, owner="bo", project="project-ana", limit=3) == ["T3", "T2", "T1"]
    assert await titles(company, owner="ana", _at=before) == ["T5", "T3", "T1"]
    assert await titles(company, owner="ana", project="project-bo", _at=before) == ["T5"]
