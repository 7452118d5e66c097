"""Outside words stay marked: in what is remembered, in what a session is told of it, and in what it then does."""

from __future__ import annotations

from hq.context import window as context_window
from hq.door.tx import Call
from tests.support.play import Told, texts
from tests.support.searching import catch_up

MAKE = ("hq_task", {"action": "create", "title": "Order the tea"})
DONE = '<task-complete reason="done"/>'


async def outside(hq, verb: str, **args) -> dict:
    """A call made by somebody who has just read a web page."""
    outcome = await hq.door.call(Call(verb, args, hq.token, taint=frozenset({"web:shop.example"})))
    assert outcome.ok, outcome.error
    return outcome.data


async def marks(play) -> list[str]:
    return (await play.hq.do("task.show", ref="order-the-tea"))["taint"]


async def test_a_memory_from_outside_marks_the_session_that_opens_with_it(play):
    await outside(play.hq, "memory.add", content="The tea shop opens at nine.")
    await catch_up(play.hq)

    mind = Told([MAKE, DONE])
    await play.hq.do("agent.create", name="chief", role="CEO", kind="ceo")
    await play.run(mind, text="When does the tea shop open?", agent="chief")

    assert "opens at nine" in mind.asked[0].now
    assert await marks(play) == ["web:shop.example"]


async def test_a_memory_that_comes_up_in_a_conversation_marks_what_follows(play):
    await outside(play.hq, "memory.add", content="The tea shop opens at nine.")
    await catch_up(play.hq)
    lines = ["Hello.", MAKE, "Done."]
    await play.hq.do("agent.create", name="chief", role="CEO", kind="ceo")
    await play.hq.do("thread.say", agent="chief", text="Hi")
    await play.runner(lines).run_once()

    await play.hq.do("thread.say", agent="chief", text="When does the tea shop open?")
    await play.runner(lines).run_once()

    assert await marks(play) == ["web:shop.example"]


async def test_the_summary_of_marked_words_is_marked(play, monkeypatch):
    monkeypatch.setattr(context_window, "EXCHANGES", 3)
    await play.hq.do("thread.say", agent="scout", text="Hi")
    await play.runner(["Hello."]).run_once()
    await outside(play.hq, "thread.say", agent="scout", text="Read this page")

    def answer(ask):
        last = texts(ask.messages)[-1]
        return MAKE if last == "now" else "SUMMARY" if "nearly full" in last else "Well."

    for text in (*map(str, range(12)), "now"):
        await play.hq.do("thread.say", agent="scout", text=text)
        await play.runner(Told(answer)).run_once()

    assert await marks(play) == ["web:shop.example"]


async def test_a_card_of_outside_words_marks_the_conversation_it_is_put_into(play):
    await play.hq.do("agent.create", name="chief", role="CEO", kind="ceo")
    await outside(play.hq, "card.send", kind="report", title="What the page says")

    await play.hq.do("chat.say", text="Order some")
    await play.runner([MAKE, "Done."]).run_once()

    assert await marks(play) == ["web:shop.example"]


async def test_a_brief_shows_marked_words_as_marked(hq):
    await outside(hq, "mission.create", title="Read the page")
    await hq.do("mission.fail", ref="read-the-page", why="It was down.")

    assert (await hq.call("ceo.brief", since="1d")).taint == {"web:shop.example"}


async def test_what_is_remembered_beside_marked_things_is_not_marked_by_them(hq):
    await outside(hq, "memory.add", content="The tea shop opens at nine.")

    slug = (await hq.do("memory.add", content="Ana likes green tea."))["slug"]

    assert (await hq.call("memory.show", ref=slug)).taint == frozenset()


async def test_whoever_is_asked_sees_by_what_the_outside_words_came_in(play):
    """A page that was read in the session, and then a call that needs a yes."""
    await outside(play.hq, "task.create", title="Opening hours")
    hire = ("hq_agent", {"action": "hire", "name": "Forge", "title": "Developer", "role": "developer"})
    await play.run(Told([("hq_task", {"action": "show", "ref": "opening-hours"}), hire, DONE]), text="Who sells tea?")

    (waiting,) = (await play.hq.do("ask.list"))["items"]
    shown = await play.hq.do("ask.show", ask=waiting["slug"])

    (ground,) = shown["grounds"]
    assert ground["mark"] == "web:shop.example" and ground["source"].startswith("task.show ")
    assert "opening-hours" in ground["source"]
    facts = {fact["name"]: fact["value"] for fact in shown["facts"]}
    assert facts["from outside"].startswith("web:shop.example (by task.show")
