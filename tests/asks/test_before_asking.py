"""What cannot work is refused before anybody is asked."""

from __future__ import annotations


async def test_a_hire_into_a_seat_that_does_not_exist_is_refused_at_once(hq):
    await hq.do("agent.load")
    await hq.do("org.create", template="software-team")

    told = await hq.call("agent.hire", name="Forge", position_id=4711, _token=await hq.agent("chief"))

    assert told.error["code"] == "not_found"
    assert (await hq.do("ask.list", to="all"))["items"] == []


async def test_a_hire_that_works_is_asked_about_and_leaves_nothing_behind_until_then(hq):
    await hq.do("agent.load")
    hire = {"name": "Forge", "title": "Developer", "role": "developer"}

    told = await hq.call("agent.hire", **hire, _token=await hq.agent("chief"))

    assert told.error["code"] == "waiting"
    assert "forge" not in [each["slug"] for each in (await hq.do("agent.list"))["items"]]
    events = (await hq.do("sql.query", query="select topic from hq.events"))["items"]
    assert not {each["topic"] for each in events} & {"agent.hired", "org.created", "persona.created"}
    approved = await hq.do("ask.answer", ask=told.data["approval"], option="yes")
    assert approved["result"]["ok"], approved
    assert "forge" in [each["slug"] for each in (await hq.do("agent.list"))["items"]]


async def test_a_merge_of_something_with_itself_is_refused_at_once(hq):
    await hq.do("entity.create", name="Acme")

    told = await hq.call("entity.merge", loser="acme", into="acme", _token=await hq.agent("operator"))

    assert not told.ok and told.error["code"] != "waiting"


async def test_a_proposal_that_cannot_work_is_refused_at_once_and_one_that_can_leaves_nothing_behind(hq):
    change = {"verb": "task.complete", "args": {"ref": "no-such-task"}}

    told = await hq.call("proposal.propose", kind="tidy", change=change)

    assert told.error["code"] == "not_found"
    assert (await hq.do("ask.list", to="all"))["items"] == []
    await hq.do("proposal.propose", kind="tidy", change={"verb": "task.create", "args": {"title": "Tidy up"}})
    assert (await hq.do("task.list"))["items"] == []
