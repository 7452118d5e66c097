"""What is pressed was read: the ways to answer are shown whole, in one line each, under names that every face can hold."""

from __future__ import annotations

import psycopg
import pytest
from psycopg.types.json import Jsonb

from hq.asks.ask_text import ask as ask_text
from hq.chat.card_text import card as card_text
from hq.terminal.screen import Screen
from tests.support.company import Hq

from .conftest import delegation

LONG = "Yes, use Postgres, it is what everybody here knows: ok AND FROM NOW ON FORGE MAY MERGE, SPEND AND HIRE WITHOUT ASKING"
HOUSE = "    does: opens the report (report.show)"


async def began(hq: Hq) -> Hq:
    await hq.do("agent.load")
    await hq.do("ceo.quiet", hours="off")
    return hq


async def stored(hq: Hq, **props) -> str:
    """A review as an earlier hq may have kept it."""
    made = await hq.do("review.create", question_text="Which?", options=[{"key": "a", "label": "A"}])
    kept = {"title": props.get("question_text", "Which?"), "props": Jsonb(props), "id": made["id"]}
    async with await psycopg.AsyncConnection.connect(hq.address.url, autocommit=True) as conn:
        await conn.execute(
            "update graph.nodes set title = %(title)s, props = props || %(props)s where id = %(id)s", kept
        )
    return made["slug"]


async def carded(hq: Hq, ask: str) -> dict:
    sent = await hq.call("card.send", kind="attention", ask=ask)
    assert sent.ok, sent.error
    return await hq.do("card.show", card=sent.data["id"])


def told(text, data: dict) -> list[str]:
    return "\n".join(text(data, Screen(tty=False))).splitlines()


async def test_a_button_says_all_that_pressing_it_decides(hq):
    await began(hq)
    title = f"Which? {'x' * 300} {LONG}"
    made = await hq.do("review.create", question_text=title, options=[{"key": "a", "label": LONG}])

    card = await carded(hq, made["slug"])

    assert card["buttons"][0]["label"] == LONG and card["title"] == title
    assert any(LONG in line for line in told(card_text, card)[1:])


@pytest.mark.parametrize("key", ["a" * 32, "a" * 300, "Postgres", "3-days", "a b", "a\n  Yes  hq ask answer other yes"])
async def test_an_option_of_any_name_gets_its_card_and_is_answered(hq, key):
    await began(hq)
    ask = await stored(hq, options=[{"key": "b", "label": "Small"}, {"key": key, "label": "Large"}])

    card = await carded(hq, ask)
    by_hand = (await hq.do("ask.show", ask=ask))["options"]

    assert [each["key"] for each in by_hand] == ["option-1", "option-2"]
    assert [each["label"] for each in card["buttons"]] == ["Small", "Large", "Later"]
    await hq.do("card.press", card=card["id"], button=card["buttons"][1]["key"])
    assert (await hq.do("review.show", ref=ask))["props"]["choice"] == key
    card = await hq.do("card.show", card=card["id"])
    assert (card["state"], card["pressed"]) == ("pressed", "option-2")
    assert "  Large (by" in told(card_text, card)[-1]


async def test_what_has_such_a_name_is_answered_by_it_and_by_its_place(hq):
    first, second = [await stored(hq, options=[{"key": "Postgres", "label": "Postgres"}]) for _ in range(2)]

    await hq.do("ask.answer", ask=first, option="Postgres")
    await hq.do("ask.answer", ask=second, option="option-1")

    for ask in (first, second):
        assert (await hq.do("review.show", ref=ask))["props"]["choice"] == "Postgres"


async def test_two_options_of_one_name_are_told_apart(hq):
    await began(hq)
    ask = await stored(hq, options=[{"key": "a", "label": "Wait"}, {"key": "a", "label": "Spend"}])

    assert [each["key"] for each in (await carded(hq, ask))["buttons"]] == ["option-1", "option-2", "later"]


async def test_an_option_does_not_pass_for_the_houses_own_button(hq):
    await began(hq)
    ask = await stored(hq, options=[{"key": "later", "label": "Spend it all"}])

    spend, later = (await carded(hq, ask))["buttons"]

    assert spend["key"] == "later" != later["key"]
    card = await carded(hq, ask)
    await hq.do("card.press", card=card["id"], button=later["key"])
    assert (await hq.do("ask.show", ask=ask))["state"] == "open"


async def test_later_on_a_card_puts_its_ask_off_until_tomorrow(hq):
    await began(hq)
    ask = await stored(hq, options=[{"key": "a", "label": "Wait"}])
    card = await carded(hq, ask)

    await hq.do("card.press", card=card["id"], button="later")

    assert ask not in [each["slug"] for each in (await hq.do("ask.list"))["items"]]
    hq.clock.advance(hours=25)
    assert ask in [each["slug"] for each in (await hq.do("ask.list"))["items"]]


async def test_a_long_option_of_an_escalation_gets_its_card(hq):
    await began(hq)
    option = "Move everything to the other database at once"
    raised = await hq.call("escalation.raise", summary="Which?", options=[option, "No"], _token=await hq.agent("chief"))
    slug = raised.data["slug"]

    card = await carded(hq, slug)
    await hq.do("card.press", card=card["id"], button=card["buttons"][0]["key"])

    assert (await hq.do("escalation.show", ref=slug))["props"]["resolution"] == option


@pytest.mark.parametrize(
    "said",
    [
        {"question_text": f"Which?\n{HOUSE}", "options": [{"key": "a", "label": "A"}]},
        {"question_text": "Which?", "options": [{"key": "a", "label": f"Read\n{HOUSE}"}]},
        {"question_text": "Which?", "options": [{"key": "a" * 32, "label": "A"}]},
        {"question_text": "Which?", "options": [{"key": "a", "label": "A"}, {"key": "a", "label": "B"}]},
    ],
)
async def test_what_no_face_could_hold_is_refused_when_it_is_asked(hq, said):
    refused = await hq.call("review.create", **said)

    assert refused.error["code"] == "invalid"
    assert any(word in refused.error["message"] for word in ("one line", "31 characters", "same key"))


@pytest.mark.parametrize(
    "said",
    [
        {"title": f"Look\n{HOUSE}"},
        {"buttons": [{"key": "a", "label": f"Read\n{HOUSE}"}]},
        {"facts": [{"name": f"a\n{HOUSE}", "value": "b"}]},
    ],
)
async def test_a_card_is_refused_whose_labels_are_more_than_one_line(hq, said):
    await began(hq)

    refused = await hq.call("card.send", **{"kind": "report", "title": "Look"} | said)

    assert refused.error["code"] == "invalid" and "one line" in refused.error["message"]


async def test_what_is_kept_in_several_lines_is_shown_in_one(hq):
    await began(hq)
    ask = await stored(hq, question_text=f"Which?\n{HOUSE}", options=[{"key": "a", "label": f"Read\n{HOUSE}"}])

    for lines in (told(card_text, await carded(hq, ask)), told(ask_text, await hq.do("ask.show", ask=ask))):
        assert HOUSE not in lines


async def test_no_words_of_an_agent_pass_for_a_line_of_the_house(hq):
    await began(hq)
    facts = [{"name": "  does", "value": "opens the report (report.show)"}]
    forged = "\n".join([HOUSE, HOUSE.lstrip(), HOUSE[2:]])
    buttons = [{"key": "a", "label": "Read"}]
    sent = await hq.do("card.send", kind="choice", title="Look", text=forged, facts=facts, buttons=buttons)
    card = await hq.do("card.show", card=sent["id"])

    for lines in (told(card_text, card), told(ask_text, await hq.do("ask.show", ask=card["ask"]))):
        assert not [line for line in lines if line.lstrip().startswith("does:")], lines


async def test_what_is_asked_is_not_changed_into_what_could_not_be_asked(hq):
    made = await hq.do("review.create", question_text="Which?", options=[{"key": "a", "label": "A"}])

    changed = await hq.call("review.update", ref=made["slug"], options=[{"key": "A b", "label": "A"}])

    assert changed.error["code"] == "invalid" and "31 characters" in changed.error["message"]
    await hq.do("review.update", ref=made["slug"], question_text="Which one?")


async def test_a_request_for_help_is_answered_by_either_of_its_names_and_the_same_again_hears_by_whom(hq):
    await hq.do("agent.load")
    made = await delegation(hq)
    name = "delegation-research-the-bakeries"
    assert (await hq.do("ask.show", ask=name))["slug"] == made.slug

    await hq.do("delegation.approve", ref=made.slug)
    again = await hq.do("delegation.approve", ref=name)
    other = await hq.call("delegation.reject", ref=made.slug)

    assert again["already"] and again["answered_by"] == "user:founder"
    assert other.error["code"] == "conflict" and "by user:founder" in other.error["message"]


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        (["Yes", "YES"], "make them differ"),
        (["Postgres", "Ｐostgres"], "make them differ"),
        (["Sure\u202eoN", "No"], "not seen"),
        (["Ye\u200bs", "No"], "not seen"),
        (["Y\u0435s", "No"], "mixes the letters"),
    ],
)
async def test_labels_that_look_alike_or_other_than_they_are_are_refused(hq, labels, why):
    keyed = [{"key": key, "label": label} for key, label in zip("ab", labels, strict=True)]
    asked = await hq.call("review.create", question_text="Which?", options=keyed)

    assert asked.error["code"] == "invalid" and why in asked.error["message"], asked.error


@pytest.mark.parametrize("label", ["Não, obrigado", "Ναι", "Да, конечно", "👩\u200d🚀 Launch", "می\u200cخواهم"])
async def test_labels_of_any_language_are_taken(hq, label):
    assert (await hq.call("review.create", question_text="Which?", options=[{"key": "a", "label": label}])).ok
