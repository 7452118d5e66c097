"""A long conversation: the newest stays word for word, what is older is summed up, and it costs the same for ever."""

from __future__ import annotations

import pytest

from hq.context import window as context_window
from tests.support.play import Told, route, texts
from tests.support.searching import catch_up


def answering(ask) -> str:
    last = texts(ask.messages)[-1]
    return "SUMMARY of " + texts(ask.messages)[0][:20] if "Sum up the whole conversation" in last else f"re: {last}"


async def talk(play, first: int, last: int) -> Told:
    mind = Told(answering)
    for n in range(first, last):
        await play.hq.do("chat.say", agent="scout", text=f"message {n}")
        await play.runner(mind).run_once()
    return mind


async def kept_summaries(play) -> list[dict]:
    query = "select summary, message_count from conversation_summary"
    return (await play.hq.do("sql.query", query=query))["items"]


async def test_the_oldest_part_becomes_a_summary_and_the_rest_stays_as_it_was(play, monkeypatch):
    monkeypatch.setattr(context_window, "EXCHANGES", 3)
    mind = await talk(play, 0, 9)

    seen = texts(mind.asked[-1].messages)
    assert seen[1].startswith("[PREVIOUS CONTEXT]\nSUMMARY")
    assert seen[0].startswith("# Session context") and "message 0" not in seen[0], "its answer is summed up"
    assert "message 8" in seen and "message 5" in seen and "message 2" not in seen
    history = await play.hq.do("chat.history", agent="scout")
    assert len(history["items"]) == 18  # the founder still reads it all

    (kept,) = await kept_summaries(play)
    assert kept["summary"].startswith("SUMMARY") and kept["message_count"] > 3


async def test_what_a_mind_reads_does_not_grow(play, monkeypatch):
    monkeypatch.setattr(context_window, "EXCHANGES", 3)
    mind = await talk(play, 0, 30)

    assert max(len(ask.messages) for ask in mind.asked) < 20
    assert len(await kept_summaries(play)) >= 5


@pytest.mark.parametrize("decided_after", [5, 9])
async def test_what_came_of_a_call_that_was_summed_up_while_it_waited_is_told(play, monkeypatch, decided_after):
    monkeypatch.setattr(context_window, "EXCHANGES", 3)
    for name in ("Acme", "Acme Inc"):
        await play.hq.do("entity.create", name=name)
    await play.hq.do("chat.say", agent="scout", text="merge them")
    merge = ("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"})
    await play.runner(Told([merge, "I asked you."])).run_once()

    await talk(play, 0, decided_after)
    (asked,) = (await play.hq.do("approval.list", status="pending"))["items"]
    await play.hq.do("approval.approve", ref=asked["slug"])
    await route(play.hq)
    mind = Told(["Merged."])
    await play.runner(mind).run_once()
    after = await talk(play, decided_after, 10)

    assert ', which waited, came back: {"ok": true' in "".join(texts(mind.asked[-1].messages))
    assert texts(after.asked[-1].messages)[-1] == "message 9", "and the talk goes on"


async def test_a_worker_that_takes_over_sees_the_same_window(play, monkeypatch):
    monkeypatch.setattr(context_window, "EXCHANGES", 3)
    first = await talk(play, 0, 9)
    second = await talk(play, 9, 10)

    before, after = texts(first.asked[-1].messages), texts(second.asked[-1].messages)
    assert after[1] == before[1] and after[-1] == "message 9"


async def test_what_the_company_knows_of_it_comes_with_every_message_to_the_ceo(play):
    await play.hq.do("agent.create", name="chief", role="CEO", kind="ceo")
    await play.hq.do("memory.add", content="The founder prefers short answers.", category="preference")
    await catch_up(play.hq)
    mind = Told(answering)
    for text in ("Hi", "How long should answers be?"):
        await play.hq.do("chat.say", agent="chief", text=text)
        await play.runner(mind).run_once()

    assert "The founder prefers short answers." in mind.asked[-1].now
