"""What a person's word costs: one that the house took, or asks back about, is no question to the CEO, and wakes nobody."""

from __future__ import annotations

from hq.minds.prompt_data import NOT_TO_ANSWER
from tests.support.play import Told, texts

from .talking import two

HIRE = ("agent_hire", {"name": "Ann", "title": "Writer", "role": "writer"})
OTHER = ("agent_hire", {"name": "Bea", "title": "Researcher", "role": "researcher"})


async def two_hires(play) -> None:
    """The founder asked for two, and the CEO's calls wait for their yes."""
    await play.hq.do("agent.load")
    await play.hq.do("chat.say", text="Hire a writer and a researcher, please.")
    await run(play, Told([[HIRE, OTHER], "Both wait for your yes."]))
    assert len((await play.hq.do("approval.list", status="pending"))["items"]) == 2
    await play.hq.do("chat.read")
    play.hq.clock.advance(minutes=1)


async def run(play, mind: Told) -> Told:
    runner = play.runner(mind)
    for _ in range(6):
        await runner.run_once()
    return mind


async def test_a_word_about_which_the_house_asks_back_is_no_question_to_the_ceo(play):
    await two_hires(play)

    said = await play.hq.do("chat.say", text="yes")
    mind = await run(play, Told(["What do you mean?"] * 5))

    assert len(said["undecided"]) == 2 and mind.asked == []


async def test_a_yes_to_both_that_was_taken_is_for_the_ceo_to_know(play):
    await two_hires(play)
    await play.hq.do("chat.say", text="yes")
    await run(play, Told(["What do you mean?"] * 5))

    await play.hq.do("chat.say", text="yes to both")
    mind = await run(play, Told(["What do you mean?"] * 5))

    assert (await play.hq.do("approval.list", status="pending"))["items"] == []
    *_, word, _, _ = texts(mind.asked[0].messages)
    assert word.startswith(f"{NOT_TO_ANSWER}yes to both"), "only what its calls came to is for it to go on with"


async def test_a_yes_to_both_wakes_nobody_whose_own_they_are_not(play):
    await play.hq.do("agent.load")
    await play.hq.do("chat.say", text="Hello.")
    await run(play, Told(["Hello."]))
    await two(play.hq)
    await play.hq.do("chat.say", text="yes")
    play.hq.clock.advance(minutes=1)

    await play.hq.do("chat.say", text="yes to both")
    mind = await run(play, Told(["What do you mean?"] * 5))

    assert (await play.hq.do("approval.list", status="pending"))["items"] == [] and mind.asked == []


async def test_what_is_for_the_ceo_after_all_reaches_it_with_what_was_said(play):
    await two_hires(play)
    await play.hq.do("chat.say", text="yes")
    await run(play, Told(["What do you mean?"] * 5))

    await play.hq.do("chat.say", text="for the CEO")
    mind = await run(play, Told(["What do you mean?"] * 5))

    *_, word, host = texts(mind.asked[0].messages)
    assert word.startswith("yes") and host.startswith("for the CEO")
