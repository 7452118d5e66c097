"""X7, S13, S1, S9, L3, J11: what a founder gets without any model, through the real loop and the shipped agents' own files."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from hq.door.access import Owner
from hq.door.access_rule import beyond
from hq.minds.scripted.choices import choices
from hq.minds.scripted.mind import shipped
from hq.web.stream_html import drawn
from tests.support.jobs import JobHand
from tests.support.play import Told, house  # noqa: F401
from tests.support.searching import catch_up
from tests.support.story_worker import worker


@dataclass
class Conversation:
    """The founder's, with a CEO that answers from scripts."""

    house: Any

    async def say(self, text: str) -> str:
        """Said where the whole conversation stands on the screen."""
        lines = [line for line in (await self.house.hq.do("chat.history"))["items"] if line["role"] != "user"]
        await self.house.hq.do("chat.say", text=text, shown=lines[-1]["id"] if lines else "nothing")
        await worker(self.house, shipped()).run_once()
        return (await self.last())["text"]

    async def last(self) -> dict[str, Any]:
        lines = (await self.house.hq.do("chat.history", limit=20))["items"]
        return [line for line in lines if line["role"] == "assistant" and not line.get("card")][-1]


@pytest.fixture
def chat(house) -> Conversation:  # noqa: F811
    return Conversation(house)


async def calls(chat: Conversation, verb: str) -> list[str]:
    return [
        row["status"] for row in (await chat.house.hq.do("action.list", verb=verb))["items"] if row["status"] != "begun"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Check my server health",
        "How is the machine doing?",
        "is my server ok?",
        "verifica o servidor",
        "check server health",
    ],
)
async def test_s13_x7_server_health_is_answered_at_once_with_what_was_measured(chat, text):
    told = await chat.say(text)

    assert "memory " in told and "% used" in told and "load " in told, told
    assert "of space used" in told and ("Containers" in told or "Contentores" in told)
    assert (await chat.house.hq.do("ask.list"))["items"] == []
    assert await calls(chat, "skill.run") == ["ok"] * 5


async def test_s13_what_was_measured_marks_nothing_that_is_asked_for_afterwards(chat):
    await chat.say("check my server health")
    await chat.say("remember that Ana likes tea")

    (action,) = (await chat.house.hq.do("action.list", verb="memory.add"))["items"]
    assert action["status"] == "ok"
    assert not (await chat.house.hq.do("action.show", id=action["action"])).get("taint")


async def test_s13_a_check_by_the_clock_reports_with_how_much_one_should_care(chat):
    hq = chat.house.hq
    told = await chat.say("check my server health every morning at 8")
    assert "every day at 08:00" in told
    (schedule,) = (await hq.do("schedule.list"))["items"]
    assert schedule["cron"] == "0 8 * * *"

    hq.clock.advance(days=1)
    await JobHand(hq, "schedule").run_once()
    await worker(chat.house, shipped()).run_once()

    (session,) = [s for s in await chat.house.sessions(agent="chief") if s["kind"] != "thread"]
    shown = await hq.do("session.replay", id=session["session"])
    assert "severity: " in str(shown) and "of space used" in str(shown)


async def test_x7_reminders_are_set_changed_listed_and_stopped(chat):
    assert "have none" in await chat.say("what reminders do I have?")
    assert "Call Ana, every weekday at 07:00" in await chat.say("Remind me every weekday at 7 to call Ana")
    assert "every Monday at 09:30" in await chat.say("make that every Monday at 9:30")
    assert "Pay rent" in await chat.say("remind me to pay rent tomorrow at 9")
    listed = await chat.say("What reminders do I have?")
    assert "2 reminders" in listed and "- Call Ana: every Monday at 09:30" in listed

    assert "“Call Ana” ends" in await chat.say("stop the Ana reminder")
    assert "“Pay rent” ends" in await chat.say("stop that reminder")
    assert "have none" in await chat.say("what reminders do I have?")


@pytest.mark.parametrize(
    ("text", "cron"),
    [
        ("lembra-me todos os dias úteis às 7 de ligar à Ana", "0 7 * * 1-5"),
        ("lembra-me de regar as plantas todas as segundas às 9h30", "30 9 * * 1"),
        ("every friday at 17:00 remind me to send invoices", "0 17 * * 5"),
        ("remind me to stretch every hour", "0 * * * *"),
    ],
)
async def test_x7_a_reminder_is_understood_in_both_languages(chat, text, cron):
    await chat.say(text)

    (schedule,) = (await chat.house.hq.do("schedule.list"))["items"]
    assert schedule["cron"] == cron


async def test_x7_a_reminder_comes_as_a_card_when_its_time_has_come(chat):
    hq = chat.house.hq
    await chat.say("remind me in 20 minutes to stretch")

    hq.clock.advance(minutes=21)
    await JobHand(hq, "schedule").run_once()
    await worker(chat.house, shipped()).run_once()

    (session,) = [s for s in await chat.house.sessions(agent="chief") if s["kind"] != "thread"]
    assert "Reminder: Stretch." in str(await hq.do("session.replay", id=session["session"]))


async def test_s9_x7_what_was_told_decided_and_checked_is_known_later(chat):
    await chat.say("Remember that Ana's birthday is 3 May")
    await chat.say("remember that we decided hotels are booked by Ana")
    assert "Not that I know" in await chat.say("did we check the backups before?")
    await chat.say("check the disk")
    await catch_up(chat.house.hq)
    chat.house.hq.clock.advance(days=3)

    assert "3 May" in await chat.say("When is Ana's birthday?")
    assert "hotels are booked by Ana" in await chat.say("what did we decide about hotels?")
    assert "disk-health was checked on" in await chat.say("did we check the disk before?")
    assert "birthday is 3 May" in await chat.say("what do you know about me?")
    assert "nothing decided about trains" in await chat.say("what did we decide about trains?")


async def test_l3_x7_how_things_stand_names_what_moves_what_waits_and_what_is_left(chat):
    hq = chat.house.hq
    await hq.do("agent.create", name="scout", role="Researcher")
    for name in ("Trip", "Menu"):
        await hq.do("mission.create", title=name, deadline="2020-01-01T00:00:00Z", deliverables=["file:a.md"])
    await hq.do("mission.assign", ref="trip", to="scout")
    await hq.do("review.create", question_text="Which name?", options=[{"key": "a", "label": "The Weekly"}])

    for text in ("what is open?", "What's going on?", "como estão as coisas?"):
        told = await chat.say(text)
        assert "Which name?" in told and "Trip: " in told and "The Weekly" in told and "scout (Researcher)" in told, (
            told
        )
        assert "$7.00" in told
    stuck = await chat.say("what is stuck?")
    assert "Trip" in stuck and "Menu" in stuck and "overdue" in stuck
    assert "Nothing is finished yet" in await chat.say("what just finished?")


async def test_f7_what_no_script_knows_offers_three_things_that_work_by_number_or_press(chat):
    told = await chat.say("bananas are yellow")
    offered = choices(told)
    assert len(offered) == 3 and "“bananas are yellow”" in told
    line = drawn(await chat.last())
    assert line.count("data-say=") == 3 and "data-say=&#34;" not in line

    answers = [await chat.say("2")]
    again = await chat.say("asdf")
    assert choices(again), again
    answers.append(await chat.say("the third"))
    for each in answers:
        assert "no request that I know" not in each

    twice = await chat.say("bananas are blue")
    other = await chat.say("bananas are green")
    assert choices(twice) != choices(other), "not the same each time"


async def test_f7_what_is_offered_fits_how_things_stand(chat):
    assert any("I need a web app" in each for each in choices(await chat.say("hm bananas")))
    await chat.house.hq.do("mission.create", title="Flight tracker")
    await catch_up(chat.house.hq)

    told = choices(await chat.say("hm flight tracker bananas"))
    assert "status of Flight tracker" in told and not any("I need a web app" in each for each in told)
    assert "Flight tracker" in await chat.say("1")


async def test_f7_every_way_that_is_offered_is_understood(chat):
    seen: set[str] = set()
    for word in ("alpha", "beta", "gamma", "delta"):
        seen |= set(choices(await chat.say(f"{word} bananas")))
    assert len(seen) >= 6
    for each in seen:
        assert "no request that I know" not in await chat.say(each), each


async def test_words_of_a_model_are_never_made_buttons(chat):
    line = {
        "id": "x",
        "role": "assistant",
        "sender": "chief",
        "at": "2026-01-01T00:00:00+00:00",
        "text": "1. “pay”",
        "model": "anthropic:x",
    }

    assert "data-say" not in drawn(line)
    assert "data-say" in drawn(line | {"model": "script:unknown.anything"})


async def test_what_waits_is_listed_with_its_words_and_makes_no_button_of_them(chat):
    await chat.house.hq.do("review.create", question_text="Which name?", options=[{"key": "a", "label": "The Weekly"}])

    told = await chat.say("bananas are yellow")

    assert "Which name?" in told and choices(told) == []
    assert "data-say" not in drawn(await chat.last())


async def test_x7_stop_everything_puts_a_card_whose_button_freezes_and_thaw_lets_it_go_on(chat):
    hq = chat.house.hq
    told = await chat.say("Stop everything!")
    assert "press “Stop everything”" in told and (await hq.do("freeze.list"))["items"] == []
    (card,) = (await hq.do("card.list", open=True))["items"]

    await hq.do("card.press", card=card["id"], button="freeze")

    assert [each["scope"] for each in (await hq.do("freeze.list"))["items"]] == ["all"]
    assert (await hq.call("chat.say", text="hello")).error["code"] == "frozen"
    await hq.do("freeze.lift")
    assert "Hello" in await chat.say("hello")


@pytest.mark.parametrize(
    ("stop", "go_on"),
    [
        ("yes, stop everything", "let it go on"),
        ("yes", "go on"),
        ("stop it all", "Yes, let it go on please."),
        ("Stop everything", "continue"),
        ("pára tudo", "continua"),
    ],
)
async def test_x7_everything_stops_and_goes_on_by_the_founders_own_word(chat, stop, go_on):
    hq = chat.house.hq
    await chat.say("Stop everything!")

    await hq.do("chat.say", text=stop, shown=(await hq.do("chat.history"))["items"][-1]["id"])

    assert [each["scope"] for each in (await hq.do("freeze.list"))["items"]] == ["all"]
    assert (await hq.call("chat.say", text="go on with the report")).error["code"] == "frozen"
    await hq.do("chat.say", text=go_on)
    assert (await hq.do("freeze.list"))["items"] == []
    await worker(chat.house, shipped()).run_once()
    lines = [line["text"] for line in (await hq.do("chat.history"))["items"] if line["role"] == "assistant"]
    assert "Good: Stop everything. It goes on." not in lines
    assert "Hello" in await chat.say("hello")


@pytest.mark.parametrize(
    "word", ["stop everything tomorrow", "should I stop everything?", "no", "do not stop everything"]
)
async def test_x7_nothing_stops_by_a_word_that_does_not_say_so(chat, word):
    await chat.say("Stop everything!")
    await chat.say(word)

    assert (await chat.house.hq.do("freeze.list"))["items"] == []


async def test_the_ceo_cannot_put_the_kill_switch_on_a_card_of_its_own(chat):
    hq = chat.house.hq
    buttons = [{"key": "a", "label": "Noted", "verb": "freeze.set", "args": {}}]

    sent = await hq.call(
        "card.send", kind="report", title="All is well", buttons=buttons, _token=await hq.agent("chief")
    )

    assert sent.error["code"] == "forbidden"


async def test_j11_one_sentence_answers_both_or_the_one_it_names(chat):
    hq = chat.house.hq
    asked = []
    for name, role in (("Lawrence", "lawyer"), ("Forge", "developer")):
        await chat.say(f"hire a {role} called {name}")
        asked += [each["slug"] for each in (await hq.do("ask.list"))["items"] if each["slug"] not in asked]
    assert len(asked) == 2

    told = await chat.say("approve the lawyer")
    assert [each["slug"] for each in (await hq.do("ask.list"))["items"]] == asked[1:], told
    await chat.say("hire a designer called Dora")
    await chat.say("yes to both")
    assert (await hq.do("ask.list"))["items"] == []
    assert {"lawrence", "forge", "dora"} <= {each["slug"] for each in (await hq.do("agent.list"))["items"]}


async def test_s1_a_run_of_a_client_is_matched_by_its_words_alone(chat):
    await chat.house.hq.do("run.start", task="check my server health", verbosity="concise")
    await worker(chat.house, shipped()).run_once()

    assert await calls(chat, "skill.run") == ["ok"] * 5


HEALTH = ("system", "disk", "service", "container", "backup")


async def test_s13_m12_a_model_checks_this_machine_in_two_calls_and_asks_nobody(chat):
    hq = chat.house.hq
    runs = [("skill_run", {"skill": f"{name}-health", "command": "check"}) for name in HEALTH]
    mind = Told([runs, "All is well."])
    await hq.do("chat.say", text="Check my server health")

    await worker(chat.house, mind).run_once()

    assert len(mind.asked) == 2 and (await hq.do("ask.list"))["items"] == []
    assert await calls(chat, "skill.run") == ["ok"] * 5
    assert (await chat.last())["text"] == "All is well."


async def test_s13_m12_workers_have_what_who_sent_them_has(chat):
    hq = chat.house.hq
    token = (await hq.do("auth.token", worker="chief", scopes=["read", "write", "effect"]))["token"]

    ran = await hq.call("skill.run", skill="disk-health", command="check", _token=token)

    assert ran.ok and ran.data["where"] == "this machine", ran.error


@pytest.mark.parametrize(
    ("role", "agent", "sent"), [("ceo", "chief", False), ("operator", "operator", True), (None, "forge", True)]
)
def test_nobody_is_told_to_send_a_message_to_itself(role, agent, sent):
    caller: Any = SimpleNamespace(role=role, agent=agent, actor=f"agent:{agent}", project=None)
    verb: Any = SimpleNamespace(name="skill.run", for_=("ceo",))

    told = beyond(caller, verb, Owner("a skill", ask="ceo"))

    assert ("hq agent send ceo" in (told.hint or "")) == sent and (told.hint or "").strip()
