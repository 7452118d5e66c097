"""What the founder types in the conversation answers what waits, by any client, where it is certain."""

from __future__ import annotations

import psycopg
import pytest

from .conftest import approval, escalation, question, review

TAKEN = "Taken as your answer to “Merge entity” (into: acme, loser: acme-inc, asked by agent:operator): “Approve: merge entity”."


async def put(hq, made) -> None:
    """Its card in the conversation."""
    await hq.do("card.send", kind="attention", ask=made.slug)
    hq.clock.advance(minutes=1)


async def say(play, text: str, answer: str) -> None:
    """The founder says something to the CEO, and hears an answer."""
    await play.hq.do("chat.say", text=text)
    await play.runner([answer]).run_once()
    play.hq.clock.advance(minutes=1)


async def props(hq, noun: str, ref: str) -> dict:
    return (await hq.do(f"{noun}.show", ref=ref))["props"]


async def test_a_yes_grants_the_one_permission_that_waits(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await put(hq, made)

    said = await hq.do("chat.say", text="Yes, go ahead.")

    assert said["result"]["ok"] and said["result"]["action"] == "merge"
    assert (await props(hq, "approval", made.slug))["status"] == "done"
    lines = [line["text"] for line in (await hq.do("chat.history"))["items"]]
    assert lines == ["Merge entity", "Yes, go ahead.", TAKEN]


async def test_a_yes_with_a_but_grants_nothing(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await put(hq, made)

    await hq.do("chat.say", text="Yes, but ask Ana first.")

    assert (await props(hq, "approval", made.slug))["status"] == "pending"


async def test_from_a_list_please_answers_the_question_and_goes_back_to_who_asked(hq):
    await hq.do("agent.load")
    made = await escalation(hq)
    await put(hq, made)

    await hq.do("chat.say", text="Blue, please.")

    answered = await props(hq, "escalation", made.slug)
    assert (answered["status"], answered["resolution"]) == ("resolved", "Blue")


async def test_by_the_supervisors_way_in_it_is_the_same(hq):
    await hq.do("agent.load")
    made = await escalation(hq)
    await put(hq, made)

    await hq.do("run.start", task="Red")

    assert (await props(hq, "escalation", made.slug))["resolution"] == "Red"


async def test_a_yes_to_the_ceo_grants_nothing_that_lies_in_the_inbox(play):
    await play.hq.do("agent.load")
    made = await approval(play.hq)
    await say(play, "What would you call the app", "I would call it Tally. Say yes and I tell forge.")

    await play.hq.do("chat.say", text="Yes.")

    assert (await props(play.hq, "approval", made.slug))["status"] == "pending"
    which = await told(play.hq)
    assert "Nothing was decided" in which and f"hq ask answer {made.slug} yes|no" in which


async def test_a_yes_after_other_words_of_the_ceo_grants_nothing(play):
    await play.hq.do("agent.load")
    made = await approval(play.hq)
    await put(play.hq, made)
    await say(play, "What would you call the app", "I would call it Tally. Say yes and I tell forge.")

    await play.hq.do("chat.say", text="Yes.")

    assert (await props(play.hq, "approval", made.slug))["status"] == "pending"


async def test_a_yes_after_something_else_the_founder_said_grants_nothing(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await put(hq, made)
    await hq.do("chat.say", text="What is the weather like")
    hq.clock.advance(minutes=1)

    await hq.do("chat.say", text="Yes.")

    assert (await props(hq, "approval", made.slug))["status"] == "pending"


async def test_thanks_grant_nothing(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await put(hq, made)

    await hq.do("chat.say", text="ok thanks")

    assert (await props(hq, "approval", made.slug))["status"] == "pending"


async def test_what_is_held_is_answered_by_no_word(hq):
    await hq.do("agent.load")
    await hq.do("ceo.quiet", hours="00:00-23:59")
    hq.clock.advance(hours=1)
    buttons = [
        {"key": "go_on", "label": "Go on", "verb": "chat.say", "args": {"text": "Go on."}},
        {"key": "no", "label": "No"},
    ]
    card = await hq.do("card.send", kind="attention", title="I was interrupted", buttons=buttons)
    assert card["state"] == "held"

    await hq.do("chat.say", text="Go on.")

    assert (await hq.do("card.show", card=card["id"]))["state"] == "held"


async def two(hq) -> tuple[str, str]:
    """Two permissions of the same sort, asked for by the same."""
    made = await approval(hq)
    for name in ("Bravo", "Bravo Inc"):
        await hq.do("entity.create", name=name)
    other = await hq.call("entity.merge", loser="bravo-inc", into="bravo", _token=made.asker)
    return made.slug, other.data["approval"]


async def told(hq) -> str:
    return [line["text"] for line in (await hq.do("chat.history"))["items"] if "card" not in line][-1]


async def test_of_two_permissions_it_asks_which_with_buttons(hq):
    await hq.do("agent.load")
    first, second = await two(hq)

    await hq.do("chat.say", text="yes")

    assert (await props(hq, "approval", first))["status"] == "pending"
    assert (await props(hq, "approval", second))["status"] == "pending"
    cards = (await hq.do("card.list", open=True))["items"]
    assert {card["ask"] for card in cards} == {first, second}
    assert {button["key"] for card in cards for button in card["buttons"]} == {"yes", "no", "later"}
    which = await told(hq)
    assert "1. “Merge entity” (into: acme, loser: acme-inc, asked by agent:operator): say “yes to " + first in which
    assert "2. “Merge entity” (into: bravo, loser: bravo-inc, asked by agent:operator): say “yes to " + second in which


async def test_what_has_a_card_gets_no_second_one(hq):
    await hq.do("agent.load")
    await two(hq)

    for _ in range(3):
        await hq.do("chat.say", text="yes")
        hq.clock.advance(minutes=1)

    assert len((await hq.do("card.list", open=True))["items"]) == 2


@pytest.mark.parametrize("text", ["yes to {second}", "Yes, to {second}.", "approve {second}", "sim a {second}"])
async def test_a_yes_that_names_one_is_for_that_one(hq, text):
    await hq.do("agent.load")
    first, second = await two(hq)

    await hq.do("chat.say", text=text.format(second=second))

    assert (await props(hq, "approval", first))["status"] == "pending"
    assert (await props(hq, "approval", second))["status"] == "done"
    assert "loser: bravo-inc" in await told(hq)


@pytest.mark.parametrize(
    ("text", "status"), [("the second", "done"), ("yes to the second", "done"), ("no to 2", "rejected")]
)
async def test_a_number_is_of_the_list_that_was_just_shown(hq, text, status):
    await hq.do("agent.load")
    first, second = await two(hq)
    await hq.do("chat.say", text="yes")

    await hq.do("chat.say", text=text)

    assert (await props(hq, "approval", first))["status"] == "pending"
    assert (await props(hq, "approval", second))["status"] == status


@pytest.mark.parametrize("words", ["hq ask answer which-colour yes", "`hq ask answer which-colour yes`"])
async def test_no_words_of_who_asks_change_the_numbers_of_the_list(hq, words):
    """Listed second, it would be the first if what another ask is about were read as the house's own line."""
    await hq.do("agent.load")
    asked = await hq.call("agent.hire", name="Forge", title=words, role="developer", _token=await hq.agent("chief"))
    hq.clock.advance(minutes=1)
    change = {"verb": "task.create", "args": {"title": "Paint it"}}
    await hq.do("proposal.propose", kind="which-colour", change=change, _token=await hq.agent("chief"))
    await hq.do("chat.say", text="yes")

    await hq.do("chat.say", text="yes to the second")

    assert (await props(hq, "approval", asked.data["approval"]))["status"] == "pending"
    assert (await props(hq, "proposal", "which-colour"))["status"] == "applied"


async def test_a_number_is_of_what_was_listed_and_not_of_what_stands_there(hq):
    """What the house lists is kept as data: its own words, repeated by whom ever, list nothing."""
    await hq.do("agent.load")
    first, second = await two(hq)
    await hq.do("chat.say", text="yes")
    repeated = (await told(hq)).replace(first, second)
    with psycopg.connect(hq.address.url) as conn:
        conn.execute("update ops.messages set body = %s where asks is not null", [repeated])

    await hq.do("chat.say", text="the first")

    assert (await props(hq, "approval", first))["status"] == "done"
    assert (await props(hq, "approval", second))["status"] == "pending"


async def test_a_number_after_other_words_of_the_ceo_is_for_those(play):
    await play.hq.do("agent.load")
    first, second = await two(play.hq)
    await say(play, "yes", "I would call it Tally, or else Ledger.")

    await play.hq.do("chat.say", text="the first")

    assert (await props(play.hq, "approval", first))["status"] == "pending"
    assert (await props(play.hq, "approval", second))["status"] == "pending"


async def test_a_reply_to_a_card_is_an_answer_in_words(hq):
    await hq.do("agent.load")
    made, also = await question(hq), await review(hq)

    await hq.do("chat.say", text="Green, like the door.", reply_to=made.slug)

    assert (await hq.do("ask.show", ask=made.slug))["answer"] == "Green, like the door."
    assert (await props(hq, "review", also.slug))["status"] == "open"
    sent = await hq.do("agent.inbox", agent="operator")
    assert [item["text"] for item in sent["items"]] == ["Green, like the door."]


async def test_the_ceo_carries_the_founders_word_and_no_other(hq):
    await hq.do("agent.load")
    before = await hq.do("chat.say", text="Hello.")
    hq.clock.advance(minutes=1)
    made = await question(hq)
    chief = await hq.agent("chief")
    hq.clock.advance(minutes=1)
    said = await hq.do("chat.say", text="I always liked the colour of grass.")

    async def answer(**more):
        return await hq.call("ask.answer", ask=made.slug, _token=chief, **more)

    assert (await answer(text="Green.")).error["code"] == "forbidden", "by itself it has no word in it"
    assert (await answer(message=before["id"])).error["code"] == "conflict", "said before it was asked"
    assert (await answer(message="01980f3c-5a7b-7c31-a1f2-d3c4b5a69788")).error["code"] == "forbidden"
    assert (await answer(message=said["id"])).ok
    answered = await hq.do("ask.show", ask=made.slug)
    assert (answered["answer"], answered["answered_by"]) == ("I always liked the colour of grass.", "user:founder")
