"""Of several that wait the founder's word is for the one it names, by its name or its number in what was just listed."""

from __future__ import annotations

import psycopg
import pytest

from .conftest import approval
from .talking import NOT_UNDERSTOOD, props, say, to_the_script, told, two


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
    assert (
        "1. “Merge entity 'Acme Inc' into 'Acme'” (into: acme, loser: acme-inc, asked by Operator): say “yes to "
        + first
        in which
    )
    assert (
        "2. “Merge entity 'Bravo Inc' into 'Bravo'” (into: bravo, loser: bravo-inc, asked by Operator): say “yes to "
        + second
        in which
    )


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


@pytest.mark.parametrize("text", ["the second", "yes to the second", "Yes to 2", "2", "a segunda"])
async def test_which_you_mean_is_answered_by_its_number_whatever_the_script_says(play, text):
    await play.hq.do("agent.load")
    first, second = await two(play.hq)
    for slug in (first, second):
        await play.hq.do("card.send", kind="attention", ask=slug)
    await to_the_script(play, "Yes")
    assert "Say which you mean" in await told(play.hq)

    await to_the_script(play, text)

    assert (await props(play.hq, "approval", first))["status"] == "pending"
    assert (await props(play.hq, "approval", second))["status"] == "done"


@pytest.mark.parametrize("text", ["Sim", "yes", "the first"])
async def test_of_one_that_was_listed_alone_a_yes_is_for_that_one(play, text):
    await play.hq.do("agent.load")
    made = await approval(play.hq)
    await to_the_script(play, "Hello.")
    await to_the_script(play, "yes")
    assert (await props(play.hq, "approval", made.slug))["status"] == "pending"
    assert "Say it once more" in await told(play.hq)

    await to_the_script(play, text)

    assert (await props(play.hq, "approval", made.slug))["status"] == "done"


@pytest.mark.parametrize(
    ("said", "text", "status"),
    [
        ("I see.", "yes to 1", "done"),
        ("I would call it Tally.", "yes", "pending"),
        ("Tally or Ledger?", "yes to 1", "pending"),
    ],
)
async def test_after_words_of_a_model_only_a_yes_with_its_number_is_certain(play, said, text, status):
    await play.hq.do("agent.load")
    made = await approval(play.hq)
    await say(play, "yes", said)

    await play.hq.do("chat.say", text=text)

    assert (await props(play.hq, "approval", made.slug))["status"] == status


@pytest.mark.parametrize("texts", [["yes to the second"], ["Yes to 2"], ["the second", "yes"]])
async def test_a_number_is_also_of_the_list_of_a_script_that_understood_nothing(play, texts):
    await play.hq.do("agent.load")
    first, second = await two(play.hq)
    for slug in (first, second):
        await play.hq.do("card.send", kind="attention", ask=slug)
    play.hq.clock.advance(minutes=1)
    await to_the_script(play, NOT_UNDERSTOOD)
    assert (
        "2. “Merge entity 'Bravo Inc' into 'Bravo'” (into: bravo, loser: bravo-inc, asked by Operator)"
        in await told(play.hq)
    )

    for text in texts:
        assert (await props(play.hq, "approval", second))["status"] == "pending"
        await to_the_script(play, text)

    assert (await props(play.hq, "approval", first))["status"] == "pending"
    assert (await props(play.hq, "approval", second))["status"] == "done"
