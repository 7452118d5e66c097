"""The CEO that waits for a mission and goes on talking: it is woken once for what came of it, and for nothing on the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.firm import Firm, firm, own_firm
from tests.support.passable import tmp_path
from tests.support.play import Told, house, route, texts  # noqa: F401
from tests.support.story_worker import worker

__all__ = ["firm", "own_firm", "tmp_path"]

WAIT = ("mission_wait", {"missions": ["ode"]})
REVISE = ("hq", {"command": "mission revise ode --deadline 2026-12-20"})
HIRE = ("agent_hire", {"name": "Rita", "role": "writer", "title": "Writer", "mission": "ode"})


class Desk:
    """The founder at the chat, the CEO at the other end."""

    def __init__(self, firm: Firm) -> None:
        self.hq, self.firm = firm.hq, firm
        self.mind = Told(lambda ask: '<task-complete reason="done" memory_entry_count="0"/>')

    async def begin(self) -> None:
        await self.hq.do("agent.load")

    async def goes(self, says: Callable) -> list[list[str]]:
        """Everybody works until nobody has anything to do; what the CEO was asked with meanwhile."""
        asked: list[list[str]] = []

        def answers(ask):
            if not is_chief(ask):
                return '<task-complete reason="done" memory_entry_count="0"/>'
            asked.append(texts(ask.messages))
            return says(ask)

        self.mind.lines = answers
        for _ in range(20):
            await route(self.hq)
            if not await worker(self, self.mind).run_once():
                return asked
        raise AssertionError("it never comes to rest")

    async def say(self, text: str, says: Callable) -> list[list[str]]:
        await self.hq.do("chat.say", text=text, shown="nothing")
        return await self.goes(says)

    async def state(self) -> str:
        (thread,) = [each for each in await self.firm.sessions("chief") if each["kind"] == "thread"]
        return thread["state"]

    async def said(self) -> str:
        return "\n".join(line["text"] for line in (await self.hq.do("chat.history", limit=100))["items"])


def is_chief(ask) -> bool:
    return "chief" in ask.instructions


def in_order(*lines):
    """What it says, one after the other."""
    left = list(lines)
    return lambda ask: left.pop(0) if left else "(asked once too often)"


@pytest.fixture
async def desk(own_firm) -> Desk:
    made = Desk(own_firm)
    await made.begin()
    return made


async def ode(desk: Desk, **more) -> None:
    chief = await desk.hq.agent("chief", scopes=["read", "write"])
    await desk.hq.do("mission.create", title="Ode", _token=chief, **more)


async def given_out(desk: Desk) -> None:
    await ode(desk)
    await desk.hq.do("mission.assign", ref="ode", to="forge", _token=await desk.hq.agent("chief"))
    await desk.hq.do("mission.accept", ref="ode")
    await desk.say("Write an ode.", in_order(WAIT))


async def test_who_revises_what_it_waits_for_goes_on_waiting_and_hears_what_came_of_it_once(desk):
    await given_out(desk)

    await desk.say("It is due before Christmas.", in_order(REVISE, "I moved the date."))
    assert await desk.state() == "waiting"
    await desk.hq.do("mission.fail", ref="ode", why="no rhyme", _token=await desk.hq.agent("forge"))
    asked = await desk.goes(in_order("It came to nothing."))

    assert len(asked) == 1 and not any("New report" in text for text in asked[0])
    assert "no rhyme" in asked[0][-1]
    assert await desk.state() == "waiting"


async def test_what_was_waited_for_again_and_again_is_told_once(desk):
    await given_out(desk)
    for _ in range(2):
        await desk.say("How is it going?", in_order(WAIT))

    await desk.hq.do("mission.fail", ref="ode", why="no rhyme", _token=await desk.hq.agent("forge"))
    asked = await desk.goes(in_order("It came to nothing."))

    assert len(asked) == 1 and sum("no rhyme" in text for text in asked[0]) == 1
    assert await desk.state() == "waiting"


async def test_what_came_of_a_mission_while_its_ceo_speaks_is_told_once(desk):
    await given_out(desk)

    await desk.hq.do(
        "chat.say", text="Good evening.", shown="nothing"
    )  # the thread is queued, and waits for nothing just now
    await desk.hq.do("mission.fail", ref="ode", why="no rhyme", _token=await desk.hq.agent("forge"))
    asked = await desk.goes(lambda ask: "Good evening.")

    assert sum("no rhyme" in text for text in asked[-1]) == 1
    assert "no rhyme" not in await desk.said(), "what was reported to the CEO the founder hears from the CEO"


async def test_what_is_reported_to_a_ceo_that_does_not_wait_is_for_the_ceo_to_tell(desk):
    await given_out(desk)
    await desk.say("Leave it, we talk of something else.", lambda ask: "Gladly.")
    await desk.hq.do("mission.create", title="Sonnet", _token=await desk.hq.agent("chief"))
    await desk.hq.do("mission.assign", ref="sonnet", to="forge", _token=await desk.hq.agent("chief"))

    await desk.hq.do("mission.fail", ref="sonnet", why="no rhyme", _token=await desk.hq.agent("forge"))
    asked = await desk.goes(lambda ask: "The sonnet came to nothing.")

    assert "New report from agent:forge" in asked[-1][-1] and "no rhyme" in asked[-1][-1]
    said = await desk.said()
    assert "The sonnet came to nothing." in said and "no rhyme" not in said
    assert (await desk.hq.do("chat.status"))["unread"] == said.count("\n") + 1 - 2, (
        "of the two that the founder said none is unread"
    )


async def test_m5_a_wait_for_a_mission_waits_for_the_hire_that_is_to_do_it(desk):
    await ode(desk)

    asked = await desk.say("Write an ode.", in_order([HIRE, WAIT]))

    assert len(asked) == 1 and await desk.state() == "waiting"


async def test_m6_a_hire_that_came_back_while_its_mission_is_waited_for_asks_nobody(desk):
    await ode(desk)
    await desk.say("Write an ode.", in_order([HIRE, WAIT]))
    [ask] = (await desk.hq.do("approval.list", status="pending"))["items"]

    await desk.hq.do("ask.answer", ask=ask["slug"], option="yes")
    asked = await desk.goes(in_order())
    assert asked == [] and await desk.firm.status("ode") == "assigned"
    await desk.hq.do("mission.fail", ref="ode", why="no rhyme", _token=await desk.hq.agent("rita"))
    [told] = await desk.goes(in_order("It came to nothing."))

    assert any("agent_hire" in text and '"rita"' in text for text in told), "it is told with what came of the mission"
    assert any("no rhyme" in text for text in told)


async def test_m6_a_hire_that_was_refused_is_told_at_once_and_so_is_that_nobody_works_on_it(desk):
    await ode(desk)
    await desk.say("Write an ode.", in_order([HIRE, WAIT]))
    [ask] = (await desk.hq.do("approval.list", status="pending"))["items"]

    await desk.hq.do("ask.answer", ask=ask["slug"], option="no")
    [told] = await desk.goes(in_order("Then I look for somebody else."))

    assert any("nobody works on it" in text for text in told) and any("rejected" in text for text in told)


async def test_a_wait_for_a_whole_goes_on_while_its_parts_are_under_way(desk):
    await ode(desk)
    chief = await desk.hq.agent("chief")
    for part, agent in (("Verse", "forge"), ("Chorus", "scout")):
        await desk.hq.do("mission.create", title=part, parent="ode", _token=chief)
        await desk.hq.do("mission.assign", ref=part.lower(), to=agent, _token=chief)
    asked = await desk.say("Write an ode.", in_order(WAIT))
    assert len(asked) == 1 and await desk.state() == "waiting"

    for part, agent in (("verse", "forge"), ("chorus", "scout")):
        await desk.hq.do("mission.fail", ref=part, why="no rhyme", _token=await desk.hq.agent(agent))
    [told] = await desk.goes(in_order("It came to nothing."))

    assert any("nobody works on it" in text for text in told)


async def hire_asked(desk: Desk) -> str:
    await ode(desk)
    await desk.say("Write an ode.", in_order(HIRE, "I would hire Rita; the house asks you."))
    [ask] = (await desk.hq.do("approval.list", status="pending"))["items"]
    return ask["slug"]


@pytest.mark.parametrize("way", ["button", "word"])
async def test_a_yes_after_which_nothing_is_left_to_do_asks_no_mind_and_the_house_says_what_was_done(desk, way):
    ask = await hire_asked(desk)

    if way == "button":
        await desk.hq.do("ask.answer", ask=ask, option="yes")
    else:
        await desk.hq.do("chat.say", text="yes", reply_to=ask)
    asked = await desk.goes(in_order())

    assert asked == [] and await desk.firm.status("ode") == "assigned"
    last = (await desk.hq.do("chat.history"))["items"][-1]
    assert (last["sender"], last["role"]) == ("service:hq", "assistant")
    assert last["text"].startswith("Done: Hire agent “Rita”"), last
    assert await desk.state() == "waiting"

    [told] = await desk.say("Thank you.", lambda ask: "You are welcome.")
    assert any("agent_hire" in text and '"rita"' in text for text in told), "it is told with what is said next"


async def test_who_hired_for_nothing_yet_goes_on_by_itself_after_the_yes(desk):
    name, args = HIRE
    await ode(desk)
    await desk.say(
        "Write an ode.", in_order((name, {**args, "mission": None}), "I would hire Rita, who then writes it.")
    )
    [ask] = (await desk.hq.do("approval.list", status="pending"))["items"]

    await desk.hq.do("ask.answer", ask=ask["slug"], option="yes")
    asked = await desk.goes(in_order(("mission_assign", {"ref": "ode", "to": "rita"}), "Rita writes it."))

    assert any("agent_hire" in text and '"rita"' in text for text in asked[0]), (
        "it is told at once, with nobody saying more"
    )
    assert await desk.firm.status("ode") == "assigned"


async def test_a_no_is_told_to_who_asked_at_once(desk):
    ask = await hire_asked(desk)

    await desk.hq.do("ask.answer", ask=ask, option="no")
    [told] = await desk.goes(in_order("Then I look for somebody else."))

    assert any("rejected" in text for text in told)


async def test_a_word_beside_a_yes_is_heard(desk):
    ask = await hire_asked(desk)

    await desk.hq.do("chat.say", text="yes", reply_to=ask)
    [told] = await desk.say("And make it short.", lambda ask: "I will tell Rita.")

    assert told[-1] == "And make it short." and any(text.startswith("yes") for text in told)


async def test_whoever_looks_sees_which_mission_is_waited_for_and_how_far_its_parts_are(desk):
    await given_out(desk)
    assert (await desk.hq.do("chat.status"))["why"] == "waits for “Ode”"

    for title in ("First verse", "Second verse"):
        await desk.hq.do("mission.create", title=title, parent="ode", _token=await desk.hq.agent("chief"))
    await desk.hq.do("mission.assign", ref="first-verse", to="forge")
    await desk.hq.do("mission.accept", ref="first-verse")
    await desk.hq.do("mission.submit", ref="first-verse", outcome="It rhymes.")
    await desk.hq.do("mission.sign_off", ref="first-verse")

    assert (await desk.hq.do("chat.status"))["why"] == "waits for “Ode” (1 of 2 parts done)"


async def test_what_waits_is_told_by_its_slug_and_by_no_machinery(desk):
    await given_out(desk)
    asked = await desk.say("How is it going?", in_order("It goes on."))

    [told] = [text for text in asked[0] if '"waiting"' in text]
    assert "ode" in told and "mission.wait waits" in told
    assert not any(word in told for word in ("waits_on", "waits_for", "waits_since", "mission.closed", "mission:"))


async def test_what_the_ceo_took_back_itself_does_not_wake_it(desk):
    await ode(desk)
    await desk.say("Have an ode written.", in_order(HIRE, "I asked you."))
    [asks] = (await desk.hq.do("approval.list", status="pending"))["items"]

    withdraw = ("hq", {"command": f"ask withdraw {asks['slug']}"})
    asked = await desk.say("No new hire.", in_order(withdraw, "Nobody is hired.", "I hear that nobody is hired."))

    assert len(asked) == 2, "what it did itself is no news"
