"""The first hour, by the rows of the register: L8, P20, X7, and the defect F5."""

from __future__ import annotations

import pytest

from tests.support.days import Days
from tests.support.provider import Provider, no_keys, provider, running

__all__ = ["no_keys", "provider", "running"]

KEY = "sk-test-0123456789abcdef"


async def answers(hq) -> str:
    return (await hq.do("mind.list"))["tiers"][0]["answers"]


async def test_l8_every_provider_is_offered_with_what_it_takes(own_hq):
    told = (await own_hq.do("onboard.show"))["providers"]

    by_name = {each["name"]: each for each in told}
    assert [*by_name] == ["anthropic", "openai", "google", "openrouter", "groq", "ollama", "compatible"]
    assert all(each["label"] and not each["chosen"] for each in told)
    assert by_name["anthropic"]["key"] == "anthropic_api_key" and by_name["anthropic"]["needs_key"]
    assert by_name["openrouter"]["needs_model"] and not by_name["openrouter"]["needs_base_url"]
    assert by_name["compatible"]["needs_base_url"] and not by_name["compatible"]["needs_key"]
    assert not by_name["ollama"]["needs_key"] and "key" not in by_name["ollama"]


async def test_l8_a_server_of_ones_own_is_set_with_address_model_and_the_key_that_was_put_away(
    own_hq, provider: Provider
):
    await own_hq.do("vault.set", name="compatible_api_key", value=KEY)

    await own_hq.do("onboard.answer", provider="compatible", model="mine", base_url=f"{provider.url}/v1")

    assert await answers(own_hq) == "compatible:mine"
    assert (await own_hq.do("mind.test", name="compatible"))["items"][0]["ok"]
    assert provider.seen[-1]["headers"]["authorization"] == f"Bearer {KEY}"
    assert [each["chosen"] for each in (await own_hq.do("onboard.show"))["providers"]][-1]
    assert KEY not in str(await own_hq.do("action.list", limit=50))


@pytest.mark.parametrize(
    ("status", "says"),
    [(401, "refused the key"), (404, "has no model called mine"), (429, "quota is used up"), (500, "does not answer")],
)
async def test_l8_what_was_wrong_is_said_in_plain_words(own_hq, provider: Provider, status: int, says: str):
    await own_hq.do("onboard.answer", provider="compatible", model="mine", base_url=f"{provider.url}/v1")
    provider.fail(status, times=10)

    tested = (await own_hq.call("mind.test", name="compatible")).error

    assert says in tested["message"] and "hq " not in tested["message"]


async def test_l8_where_nobody_answers_it_is_the_network_or_the_address(own_hq):
    await own_hq.do("onboard.answer", provider="compatible", model="mine", base_url="http://127.0.0.1:9/v1")

    tested = (await own_hq.call("mind.test", name="compatible")).error

    assert "cannot be reached at 127.0.0.1:9" in tested["message"]


async def test_p20_a_mind_that_lacks_its_key_stops_nobody_and_none_really_switches(own_hq):
    await own_hq.do("agent.load")
    await own_hq.do("onboard.answer", provider="anthropic")

    assert (await own_hq.do("mind.list"))["lacking"] == {"name": "anthropic", "says": "Anthropic has no key yet"}
    assert await answers(own_hq) == "script"
    await own_hq.do("onboard.answer", provider="none")
    told = await own_hq.do("mind.list")
    assert "lacking" not in told and [each["name"] for each in told["minds"]] == ["script"]


async def test_x7_without_a_key_the_first_mission_is_begun_or_its_founder_told_what_it_waits_for(own_hq):
    await own_hq.do("agent.load")
    skipped = ["company", "founder", "ceo", "philosophy", "risk", "budget"]
    await own_hq.do("onboard.answer", mission="Sell a hundred candles by Christmas", provider="none", skip=skipped)
    await Days(own_hq).pass_by()

    said = [line["text"] for line in (await own_hq.do("chat.history"))["items"][1:]]
    [mission] = (await own_hq.do("mission.list"))["items"]
    assert mission["status"] == "backlog", "nobody is there to do it, and no model says who should be"
    assert "From you I need a model" in said[-1] and "a word on whom to hire" in said[-1]


async def test_l8_until_a_provider_has_answered_once_the_script_does_with_a_card(own_hq):
    """Nothing listens there: whoever tested it and goes on is answered, and reminded."""
    await own_hq.do("agent.load")
    await own_hq.do("onboard.answer", provider="compatible", model="mine", base_url="http://127.0.0.1:9/v1")
    assert not (await own_hq.call("mind.test", name="compatible")).ok

    await own_hq.do("chat.say", text="What is going on?")
    await Days(own_hq).pass_by()

    assert await answers(own_hq) == "script"
    assert [line["role"] for line in (await own_hq.do("chat.history"))["items"]][:2] == ["user", "assistant"]
    assert (await own_hq.do("mind.list"))["lacking"]["says"].endswith("has not answered yet")
    assert (await own_hq.do("chat.status"))["why"].endswith("until then the script answers")


async def test_l8_a_provider_that_has_answered_and_is_away_is_waited_for(own_hq, provider: Provider):
    await own_hq.do("onboard.answer", provider="compatible", model="mine", base_url=f"{provider.url}/v1")
    await own_hq.do("mind.test", name="compatible")
    provider.fail(500, times=20)

    assert not (await own_hq.call("mind.test", name="compatible")).ok

    assert await answers(own_hq) == "compatible:mine" and "lacking" not in await own_hq.do("mind.list")


async def test_l8_a_provider_that_answers_at_last_takes_over(own_hq, provider: Provider):
    await own_hq.do("onboard.answer", provider="compatible", model="mine", base_url=f"{provider.url}/v1")
    provider.fail(500, times=3)
    assert not (await own_hq.call("mind.test", name="compatible")).ok and await answers(own_hq) == "script"

    await own_hq.do("mind.test", name="compatible")

    assert await answers(own_hq) == "compatible:mine"
