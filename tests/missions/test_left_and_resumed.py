"""A mission that its agent only says is done: it is told once that it is open; who goes on with it later has its brief."""

from __future__ import annotations

from tests.support.play import DONE, Told, texts
from tests.support.story_worker import worker


async def test_a_word_that_it_is_done_does_not_end_an_open_mission(own_firm, own_hq):
    mission = await own_firm.mission()
    await own_hq.do("mission.assign", ref=mission, to="forge")
    mind = Told([DONE, ("mission_accept", {"ref": mission}), DONE])

    while await worker(own_firm, mind).run_once():
        pass

    told = [text for text in texts(mind.asked[-1].messages) if text.startswith("Your mission is open")]
    assert len(told) == 1 and "mission_submit" in told[0], "once, not for ever"
    assert [each["state"] for each in await own_firm.sessions("forge")] == ["done"]
    assert (await own_hq.do("agent_incident.list"))["items"] == []


async def test_who_gave_a_mission_back_or_asked_is_not_told_that_it_is_open(own_firm, own_hq):
    back, asks = await own_firm.mission("Build the shop"), await own_firm.mission("Build the page")
    for mission in (back, asks):
        await own_hq.do("mission.assign", ref=mission, to="forge")
    await own_hq.call("escalation.raise", summary="Which?", mission=asks, _token=await own_firm.token("forge"))
    await own_hq.do("mission.decline", ref=back, why="No time.", _token=await own_firm.token("forge"))
    mind = Told([DONE])

    while await worker(own_firm, mind).run_once():
        pass

    assert not any("Your mission is open" in text for ask in mind.asked for text in texts(ask.messages))


async def test_who_goes_on_with_a_mission_has_its_brief_as_it_is_now(firm, hq):
    await firm.hire(name="chief", role="CEO", kind="ceo")
    mission = await firm.mission("Write the post", description="For Blue Sky.", deliverables=["file:post.md"])
    await hq.do("mission.assign", ref=mission, to="forge")
    await hq.do("mission.pause", ref=mission, why="Wait.")
    await hq.do("mission.update", ref=mission, acceptance_criteria=["Names the price"])

    await hq.do("mission.resume", ref=mission, note="The founder says: finish it.")

    text = (await hq.do("session.show", id=(await firm.sessions("forge"))[0]["session"]))["trigger"]["text"]
    assert "MISSION BRIEF (write-the-post):\nWrite the post\nFor Blue Sky." in text and "- Names the price" in text
    assert "The founder says: finish it." in text.splitlines()[-2] and "Begin with mission_accept" not in text


async def test_work_without_an_app_is_not_told_how_one_is_opened(firm, hq):
    mission = await firm.mission("Packing list", deliverables=["file:packing-list.md", "it is read to me"])
    await hq.do("mission.assign", ref=mission, to="forge")

    text = (await hq.do("session.show", id=(await firm.sessions("forge"))[0]["session"]))["trigger"]["text"]

    assert "What is in it when you hand in is what is checked." in text and "DATA_DIR" not in text
