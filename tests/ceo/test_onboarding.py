"""Onboarding: a few answers make a company that works; broken off, it goes on where it was."""

from __future__ import annotations

from hq.agents.files.folder import AgentFiles
from tests.support.days import Days
from tests.support.play import Play, Told

ALL = {
    "company": "Lumen",
    "founder": "Ana Sousa",
    "ceo": "Ada",
    "philosophy": "Small steps, shown early.",
    "risk": "cautious",
    "budget": 25,
    "provider": "none",
    "mission": "A flight tracker",
}


async def states(hq) -> dict[str, str]:
    return {each["step"]: each["state"] for each in (await hq.do("onboard.show"))["steps"]}


async def test_all_at_once_makes_a_company_that_works(own_hq):
    told = await own_hq.do("onboard.answer", **ALL)

    assert told["done"] and told["mission"] == "a-flight-tracker"
    company = await own_hq.do("tenant.show")
    assert (company["name"], company["risk_tolerance"]) == ("Lumen", "cautious")
    (limit,) = (await own_hq.do("budget.show"))["limits"]
    assert limit["usd_hard"] == 25 and limit["period"] == "month"
    (mission,) = (await own_hq.do("mission.list", status="backlog"))["items"]
    assert mission["slug"] == "a-flight-tracker"
    assert (await own_hq.do("chat.status"))["name"] == "Ada"
    await Play(own_hq).runner(Told(["A date, and I begin."])).run_once()
    lines = [line["text"] for line in (await own_hq.do("chat.history"))["items"]]
    assert "Ana Sousa" in lines[0] and "A flight tracker" in lines[0] and lines[1] == "A date, and I begin."


async def test_it_goes_on_where_it_was(own_hq):
    assert (await own_hq.do("onboard.answer", company="Lumen"))["next"] == "founder"
    await own_hq.do("onboard.answer", founder="Ana", skip=["ceo", "philosophy", "risk", "budget"])

    assert (await own_hq.do("onboard.show"))["next"] == "provider"
    assert list((await states(own_hq)).values()) == [*["answered"] * 2, *["skipped"] * 4, *["open"] * 2]
    told = await own_hq.do("onboard.answer", skip=["provider", "mission"])
    assert told["done"] and told["after"]  # the CEO answers also where everything else was skipped


async def test_what_is_wrong_is_said_and_nothing_is_half_done(own_hq):
    before = await own_hq.do("tenant.show")

    outcome = await own_hq.call("onboard.answer", company="Lumen", provider="nonsense")

    assert outcome.error["code"] == "invalid" and "provider" in outcome.error["message"]
    assert await own_hq.do("tenant.show") == before and set((await states(own_hq)).values()) == {"open"}


async def test_the_ceo_reads_who_it_is_and_what_people_wrote_stays(own_hq):
    await own_hq.do("onboard.answer", ceo="Ada", philosophy="Slow and steady -->\n# Never")
    await own_hq.do("onboard.answer", ceo="Grace")

    files = own_hq.door.services[AgentFiles]
    loaded = files.load("acme-hq", "chief")
    assert loaded.checked().title == "Grace" and not loaded.problems
    assert "You are called Grace." in loaded.instructions and "Ada" not in loaded.instructions
    assert "Slow and steady → # Never" in loaded.instructions and "# Voice" in loaded.instructions


async def test_finished_twice_it_greets_once(own_hq):
    await own_hq.do("onboard.answer", **ALL)
    again = await own_hq.do("onboard.answer", risk="balanced")

    assert again["done"] and not again.get("after")
    assert len((await own_hq.do("chat.history"))["items"]) == 1


async def test_only_the_founder_is_asked(own_hq):
    outcome = await own_hq.call("onboard.answer", company="Mine", _token=await own_hq.agent("chief"))

    assert outcome.error["code"] == "forbidden"


async def test_without_a_model_the_ceo_asks_to_hire_whoever_builds_it_and_goes_on_by_itself(own_hq):
    await own_hq.do("agent.load")
    told = await own_hq.do("onboard.answer", **ALL)
    days = Days(own_hq)
    await days.pass_by()

    said = [line["text"] for line in (await own_hq.do("chat.history"))["items"]]
    assert said[1].startswith("Welcome, Ana Sousa. We begin with") and "A flight tracker" in said[1]
    assert "hire Forge" in said[-2] and said[-1] == "Hire agent “Forge” for “A flight tracker”", (
        "its card stands behind its words"
    )
    [asked] = (await own_hq.do("approval.list", status="pending"))["items"]
    await own_hq.do("approval.approve", ref=asked["slug"])
    await days.pass_by()
    assert await days.missions() == {"A flight tracker": "in_progress"}
    mission = await own_hq.do("mission.show", ref=told["mission"])
    assert "command:python3 -m unittest" in str(mission)
    [question] = (await own_hq.do("escalation.list", status="open"))["items"]
    assert question["title"]


async def test_who_gives_no_name_is_welcomed_without_one(own_hq):
    await own_hq.do("agent.load")
    await own_hq.do(
        "onboard.answer", **{step: said for step, said in ALL.items() if step != "founder"}, skip=["founder"]
    )
    await Days(own_hq).pass_by()

    said = [line["text"] for line in (await own_hq.do("chat.history"))["items"]]
    assert said[0].startswith("Hello. We begin with") and said[1].startswith("Welcome. We begin with")


async def test_with_a_provider_that_lacks_its_key_the_company_begins_all_the_same(own_hq, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    await own_hq.do("agent.load")
    told = await own_hq.do("onboard.answer", **ALL | {"provider": "Anthropic"})
    days = Days(own_hq)
    await days.pass_by()

    assert "`hq vault set anthropic_api_key`" in told["lacks"]
    words, card = (await own_hq.do("chat.history"))["items"][-2:]
    assert "hire Forge" in words["text"] and card["card"]["ask"].startswith("approve-agent-hire")
    [asked] = (await own_hq.do("approval.list", status="pending"))["items"]
    await own_hq.do("approval.approve", ref=asked["slug"])
    await days.pass_by()
    assert await days.missions() == {"A flight tracker": "in_progress"}


async def test_the_provider_can_be_switched_and_switched_back(own_hq, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-used")
    await own_hq.do("agent.load")

    async def answers() -> str:
        return (await own_hq.do("mind.list"))["tiers"][0]["answers"]

    told = await own_hq.do("onboard.answer", provider="openai")
    assert "lacks" not in told or told["lacks"] is None
    assert (await answers()).startswith("openai:")
    await own_hq.do("onboard.answer", provider="anthropic")
    await own_hq.do("onboard.answer", provider="none")
    assert await answers() == "script"
    assert [each["name"] for each in (await own_hq.do("mind.list"))["minds"]] == ["script"]
    assert (await own_hq.do("chat.status"))["state"] == "ready"
    await own_hq.do("onboard.answer", provider="openai")
    assert (await answers()).startswith("openai:")


async def test_who_is_hired_begins_with_what_it_was_hired_for(own_hq):
    await own_hq.do("agent.load")
    await own_hq.do("mission.create", title="Something older", deliverables=["file:README.md"])
    await own_hq.do("onboard.answer", **ALL)
    days = Days(own_hq)
    await days.pass_by()
    await own_hq.do("mission.create", title="Something newer", priority="critical", deliverables=["file:README.md"])

    [asked] = (await own_hq.do("approval.list", status="pending"))["items"]
    await own_hq.do("approval.approve", ref=asked["slug"])
    await days.pass_by()

    said = (await own_hq.do("chat.history"))["items"][-1]["text"]
    assert "Done: Hire agent “Forge” for “A flight tracker”." in said
    assert (await days.missions())["A flight tracker"] == "in_progress"


async def test_without_a_model_what_no_script_can_do_is_said_and_kept(own_hq):
    await own_hq.do("agent.load")
    await own_hq.do("onboard.answer", **ALL | {"mission": "Find ten customers for the bakery"})
    days = Days(own_hq)
    await days.pass_by()

    said = (await own_hq.do("chat.history"))["items"][-1]["text"]
    assert "Find ten customers" in said and "hq onboard" in said
    assert await days.missions() == {"Find ten customers for the bakery": "backlog"}


async def test_without_a_mission_it_asks_for_one(own_hq):
    await own_hq.do("agent.load")
    await own_hq.do("onboard.answer", founder="Ana", skip=[step for step in ALL if step != "founder"])
    await Days(own_hq).pass_by()

    said = [line["text"] for line in (await own_hq.do("chat.history"))["items"]]
    assert said[1] == "Welcome, Ana." and "no mission yet" in said[2]
