"""J-10: what `hq context show` prints is what the mind gets: compared with the wire, part by part."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.heart import Heart
from tests.support.provider_by_hand import Answered, Line, answered_by_hand, house  # noqa: F401
from tests.support.supervised import announced

LIST = Line("I look.", calls=[("mission_list", "{}")])


def parts(shown: dict[str, Any], part: str) -> list[dict[str, Any]]:
    return [each for each in shown["sections"] if each["part"] == part]


def joined(shown: dict[str, Any], part: str) -> str:
    return "\n\n".join(each["text"] for each in parts(shown, part))


def sent(body: dict[str, Any]) -> tuple[str, list[dict[str, Any]], list[str]]:
    """Of a request: the system prompt, the tools, and the texts of the messages."""
    if "system" in body:
        system = (
            "".join(each["text"] for each in body["system"]) if isinstance(body["system"], list) else body["system"]
        )
        tools = [{"name": each["name"], "description": each["description"]} for each in body["tools"]]
        return system, tools, [text for each in body["messages"] for text in texts(each["content"])]
    system, *rest = body["messages"]
    tools = [{key: each["function"][key] for key in ("name", "description")} for each in body["tools"]]
    said = []
    for each in rest:
        said += texts(each.get("content"))
        said += [f"{call['function']['name']} {call['function']['arguments']}" for call in each.get("tool_calls", ())]
    return system["content"], tools, said


def texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    found: list[str] = []
    for each in content or ():
        if each["type"] == "tool_use":
            found.append(f"{each['name']} {json.dumps(each['input'])}")
            continue
        inner = each.get("content", each.get("text", ""))
        found += texts(inner) if isinstance(inner, list) else [inner]
    return [each for each in found if each]


async def talked(house, wire: str, agent: str = "chief") -> tuple[Answered, dict[str, Any], dict[str, Any]]:  # noqa: F811
    """A conversation; what is shown of it before the founder's next word, and what is sent then."""
    by_hand = await answered_by_hand(house, [LIST, Line("Nothing yet."), Line("Good.")], wire)
    await by_hand.say("What do we do?", agent)
    await by_hand.work()
    shown = await house.hq.do("context.show", agent=agent)
    await by_hand.say("Good, thanks.", agent)
    await by_hand.work()
    return by_hand, shown, by_hand.provider.bodies[-1]


@pytest.mark.parametrize("wire", ["anthropic", "chat"])
@pytest.mark.parametrize("agent", ["chief", "operator", "forge"])
async def test_j10_what_is_shown_is_what_goes_over_the_wire(house, wire, agent):  # noqa: F811
    if agent == "forge":
        await house.hq.do("agent.hire", name="forge", title="Developer", role="developer")
    _, shown, body = await talked(house, wire, agent)

    system, tools, said = sent(body)
    assert joined(shown, "system") == system
    assert [each["name"] for each in parts(shown, "tools")] == [each["name"] for each in tools]
    assert [each["text"] for each in parts(shown, "tools")] == [
        f"{each['name']}: {each['description']}" for each in tools
    ]
    new = 1 if wire == "chat" else 2  # where turns alternate, what is said and what is so now are one
    assert joined(shown, "history").replace("\n\n", "\n") == "\n".join(said[:-new]).replace("\n\n", "\n"), (
        "word for word, up to what is new"
    )
    now = shown["text"][shown["text"].rindex("<company-now>\n") :]
    assert said[-new:] == (["Good, thanks.\n\n" + now] if wire == "chat" else ["Good, thanks.", now]), (
        "and what is so now, last"
    )
    assert shown["tokens"] == sum(each["tokens"] for each in shown["sections"])


async def test_j10_the_company_is_called_by_its_own_name(house):  # noqa: F811
    name = (await house.hq.do("tenant.show"))["name"]
    assert name and name != "Office"

    assert name in joined(await house.hq.do("context.show", agent="chief"), "system")


async def test_j10_the_prompt_of_the_heartbeat_is_shown_as_it_is_sent(house):  # noqa: F811
    hq = house.hq
    await hq.do("onboard.answer", philosophy="Slow and sure.")
    await hq.do("budget.set", on="chief", period="day", usd_hard=7)
    await hq.do("agent.hire", name="forge", title="Developer", role="developer")
    await hq.do("mission.create", title="Develop a trip planner")
    await hq.call("agent.hire", name="Anvil", title="Smith", role="smith", _token=await hq.agent("chief"))
    by_hand = await answered_by_hand(house, [Line("[]")])
    heart = Heart(hq)
    hq.clock.advance(minutes=11)
    await announced(hq)

    shown = await hq.do("ceo.prompt")
    await heart.look()

    [body] = by_hand.provider.bodies
    system, said = "".join(each["text"] for each in body["system"]), texts(body["messages"][0]["content"])
    assert joined(shown, "system") == system
    assert [joined(shown, "now")] == said
    company = (await hq.do("tenant.show"))["name"]
    assert company in system and "Slow and sure." in system
    for told in ("waits for the founder", "approve-agent-hire", "spent", "of 7.00 US dollars", "what happened last"):
        assert told in said[0], told
    assert shown["tokens"] == sum(each["tokens"] for each in shown["sections"])
