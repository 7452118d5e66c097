"""O3, O5, O14: what a persona can and has learned, what its organisation holds to, and who decides about it reach minds."""

from __future__ import annotations

import pytest

from tests.support.play import Told, house, texts  # noqa: F401
from tests.support.story_worker import worker
from tests.support.supervised import announced

DONE = 'Done. <task-complete reason="done" memory_entry_count="0"/>'


@pytest.fixture
async def forge(house):  # noqa: F811
    hq = house.hq
    await hq.do("tenant.set", name="Acme")
    await hq.do("org.create", template="software-team")
    hired = await hq.do(
        "agent.hire", name="Forge", title="Builder", role="developer", org="Development", about="Builds web apps."
    )
    house.persona = hired["persona_slug"]
    return house


async def asked(house, agent="forge", text="go"):  # noqa: F811
    mind = Told([DONE])
    await house.hq.do("agent.send", agent=agent, text=text)
    await worker(house, mind).run_once()
    return mind.asked[0]


async def test_o3_m14_skill_and_experience_of_a_persona_reach_its_mind(forge):
    await forge.hq.do("persona.write_skill", slug=forge.persona, body="# Forge\n\nWrites tests before code.")
    await forge.hq.do("persona.append_experience", slug=forge.persona, body="Small plans get built.")

    ask = await asked(forge)

    assert "## What you can\nWrites tests before code." in ask.instructions
    assert "## What you have learned\nSmall plans get built." in texts(ask.messages)[0]


async def test_o3_files_nobody_wrote_in_say_nothing(forge):
    ask = await asked(forge)

    assert "## What you can\n" not in ask.instructions and "What you have learned" not in texts(ask.messages)[0]


async def test_o5_each_agent_is_told_its_own_truth(forge):
    ask = await asked(forge)
    told = ask.instructions

    assert "You are **forge**: developer at Acme. Builds web apps." in told
    assert "Your seat is Builder of Development. You report to chief, the CEO." in ask.now
    assert "## What Development holds to" in told and "- Never sacrifice:" in told
    assert "You are **chief**" not in told and "founder talks to you" not in told


async def test_o5_the_ceo_is_told_its_name_the_company_and_how_much_may_be_risked(forge):
    await forge.hq.do("onboard.answer", ceo="Ada", founder="Ana", risk="cautious", skip=["provider"])

    ask = await asked(forge, "chief")
    told = ask.instructions

    assert "You are **chief**, whom the founder calls Ada: Chief of staff at Acme." in told
    assert "You report to the founder." in ask.now and "The founder is Ana. Their risk tolerance is cautious." in told


async def test_o14_the_rules_reach_an_agent_without_files(forge):
    await forge.hq.do("agent.create", name="scout", role="Scout")

    told = (await asked(forge, "scout")).instructions

    assert "# Rules" in told and "You are **scout**: Scout at Acme." in told and "`mission_accept`" in told


async def test_o14_m14_whoever_directs_is_woken_by_a_proposal_and_can_decide_it(forge):
    hq = forge.hq
    await hq.do("org.create", template="solo-founder")
    seat = next(
        each["position_id"]
        for each in (await hq.do("org.vacancies", org="Office"))["items"]
        if each["title"] == "AR Director"
    )
    await hq.do("agent.hire", name="Dora", position_id=seat)
    proposed = await hq.call("persona.create", name="Robbo", role="developer", _token=await hq.agent("forge"))
    slug = proposed.data["approval"]
    await announced(hq)
    await forge.look()
    mind = Told([("org_decide", {"ref": slug, "decision": "yes"}), DONE])
    await worker(forge, mind).run_once()

    ask = next(ask for ask in mind.asked if "You are **dora**" in ask.instructions)
    woken = str(ask.messages[0].parts[0].content)
    assert f"agent:forge would change the organisation: {slug} (persona.create)" in woken and "`org_decide`" in woken
    assert "Waits for your word:" in ask.now and slug in ask.now
    assert "org_decide" in {tool.name for tool in ask.tools}
    assert any(each["name"] == "Robbo" for each in (await hq.do("persona.list"))["items"])
