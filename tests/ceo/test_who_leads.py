"""The CEO is the agent of that kind, whatever it is called."""

from __future__ import annotations

import pytest

from tests.support.heart import Heart


@pytest.fixture
async def ada(own_hq) -> Heart:
    """A company whose CEO is Ada."""
    await own_hq.do("agent.create", name="Scout", role="Researcher")
    await own_hq.do("agent.create", name="Ada", role="CEO", kind="ceo")
    made = Heart(own_hq)
    await made.beat(hours=1)
    return made


async def test_what_the_founder_says_without_a_name_is_said_to_the_ceo(ada, stage):
    said = await ada.hq.do("chat.say", text="Hello")
    run = await ada.hq.do("run.start", task="Check the server")
    at_work = stage(ada, ["I am Ada.", "It is up."])
    while await at_work.run_once():  # the run has its own answer, after the message
        pass

    assert said["agent"] == "ada" and run["session"] == said["session"]
    assert (await ada.hq.do("chat.history"))["items"][-1]["sender"] == "ada"
    assert (await ada.hq.do("chat.status"))["agent"] == "ada"


async def test_the_ceo_looks_at_the_company_and_speaks_in_its_own_name(ada):
    await ada.approval()
    await ada.beat(minutes=11)

    [card] = await ada.cards()
    assert card["by"] == "ada" and card["remark"]["by"] == "agent:ada"
    assert card["remark"]["text"].startswith("We need to talk")
    made = (await ada.hq.do("action.list", verb="card.send"))["items"]
    assert [each["actor"] for each in made] == ["agent:ada"]


async def test_nobody_else_speaks_to_the_founder_in_its_name(ada):
    more = {"key": "ok", "label": "OK", "verb": "agent.pause", "args": {"agent": "ada"}}
    sent = await ada.hq.call(
        "card.send", kind="choice", title="All well?", buttons=[more], _token=await ada.hq.agent("scout")
    )

    assert sent.error["code"] == "forbidden" and await ada.cards() == []


async def test_what_the_ceo_remembers_is_the_ceos(ada):
    kept = await ada.hq.do("memory.add", content="Ana likes tea.", _token=await ada.hq.agent("ada"))

    shown = await ada.hq.do("memory.show", ref=kept["slug"])
    assert (shown["source"], shown["status"]) == ("ceo", "active")
