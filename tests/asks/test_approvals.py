async def test_a_yes_holds_although_what_it_names_came_to_be_meanwhile(hq):
    await hq.do("agent.load")
    chief = await hq.agent("chief")
    hires = [{"name": name, "role": "Painter", "_key": name, "_token": chief} for name in ("Zoe", "Paul")]
    waiting = [(await hq.call("agent.hire", **hire)).data["approval"] for hire in hires]

    for slug in waiting:
        await hq.do("approval.approve", ref=slug)

    assert [(await hq.do("approval.show", ref=slug))["props"]["status"] for slug in waiting] == ["done", "done"]
    assert [(await hq.do("agent.hire", **hire))["slug"] for hire in hires] == ["zoe", "paul"], "who asks again hears so"
