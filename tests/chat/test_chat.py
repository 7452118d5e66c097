"""The founder's conversation: what was said, in order, whoever answers and whatever breaks."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

from hq.chat.growing_text import Growing
from hq.engine.session_waker import SessionWaker
from hq.sessions.spoken_text import readable
from tests.support.cast import Cast, spawn, spawned, wait
from tests.support.jobs import JobHand
from tests.support.play import Play, Told, texts
from tests.support.supervised import announced

LOOK = ("hq_task", {"action": "list"})


async def say(play: Play, text: str, **more) -> dict:
    return await play.hq.do("chat.say", agent="scout", text=text, **more)


async def lines(play: Play, **more) -> list[tuple[str, str]]:
    found = await play.hq.do("chat.history", agent="scout", **more)
    return [(item["role"], item["text"]) for item in found["items"]]


async def routed(hq) -> None:
    """What was announced reaches the sessions that wait for it."""
    await announced(hq)
    async with await AsyncConnection[Any].connect(hq.address.app_url, autocommit=True) as conn:
        await SessionWaker(hq.address.app_url, hq.clock).run_once(conn)


async def test_a_conversation_is_read_back_in_order(play):
    await say(play, "One")
    mind = Told(["First.", ("hq_task", {"action": "list"}), 'Second.\n\n<task-complete reason="x"/>'])
    await play.runner(mind).run_once()
    await say(play, "Two")
    await play.runner(mind).run_once()
    await say(play, "Three")

    assert await lines(play) == [
        ("user", "One"),
        ("assistant", "First."),
        ("user", "Two"),
        ("assistant", "Second."),
        ("user", "Three"),
    ]


async def test_pages_of_the_past_join_without_a_gap_and_without_a_repeat(play):
    for n in range(7):
        await say(play, f"q{n}")
        await play.runner([f"a{n}"]).run_once()
    whole, found, before = await lines(play), [], {}
    while True:
        page = await play.hq.do("chat.history", agent="scout", limit=4, **before)
        found = [(item["role"], item["text"]) for item in page["items"]] + found
        if not page.get("next"):
            break
        before = {"after": page["next"]}

    assert found == whole and len(whole) == 14


async def test_a_stopped_thread_is_told_and_the_next_message_goes_on_in_the_same_conversation(play):
    await say(play, "One")
    await play.hq.do("session.stop", id=(await play.hq.do("chat.status", agent="scout"))["session"])
    await say(play, "Two")
    await play.runner(["Here."]).run_once()

    told = await lines(play)
    assert [role for role, _ in told] == ["user", "system", "user", "assistant"]
    assert told[1][1].startswith("scout stopped")


async def test_how_the_other_end_is(play):
    async def state() -> tuple[str, str]:
        found = await play.hq.do("chat.status", agent="scout")
        return found["state"], found["why"]

    assert await state() == ("ready", "ready")
    await say(play, "One")
    assert (await state())[0] == "working"
    await play.runner(["Done."]).run_once()
    assert (await state())[0] == "ready"
    await play.hq.do("agent.pause", agent="scout")
    assert await state() == ("stopped", "is paused")


async def test_what_waits_for_a_yes_is_said(play):
    await play.hq.do("entity.create", name="Acme")
    await play.hq.do("entity.create", name="Acme Inc")
    await say(play, "merge them")
    merge = ("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"})
    await play.runner([merge, "Merged."]).run_once()

    found = await play.hq.do("chat.status", agent="scout")
    assert (found["state"], found["why"]) == ("waiting", "waits for your approval")


async def test_what_was_said_in_two_messages_reaches_the_mind_as_two(play):
    await say(play, "One")
    await play.runner(["First."]).run_once()
    await say(play, "What is open?")
    await say(play, "What time is it?")
    mind = Told(["First.", "Both."])
    await play.runner(mind).run_once()

    request = [message for message in mind.asked[-1].messages if message.kind == "request"][-1]
    asked = [part.content for part in request.parts if part.part_kind == "user-prompt"]
    assert asked == ["What is open?", "What time is it?"]


async def test_who_waits_for_a_worker_is_at_work(play):
    await say(play, "look")
    mind = Cast([spawn("Look at the tea"), lambda ask: wait(*spawned(ask)), "Seen."], ["Green."])
    await play.runner(mind).run_once()

    found = await play.hq.do("chat.status", agent="scout")
    assert (found["state"], found["why"]) == ("working", "waits for those it sent")


async def test_who_waits_for_the_founder_talks_on_and_is_told_what_came_of_it(play):
    await play.hq.do("entity.create", name="Acme")
    await play.hq.do("entity.create", name="Acme Inc")
    merge = ("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"})
    mind = Told([merge, "I asked you.", "Still here.", "Merged."])
    await say(play, "merge them")
    await play.runner(mind).run_once()
    await say(play, "are you there?")
    await play.runner(mind).run_once()
    assert [text for role, text in await lines(play) if role == "assistant"] == ["I asked you.", "Still here."]

    [asked] = (await play.hq.do("approval.list", status="pending"))["items"]
    await play.hq.do("approval.approve", ref=asked["slug"])
    await routed(play.hq)
    await play.runner(mind).run_once()

    assert (await lines(play))[-1] == ("assistant", "Merged.")
    told = texts(mind.asked[-1].messages)[-1]
    assert (
        'Your call entity_merge {"action":"merge","loser":"acme-inc","into":"acme"}, which waited, came back: {"ok": true'
        in told
    )
    assert (await play.hq.do("chat.status", agent="scout"))["state"] == "ready"


async def test_what_the_founder_does_not_want_is_told_too_and_only_once(play):
    await play.hq.do("entity.create", name="Acme")
    await play.hq.do("entity.create", name="Acme Inc")
    merge = ("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"})
    mind = Told([merge, "I asked you.", "As you like."])
    await say(play, "merge them")
    await play.runner(mind).run_once()
    [asked] = (await play.hq.do("approval.list", status="pending"))["items"]
    await play.hq.do("approval.reject", ref=asked["slug"], note="They are two.")
    for _ in range(2):
        await routed(play.hq)
        await play.runner(mind).run_once()

    assert [text for role, text in await lines(play) if role == "assistant"] == ["I asked you.", "As you like."]
    assert "They are two." in texts(mind.asked[-1].messages)[-1]


async def test_saying_it_twice_under_one_key_says_it_once(play):
    for _ in range(2):
        await say(play, "One", _key="k1")

    assert await lines(play) == [("user", "One")]


async def test_only_people_talk_here(play):
    outcome = await play.hq.call("chat.say", text="hi", agent="scout", _token=await play.hq.agent("scout"))

    assert outcome.error["code"] == "forbidden"


async def test_an_agent_reads_its_own_conversation_with_the_founder(play):
    await say(play, "The launch is in May.")

    found = await play.hq.do("chat.history", agent="scout", _token=await play.hq.agent("scout"))

    assert [item["text"] for item in found["items"]] == ["The launch is in May."]


async def test_an_unknown_agent_is_named(play):
    outcome = await play.hq.call("chat.say", text="hi", agent="scot")

    assert outcome.error["code"] == "not_found" and "did you mean" in outcome.error["message"].lower()


def test_the_word_that_ends_a_session_is_never_shown_not_even_half_of_it():
    whole = 'Done & dusted, 1 < 2.\n\n<task-complete reason="ok"/>'
    for end in range(len(whole) + 1):
        assert "<task" not in readable(whole[:end])
    assert readable(whole) == "Done & dusted, 1 < 2."


def test_a_growing_text_is_told_as_what_changed():
    text, growing = "", Growing()
    for step, became in [(1, "He"), (1, "Hello"), (1, "Help"), (2, "New"), (2, "New")]:
        if change := growing.became(step, became):
            text = text[: change.at] + change.text
        assert text == became


async def test_while_everything_is_frozen_the_status_and_the_refusal_say_how_to_thaw(play):
    await play.hq.do("agent.load")
    await play.hq.do("freeze.set", _reason="Fire")

    status = await play.hq.do("chat.status")
    said = await play.hq.call("chat.say", text="Hello?")

    assert (status["state"], status["frozen"], status["why"]) == ("stopped", True, "everything is stopped: Fire")
    assert said.error["code"] == "frozen" and "hq thaw" in said.error["hint"]
    await play.hq.do("freeze.lift")
    assert (await play.hq.do("chat.status"))["state"] != "stopped"


async def test_the_same_look_in_answer_to_each_message_is_no_loop(play):
    mind = Told(lambda ask: LOOK if texts(ask.messages[-1:])[-1].startswith("What") else "Nothing is open.")
    for n in range(8):
        await say(play, f"What is open, {n}?")
        await play.runner(mind).run_once()

    told = await lines(play)
    assert [text for role, text in told if role != "user"] == ["Nothing is open."] * 8


async def test_a_conversation_that_goes_in_circles_rests_and_goes_on_when_spoken_to(play):
    await say(play, "What is open?")
    mind = Told(lambda ask: LOOK if "Enough." not in texts(ask.messages[-1:]) else "I stopped looking.")
    await play.runner(mind).run_once()
    session = (await play.hq.do("chat.status", agent="scout"))["session"]
    assert (await lines(play))[-1][0] == "system" and "5 times in a row" in (await lines(play))[-1][1]
    assert len((await play.hq.do("agent_incident.list"))["items"]) == 1
    play.hq.clock.advance(hours=2)
    await play.runner(mind).run_once()
    assert len(await lines(play)) == 2, "gone quiet, it does not begin again by itself"

    await say(play, "Enough.")
    await play.runner(mind).run_once()

    assert (await lines(play))[-1] == ("assistant", "I stopped looking.")
    assert (await play.hq.do("chat.status", agent="scout"))["session"] == session


async def test_what_a_conversation_asked_for_waits_although_its_session_is_over(play):
    await play.hq.do("entity.create", name="Acme")
    await play.hq.do("entity.create", name="Acme Inc")
    await say(play, "merge them")
    merge = ("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"})
    await play.runner([merge, "I asked you."]).run_once()
    await play.hq.do("session.stop", id=(await play.hq.do("chat.status", agent="scout"))["session"])

    await JobHand(play.hq, "asks", tenant=await play.hq.company()).run_once()

    [asked] = (await play.hq.do("ask.list"))["items"]
    assert (await play.hq.do("ask.answer", ask=asked["slug"], option="yes"))["result"]["ok"]


async def test_that_a_model_is_still_waited_for_is_told_every_fifteen_seconds(play, clock):
    told: list[tuple[str, str]] = []

    class Slow(Told):
        async def answer(self, ask, *, on_text=None):
            for seconds in (0, 16, 20):
                clock.advance(seconds=seconds)
                told.append((await play.hq.do("chat.status", agent="scout"))["why"])
            return await super().answer(ask)

    await say(play, "what time is it?")
    await play.runner(Slow([("hq_task", {"action": "list"}), "Noon."])).run_once()

    waited = ["thinking", "still waiting for the model (15 s)", "still waiting for the model (30 s)"]
    assert told == [*waited, *waited], "also where it has called something before"


async def test_what_is_waited_for_counts_from_the_question_and_not_from_the_last_word(play, clock):
    told: list[str] = []

    class Slow(Told):
        async def answer(self, ask, *, on_text=None):
            for seconds in (0, 16):
                clock.advance(seconds=seconds)
                told.append((await play.hq.do("chat.status", agent="scout"))["why"])
            return await super().answer(ask)

    await say(play, "what time is it?")
    await play.runner(["Noon."]).run_once()
    clock.advance(seconds=480)
    await say(play, "and now?")
    told.append((await play.hq.do("chat.status", agent="scout"))["why"])
    await play.runner(Slow(["Noon.", "Later."])).run_once()

    assert told == ["about to begin", "thinking", "still waiting for the model (15 s)"]
