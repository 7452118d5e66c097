"""A node with very many links says so, and shows them page by page."""

from __future__ import annotations

from hq.door.verbs import links


async def test_links_that_are_left_out_are_announced_and_can_be_paged(hq, monkeypatch):
    monkeypatch.setattr(links, "SHOWN", 3)
    await hq.do("entity.create", name="Acme")
    for number in range(5):
        await hq.do("project.create", name=f"Site {number}")
        await hq.do("graph.link", source=f"site-{number}", edge="related_to", target="acme")

    for verb in ("entity.show", "graph.describe"):
        shown = await hq.do(verb, ref="acme")
        assert len(shown["links"]) == 3 and "hq graph links acme" in shown["links_more"]
    assert "links_more" not in await hq.do("project.show", ref="site-1")

    first = await hq.do("graph.links", ref="acme", limit=3)
    second = await hq.do("graph.links", ref="acme", limit=3, after=int(first["next"]))
    assert [x["slug"] for x in first["items"] + second["items"]] == [f"site-{n}" for n in range(5)]
    assert "next" not in second
    assert (await hq.do("graph.links", ref="acme", edge="about"))["items"] == []
    assert "did you mean" in (await hq.call("graph.links", ref="acme", edge="abaut")).error["message"]
