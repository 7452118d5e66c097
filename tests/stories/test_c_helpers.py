"""C10: sub-agents and project agents, on demand, named as in the seed, and capped."""

from __future__ import annotations

import pytest

from tests.support.play import Told, house  # noqa: F401
from tests.support.story_worker import worker

NAMED = {
    "chief": {
        "email-drafter", "proposal-writer", "customer-brief", "customer-deep-dive", "pipeline-analyst", "kb-search", "explore",
        "code-reviewer", "test-engineer",
    },
    "operator": {"code-reviewer", "test-engineer", "debugger", "database-specialist", "kb-ingest", "explore"},
}  # fmt: skip
DONE = '<task-complete reason="done" memory_entry_count="0"/>'


@pytest.mark.parametrize("agent", NAMED)
async def test_c10_the_named_helpers_are_there_and_two_at_most_are_at_work(house, agent):  # noqa: F811
    hq = house.hq
    token = await hq.agent(agent)
    offered = {each["name"] for each in (await hq.do("subagent.list", _token=token))["items"]}
    assert offered >= NAMED[agent], NAMED[agent] - offered

    runs = [
        await hq.call("subagent.run", subagent="explore", task=f"{n}", background=True, _token=token) for n in range(3)
    ]
    assert [run.ok for run in runs] == [True, True, False] and runs[2].code == "conflict"


async def test_c10_a_project_is_run_from_its_own_files_and_one_at_a_time(house):  # noqa: F811
    hq = house.hq
    await hq.do("project.create", name="Website", description_md="The company's site.")
    ran = await hq.call("project.run", project="website", task="Fix the typo")
    assert ran.code == "waiting"
    assert (await hq.call("project.run", project="website", task="Another")).code == "conflict"
    mind = Told([f"Fixed.\n{DONE}"])
    await worker(house, mind).run_once()

    [asked] = mind.asked
    assert "You work on one project, `website`" in asked.instructions and "The company's site." in asked.instructions
    [row] = (await hq.do("worker.list"))["items"]
    assert row["status"] == "success"


async def test_c10_the_ceo_is_told_when_to_act_when_to_send_somebody_and_whom_to_ask(house):  # noqa: F811
    mind = Told(["Hello."])
    await house.hq.do("chat.say", text="Hello.")
    await worker(house, mind).run_once()

    told = " ".join(mind.asked[0].instructions.split())
    assert "Long or many sources go to `subagent_run`" in told
    assert "changed by **operator**" in told and "put it before the founder" in told
    offered = {tool.name for tool in mind.asked[0].tools}
    assert "subagent_run" not in offered and "hq" in offered, "what is not offered is found by that"
    assert "`hq`" in told
