"""Hiring is persona, seat, assignment and configuration in one; succession leaves with the seat what is the seat's."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hq.agents.files.folder import AgentFiles


async def test_hiring_makes_everything_an_agent_is(hq, team):
    hired = await hq.do(
        "agent.hire", name="Forge", org="Development", title="Tool Smith", role="smith", reports_to="Project Manager",
        model="opus", daily_usd_hard=5,
    )  # fmt: skip

    seat = await team.seat("Tool Smith")
    card = await hq.do("org.whoami", persona_slug=hired["persona_slug"])
    described = await hq.do("graph.describe", ref="forge")
    assert (seat["persona_slug"], seat["agents"], seat["reports_to"]) == ("smith-forge-4", ["forge"], "Project Manager")
    assert card["positions"][0]["reporting_line"] == ["Project Manager", "Principal Architect", "founder"]
    assert described["props"]["model"] == "opus" and described["props"]["role"] == "smith"


async def test_an_agent_that_hires_has_to_ask(hq, team):
    asked = await hq.call("agent.hire", name="Forge", position_id=5, _token=await hq.agent("chief"))
    assert asked.error["code"] == "waiting"

    done = await hq.do("approval.approve", ref=asked.data["approval"])

    assert done["result"]["data"]["slug"] == "forge"


async def test_a_seat_has_one_agent_and_a_name_one_bearer(hq, team):
    await hq.do("agent.hire", name="Forge", position_id=5)

    assert "hq agent succeed forge" in (await hq.call("agent.hire", name="Anvil", position_id=5)).error["hint"]
    assert "taken by a agent" in (await hq.call("agent.hire", name="Forge", position_id=4)).error["message"]
    assert (await hq.call("agent.hire", name="Anvil")).error["code"] == "invalid"


async def test_nothing_is_hired_by_halves(hq, team):
    before = await team.document()

    refused = await hq.call("agent.hire", name="Forge", title="Smith", role="smith", reports_to="Nobody")

    assert refused.error["code"] == "not_found"
    assert await team.document() == before and "smith" not in str(await hq.do("role.list"))


async def test_what_belongs_to_the_seat_stays_with_the_seat(hq, team):
    await hq.do("agent.hire", name="Forge", position_id=5, model="opus")
    open_, done = [(await hq.do("task.create", title=title, owner="forge"))["slug"] for title in ("Open", "Done")]
    await hq.do("task.complete", ref=done)
    await hq.do("grant.add", actor="agent:forge", verb="task.archive")

    succeeded = await hq.do("agent.succeed", agent="forge", by="Anvil", model="haiku")

    seat = await team.seat("Developer")
    assert (seat["agents"], seat["persona_slug"]) == (["anvil"], "developer-forge-4")
    assert succeeded["carried"] == {"grant": 1, "task": 1}
    assert await driver(hq, open_) == "anvil" and await driver(hq, done) == "forge"
    assert (await hq.do("graph.describe", ref="anvil"))["props"]["model"] == "haiku"
    assert (await hq.do("graph.describe", ref="forge"))["props"]["status"] == "retired"
    assert [row["actor"] for row in (await hq.do("grant.list"))["items"]] == ["agent:anvil"]


async def test_succession_is_undone_whole(hq, team):
    await hq.do("agent.hire", name="Forge", position_id=5)
    task = (await hq.do("task.create", title="Open", owner="forge"))["slug"]
    done = await hq.call("agent.succeed", agent="forge", by="Anvil")

    await hq.do("action.undo", id=str(done.action_id))

    assert await driver(hq, task) == "forge"
    assert (await team.seat("Developer"))["agents"] == ["forge"]


async def test_who_has_a_seat_cannot_take_another(hq, team):
    await hq.do("agent.hire", name="Forge", position_id=5)
    await hq.do("agent.hire", name="Anvil", position_id=4)

    assert "has a seat already" in (await hq.call("agent.succeed", agent="forge", by="anvil")).error["message"]
    assert "the one who leaves" in (await hq.call("agent.succeed", agent="forge", by="forge")).error["message"]


async def driver(hq, task: str) -> str:
    links = (await hq.do("graph.links", ref=task))["items"]
    return next(link["slug"] for link in links if link["edge"] == "driven_by")


async def files_of(hq):
    folder = Path((await hq.do("agent.load"))["folder"])
    return partial(hq.door.services[AgentFiles].load, folder.parent.name)


async def test_whoever_is_hired_has_files_and_works_by_them_at_once(hq, team):
    about = "Builds | mends tools.\nNothing else."
    await hq.do("agent.hire", name="Forge", position_id=5, about=about, daily_usd_hard=5)

    loaded = (await files_of(hq))("forge")
    definition = loaded.checked()
    assert (definition.role, definition.kind, definition.budget.daily_usd_hard) == ("developer", "team", 5)
    told = (await hq.do("context.show", agent="forge"))["text"]
    assert (
        "You are **forge**: developer at" in told
        and "Builds | mends tools. Nothing else.\n" in told
        and "\nYour seat is Developer of" in told
    )
    props = (await hq.do("graph.describe", ref="forge"))["props"]
    assert props["version"] == loaded.version and "mission" in props["tools"]
    await hq.do("agent.check", agent="forge")


async def test_a_hire_that_was_taken_back_does_not_return_by_its_files(hq, team):
    hired = await hq.call("agent.hire", name="Forge", position_id=5)
    await hq.do("action.undo", id=str(hired.action_id))

    await hq.do("agent.load")

    assert "forge" not in {row["agent"] for row in (await hq.do("agent.roster"))["items"]}


async def test_a_successor_takes_over_what_its_predecessor_s_files_say(hq, team):
    await hq.do("agent.hire", name="Forge", position_id=5)
    folder = Path((await hq.do("agent.load"))["folder"])
    (folder / "forge" / "playbook.md").write_text("# Playbook\n\nMeasure twice.\n")

    await hq.do("agent.succeed", agent="forge", by="Anvil")

    anvil = (await files_of(hq))("anvil")
    assert anvil.checked().name == "anvil" and "Measure twice." in anvil.instructions
