"""Making two entities one loses nothing that was said of their links."""

from __future__ import annotations

from datetime import timedelta

import pytest


@pytest.fixture
async def two(hq):
    await hq.do("entity.create", name="Acme")
    await hq.do("entity.create", name="Acme Inc")
    await hq.do("project.create", name="Site")
    await hq.do("contact.create", name="Ana")


async def links(hq, slug: str, **more) -> dict:
    shown = await hq.do("graph.describe", ref=slug, **more)
    return {(link["edge"], link["slug"]): link for link in shown["links"]}


async def test_a_link_keeps_since_when_until_when_and_how_sure(hq, two):
    said = {"valid_from": "2024-01-01", "valid_to": "2190-01-01", "confidence": 0.5}
    await hq.do("graph.link", source="site", edge="related_to", target="acme-inc", **said)

    await hq.do("entity.merge", loser="acme-inc", into="acme")

    moved = (await links(hq, "acme"))["related_to", "site"]
    assert moved["since"].startswith("2024-01-01") and moved["until"].startswith("2190-01-01")
    query = "select l.confidence from links l join nodes n on n.id = l.to_id where n.slug = 'acme' and l.type = 'related_to'"
    assert (await hq.do("sql.query", query=query))["items"] == [{"confidence": 0.5}]
    assert ("related_to", "site") not in await links(hq, "acme-inc")


async def test_a_link_in_the_one_place_of_its_kind_keeps_them_too(hq, two):
    await hq.do("graph.link", source="ana", edge="works_for", target="acme-inc", valid_from="2024-01-01")

    await hq.do("entity.merge", loser="acme-inc", into="acme")

    assert (await links(hq, "ana"))["works_for", "acme"]["since"].startswith("2024-01-01")


async def test_a_planned_link_and_a_planned_end_move_along(hq, two, clock):
    soon, later = clock.now() + timedelta(days=1), clock.now() + timedelta(days=3)
    await hq.do("graph.link", source="site", edge="related_to", target="acme-inc", valid_from=soon.isoformat())
    await hq.do("graph.unlink", source="site", edge="related_to", target="acme-inc", valid_from=later.isoformat())

    await hq.do("entity.merge", loser="acme-inc", into="acme")

    assert ("related_to", "site") not in await links(hq, "acme")
    clock.advance(days=2)
    assert ("related_to", "site") in await links(hq, "acme")
    assert ("related_to", "site") not in await links(hq, "acme-inc")
    clock.advance(days=2)
    assert ("related_to", "site") not in await links(hq, "acme")


async def test_a_merge_can_be_taken_back(hq, two):
    await hq.do("graph.link", source="site", edge="related_to", target="acme-inc", valid_from="2024-01-01")
    merged = await hq.call("entity.merge", loser="acme-inc", into="acme")

    await hq.do("action.undo", id=str(merged.action_id))

    assert ("related_to", "site") in await links(hq, "acme-inc")
    assert ("related_to", "site") not in await links(hq, "acme")
