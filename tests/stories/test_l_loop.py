"""L1, L2, L4, L5 and L6: the CEO's loop as a founder lives it: what is noticed once, what is said, pressed and read."""

from __future__ import annotations

import asyncio

import pytest

from hq.ceo.heartbeat import JOBS
from hq.database.migrate import Migrated
from hq.headquarters import Headquarters
from hq.jobs.job import Every
from tests.support.play import Play, Told
from tests.support.streams import (
    announcing,
    served,
    settings,  # noqa: F401
)

SKILL = {
    "path": "SKILL.md",
    "content": "---\nname: bird-watching\ndescription: Watch birds.\n---\nLook up.\n",
}
TEN = {
    "founder_message",
    "task_done",
    "approval_waiting",
    "approval_resolved",
    "backlog",
    "overload",
    "missing_skill",
    "budget",
    "approval_stale",
    "silence",
}


async def test_l1_a_beat_loads_evaluates_decides_acts_and_tells_with_nobody_looking(heart):
    hq = heart.hq
    [job] = [job for job in JOBS if job.name == "heartbeat"]
    assert [each.seconds for each in job.on if isinstance(each, Every)] == [30]
    await hq.do("agent.create", name="scout", role="Researcher")
    await hq.do("mission.create", title="Research the market")
    before = (await hq.do("chat.status"))["unread"]

    assert await heart.beat(minutes=11) == 1

    assert (await hq.do("mission.show", ref="research-the-market"))["props"]["status"] == "assigned"
    assert await heart.titles() == ["I went through the backlog and gave out a mission"]
    assert (await hq.do("chat.status"))["unread"] == before + 1
    assert await heart.beat(seconds=30) == 0, "and an idle beat does nothing"


async def test_l2_each_of_the_ten_is_noticed_once_and_none_at_every_beat(heart):
    hq = heart.hq
    await hq.do("ceo.quiet", hours="off")
    await heart.beat(hours=30)  # nothing happens: silence
    await hq.do("chat.say", text="Hello?")  # founder_message, for nobody answers
    await hq.do("budget.set", on="company", period="day", usd_hard=5)
    near = {"scope": "tenant", "period": "day", "measure": "usd", "spent": 4.1, "hard": 5}
    await hq.do("budget.warn", **near, began_at=hq.clock.now().replace(hour=0).isoformat())  # budget
    await hq.do("skill.import", name="bird-watching", files=[SKILL])
    for title in ("Bird watching in May", "Paint the fence", "Mow the lawn"):
        await hq.do("mission.create", title=title)  # missing_skill, and overload: there is nobody
    await heart.beat(minutes=11)
    await hq.do(
        "agent.create", name="scout", role="Gardener", description="Does bird watching, mows lawns, paints fences."
    )
    asked = await heart.approval()
    await heart.beat(minutes=11)  # backlog, approval_waiting
    [given, *_] = [each for each in (await hq.do("mission.list"))["items"] if each["status"] == "assigned"]
    await hq.do("mission.fail", ref=given["slug"], why="It rained.", _token=await hq.agent("scout"))
    await heart.beat(hours=4)  # task_done, approval_stale
    await hq.do("approval.reject", ref=asked, note="no")
    await heart.beat(minutes=1)  # approval_resolved

    noticed = await heart.noticed()
    assert set(noticed) >= TEN, TEN - set(noticed)
    once = TEN - {"backlog", "overload"}  # each is another matter with another mission, another agent
    assert {name: noticed.count(name) for name in once} == dict.fromkeys(once, 1)
    for _ in range(20):
        await heart.beat(seconds=30)
    assert await heart.noticed() == noticed


@pytest.mark.parametrize("kind", ["hire", "skill", "budget", "report", "mission", "alert", "choice"])
async def test_l4_a_card_of_every_kind_is_pressed_once_however_often_it_is_clicked(heart, kind):
    hq = heart.hq
    make = {"key": "make", "label": "Hire", "verb": "agent.create", "args": {"name": "Forge", "role": "Engineer"}}
    card = (await hq.do("card.send", kind=kind, title="Shall I?", buttons=[make, {"key": "no", "label": "No"}]))["id"]

    pressed = await asyncio.gather(*(hq.call("card.press", card=card, button="make") for _ in range(3)))

    assert any(each.ok for each in pressed)
    made = [each["verb"] for each in (await hq.do("action.list", limit=100))["items"] if each["status"] == "ok"]
    assert made.count("agent.create") == 1
    other = await hq.call("card.press", card=card, button="no")
    assert other.data["already"], "who comes second is told"


async def test_l5_badge_pip_and_link_say_that_the_ceo_wants_to_talk(heart):
    hq = heart.hq
    ready = await hq.do("chat.status")
    assert (ready["state"], ready["unread"]) == ("ready", 0)
    slug = await heart.approval()
    await heart.beat(minutes=11)

    waiting = await hq.do("chat.status")

    assert waiting["state"] == "waiting" and "wants to talk to you" in waiting["why"] and waiting["unread"] == 1
    [card] = await heart.cards()
    assert slug in str(card), "it leads to what waits"
    await hq.do("approval.reject", ref=slug, note="no")
    await hq.do("chat.read")
    read = await hq.do("chat.status")
    assert (read["state"], read["unread"]) == ("ready", 0)


async def test_l6_two_devices_read_the_same_words_while_they_are_said_and_find_them_again(own_hq, settings):  # noqa: F811
    await own_hq.do("agent.create", name="scout", role="Scout")
    phone = (await own_hq.do("auth.token", device="phone"))["token"]
    house = Headquarters(settings, own_hq.address, own_hq.door, own_hq.token, own_hq.clock, Migrated((), 1))
    async with served(house) as server, announcing(house):
        streams = [
            await server.follow("?agent=scout", path="/api/chat/stream", **more) for more in ({}, {"token": phone})
        ]
        for stream in streams:
            await stream.until("ready")
        await own_hq.do("chat.say", agent="scout", text="Tell me", _token=phone)
        await Play(own_hq).runner(Told(["Once upon a time."])).run_once()
        heard = []
        for stream in streams:
            lines = [(await stream.until("line")).data for _ in range(2)]
            heard.append([(line["role"], line["text"]) for line in lines])

    assert heard == [[("user", "Tell me"), ("assistant", "Once upon a time.")]] * 2
    kept = (await own_hq.do("chat.history", agent="scout"))["items"]
    assert [line["text"] for line in kept] == ["Tell me", "Once upon a time."]
