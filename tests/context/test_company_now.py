"""Company now, over many states: what it says of agents, missions and asks agrees with itself and with how things are."""

from __future__ import annotations

import random
import re

import pytest

from tests.support.firm import firm
from tests.support.passable import tmp_path

__all__ = ["firm", "tmp_path"]
AT_WORK = ("queued", "running", "waiting")


async def told(firm) -> dict[str, dict[str, str]]:
    """Its sections, each line by what it begins with."""
    shown = (await firm.hq.do("context.show", agent="chief"))["sections"]
    text = "\n".join(each["text"] for each in shown if each["part"] == "now")
    found: dict[str, dict[str, str]] = {}
    section = ""
    for line in text.splitlines():
        if line.startswith("- "):
            found.setdefault(section, {})[re.split(r"[ :]", line[2:])[0]] = line
        else:
            section = line.rstrip(":")
    return found


async def step(firm, chance: random.Random) -> None:
    """Something that happens in a company."""
    hq, agent = firm.hq, chance.choice(["forge", "scout"])
    missions = [each["slug"] for each in (await hq.do("mission.list"))["items"]]
    sessions = [each["session"] for each in await firm.sessions(agent) if each["state"] in AT_WORK]
    pick = chance.choice(missions) if missions else None
    token = await firm.token(agent)
    match chance.randrange(10):
        case 0 | 1:
            parent = {"parent": pick} if pick and chance.random() < 0.4 else {}
            await hq.call("mission.create", title=f"Thing {len(missions)}", deliverables=["A word"], **parent)
        case 2 | 3 if pick:
            await hq.call("mission.assign", ref=pick, to=agent)
        case 4 if pick:
            await hq.call("mission.accept", ref=pick, _token=token)
        case 5 if pick:
            await hq.call("mission.submit", ref=pick, outcome="There.", _token=token)
        case 6 if sessions:
            await hq.call("session.stop", id=chance.choice(sessions), why="out of tokens")
        case 7 if pick:
            await hq.call(chance.choice(["mission.pause", "mission.resume"]), ref=pick, why="the strike is on")
        case 8 if pick:
            await hq.call("escalation.raise", summary=f"Which of {pick}?", mission=pick, _token=token)
        case _ if pick:
            await hq.call(chance.choice(["mission.fail", "mission.sign_off"]), ref=pick, why="no use")


async def check(firm) -> None:
    hq, now = firm.hq, await told(firm)
    staff, open_, ended = now.get("Staff", {}), now.get("Missions", {}), now.get("Ended in the last day", {})
    assert not open_.keys() & ended.keys(), "open and ended at once"
    for agent in ("forge", "scout"):
        live = [each for each in await firm.sessions(agent) if each["kind"] == "agent" and each["state"] in AT_WORK]
        if (line := staff.get(agent)) is None:
            continue  # there was too much else to say
        assert (": free" in line or "not at work" in line) == (not live), (line, live)
        if on := re.search(r": on ([\w-]+)", line):
            assert "nobody works on it" not in open_.get(on[1], ""), (line, open_[on[1]])
        if has := re.search(r"has ([\w-]+), and is not at work", line):
            assert (await firm.status(has[1])) in ("assigned", "planning", "in_progress")
    for slug, line in open_.items():
        if slug == "and":
            continue
        props, tree = await firm.props(slug), await hq.do("mission.tree", ref=slug)
        assert ("nobody works on it" in line) <= (props["status"] in ("assigned", "planning", "in_progress")), line
        assert ("the strike is on" in line) <= (props["status"] == "paused"), line
        under_way = [each for each in tree["items"][1:] if each["status"] in ("assigned", "in_progress")]
        assert not (under_way and ", with nobody" in line), (line, under_way)
    waits = [each["slug"] for each in (await hq.do("ask.list"))["items"]]
    shown = now.get("Waits for the founder's word", {}) | now.get("Waits for your word", {})
    assert set(shown) - {"and"} <= {each["slug"] for each in (await hq.do("ask.list", to="all"))["items"]}
    assert bool(waits) <= bool(now.get("Waits for the founder's word")), "something waits, and nothing is said of it"


@pytest.mark.parametrize("seed", range(6))
async def test_company_now_never_contradicts_itself(firm, seed):
    await firm.hq.do("agent.load")
    chance = random.Random(seed)
    for _ in range(25):
        await step(firm, chance)
        await check(firm)


async def test_a_whole_whose_parts_are_under_way_is_not_with_nobody(firm):
    await firm.hq.do("agent.load")
    whole = await firm.mission("For Friday")
    await firm.at_work("Letter", to="scout", parent=whole, deliverables=["A word"])

    now = await told(firm)

    assert "its parts with scout, 0 of 1 parts done" in now["Missions"][whole]
    assert now["Staff"]["scout"].endswith("on letter") and now["Staff"]["forge"].endswith("free")


async def test_who_has_a_mission_and_stopped_is_not_told_to_be_on_it(firm):
    await firm.hq.do("agent.load")
    mission = await firm.at_work("Letter", deliverables=["A word"])
    [session] = await firm.sessions("forge")
    await firm.hq.do("session.stop", id=session["session"], why="out of tokens")

    now = await told(firm)

    assert "nobody works on it" in now["Missions"][mission]
    assert now["Staff"]["forge"].endswith("has letter, and is not at work on it")
