"""A verb inside a verb: judged as whoever calls, with its own row in the ledger, made or not made with the other."""

from __future__ import annotations


async def test_what_a_call_made_inside_is_in_the_ledger_and_goes_back_with_it(hq):
    await hq.hired("forge")
    paused = await hq.call("agent.pause", agent="forge")

    await hq.do("action.undo", id=str(paused.action_id))

    (inner,) = (await hq.do("action.list", verb="agent.resume"))["items"]
    shown = await hq.do("action.show", id=inner["action"])
    assert shown["kind"] == "inner"
    again = await hq.call("action.undo", id=inner["action"])
    assert again.error["code"] == "blocked" and "part of" in again.error["message"]


async def test_taking_back_is_no_way_around_who_may(hq):
    token, _ = await hq.hired("scout"), await hq.hired("forge")
    paused = await hq.call("agent.pause", agent="forge")

    taken_back = await hq.call("action.undo", id=str(paused.action_id), _token=token)

    assert taken_back.error["code"] == "not_found"
    assert (await hq.do("agent.show", ref="forge"))["props"]["status"] == "paused"


async def test_what_one_may_not_do_one_does_not_take_back(hq):
    forge, _ = await hq.hired("forge"), await hq.hired("scout")
    await hq.do("mission.create", title="Ship")
    moved = await hq.call("mission.update", ref="ship", title="Ship it")

    taken_back = await hq.call("action.undo", id=str(moved.action_id), _token=forge)

    assert taken_back.error["code"] == "not_found"
    assert (await hq.do("mission.show", ref="ship"))["props"]["title"] == "Ship it"
