"""An approval that nobody decides: nudged, escalated, expired; the founder sees each step once, and who waited goes on."""

from __future__ import annotations

from tests.support.play import DONE, Told, route, texts

WAITS, URGENT = "We need to talk: an approval waits for you", "After three days without a word it is off."
OVER = "Nobody decided, so an approval has run out"


def said(card: dict) -> str:
    """What the CEO says: beside what is asked, or by itself."""
    return card["remark"]["text"] if "remark" in card else card["title"]


async def approval(heart, slug: str) -> dict:
    return (await heart.hq.do("approval.show", ref=slug))["props"]


async def test_it_is_nudged_twice_escalated_and_expired_each_told_once(heart):
    slug = await heart.approval()
    told = []
    for hours in range(1, 90):
        await heart.beat(hours=1)
        if len(cards := await heart.cards()) > len(told):
            told = [(said(card), card["severity"]) for card in cards]
            assert len(told) <= 5, hours

    titles = [title for title, _ in told]
    assert all(title.startswith(WAITS) for title in titles[:4]) and titles[4:] == [OVER]
    assert [severity for _, severity in told] == ["info", "info", "info", "warning", "warning"]
    found = await approval(heart, slug)
    assert found["status"] == "expired"
    urgent, over = (await heart.cards())[3:]
    assert URGENT in said(urgent) and "entity.merge" in over["facts"][0]["name"]
    told_to_all = (await heart.hq.do("events.list", topics=["approval.*"]))["items"]
    steps = ["requested", "nudged", "nudged", "escalated", "expired"]
    assert sorted(each["topic"] for each in told_to_all) == sorted(f"approval.{step}" for step in steps)


async def test_back_from_a_downtime_only_the_last_step_is_told(heart):
    slug = await heart.approval()
    await heart.beat(hours=30)
    assert [said(card).partition(",")[0] for card in await heart.cards()] == [WAITS]

    await heart.beat(hours=100)

    assert (await heart.titles())[1:] == [OVER]
    assert (await approval(heart, slug))["status"] == "expired"


async def test_in_quiet_hours_it_is_held(heart):
    await heart.hq.do("ceo.quiet", hours="00:00-23:59")
    await heart.approval()
    await heart.beat(hours=5)

    assert [card["state"] for card in await heart.cards()] == ["held"]


async def test_what_was_decided_is_not_nudged(heart):
    slug = await heart.approval()
    await heart.hq.do("approval.reject", ref=slug)
    await heart.beat(hours=100)

    assert not [card for card in await heart.cards() if "approval" in said(card)]
    late = await heart.hq.call("ask.remind", ask=slug)
    assert late.error["code"] == "conflict" and "already rejected" in late.error["message"]


async def test_what_can_still_be_decided_does_not_expire_and_no_agent_ends_it(heart):
    slug = await heart.approval()

    assert "can still be answered" in (await heart.hq.call("ask.expire", ask=slug)).error["message"]
    ours = await heart.hq.call("ask.expire", ask=slug, _token=await heart.hq.agent("chief"))
    assert ours.error["code"] == "forbidden"


async def test_the_agent_that_waited_hears_it_and_ends(play, heart):
    hq = heart.hq
    for name in ("Acme", "Acme Inc"):
        await hq.do("entity.create", name=name)
    mind = Told([("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"}), DONE])
    session, ended = await play.run(mind)
    assert ended.state == "waiting"

    await heart.beat(hours=73)
    await route(hq)
    await play.runner(mind).run_once()

    assert play.ended[session].state == "done"
    assert "nobody decided" in str(texts(mind.asked[-1].messages))
