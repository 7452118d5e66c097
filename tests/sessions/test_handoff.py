"""Handoff: six sections, a successor that begins with them, a predecessor that lives on; and all that can go wrong."""

from __future__ import annotations

import asyncio
import json

import pytest

from hq.org.files import OrgFiles
from hq.sessions.handoff.phrases import asks_for_handoff
from tests.support.jobs import JobHand
from tests.support.play import Told, route, texts

DONE = '<task-complete reason="done"/>'
SECTIONS = {
    "current_work": "The offer for Ana",
    "progress": "Half",
    "key_decisions": "Two rooms, because of the budget",
    "blockers": "none",
    "files_modified": ["offer.md"],
    "next_steps": "Send it",
}


class Writer(Told):
    """Asks a question that keeps it alive, and writes the document when it is asked for one."""

    sections: object = SECTIONS

    async def answer(self, ask, *, on_text=None):
        if "handoff document as one JSON object" in str(ask.messages[-1]):
            self.lines, kept = (lambda _: json.dumps(self.sections)), self.lines
            try:
                return await super().answer(ask)
            finally:
                self.lines = kept
        return await super().answer(ask)


class Stage:
    """A session of scout in the middle of its work, asked to hand off at its first turn."""

    def __init__(self, play) -> None:
        self.play, self.hq = play, play.hq
        self.duty = JobHand(play.hq, "handoffs")
        self.handoff: dict = {}

    async def run(self, lines, **asked) -> str:
        """Runs it to its rest; the handoff is asked for while its mind thinks for the first time."""
        stage = self

        class Asked(Writer):
            async def answer(self, ask, *, on_text=None):
                if not self.asked and not stage.handoff:
                    self.asked.append(ask)
                    stage.handoff = await stage.hq.do("agent.handoff", agent="scout", force=True, **asked)
                return await super().answer(ask)

        session = (await self.hq.do("agent.send", agent="scout", text="write the offer"))["session"]
        self.mind = Asked(lines)
        await self.play.runner(self.mind).run_once()
        return session

    async def settle(self) -> int:
        await route(self.hq)
        return await self.duty.run_once()

    async def shown(self) -> dict:
        return (await self.hq.do("handoff.show", ref=self.handoff["handoff"]))["props"]


@pytest.fixture
async def stage(play) -> Stage:
    await play.agent("ada")
    return Stage(play)


WAITS = [("hq_agent", {"action": "ask", "agent": "ada", "text": "Which room?"}), DONE]
WORKS = [("hq_task", {"action": "list"}), *WAITS]


async def test_the_successor_begins_with_six_sections_and_the_predecessor_lives_on(stage):
    session = await stage.run(WORKS, context="Mention Ana")
    assert stage.play.ended[session].state == "waiting"  # it went on with its own work

    shown = await stage.shown()
    assert {name: shown[name] for name in SECTIONS} == SECTIONS
    assert (shown["status"], shown["completed_via"]) == ("requested", "file")
    assert await stage.settle() == 0  # the successor has not begun

    mind = Told([DONE])
    await stage.play.runner(mind).run_once()
    assert await stage.settle() == 1

    shown = await stage.shown()
    assert shown["status"] == "completed" and shown["to_session"] != session
    successor = next(t for ask in mind.asked for t in texts(ask.messages) if "continue the work of scout" in t)
    assert all(f"## {title}" in successor for title in ("Current work", "Progress", "Key decisions", "Next steps"))
    assert "Two rooms, because of the budget" in successor
    assert (await stage.hq.do("session.show", id=session))["state"] == "waiting"


async def test_the_document_is_a_file_too(stage):
    await stage.run(WORKS)

    path = (await stage.shown())["document_path"]
    text = stage.hq.door.services[OrgFiles].read("acme-hq", path)
    assert path.startswith("data/agents/scout/handoffs/") and "- offer.md" in (text or "")


async def test_a_predecessor_that_ends_without_a_word_is_made_up_for(stage):
    session = await stage.run(
        [("hq_task", {"action": "list"}), ("hq_agent", {"action": "ask", "agent": "ada", "text": "?"})]
    )
    again = await stage.hq.call("agent.handoff", agent="scout", force=True)
    assert again.error["code"] == "conflict"  # one at a time
    stage.hq.clock.advance(minutes=6)
    await stage.settle()
    made = await stage.hq.do("agent.handoff", agent="scout", session=session, force=True)
    stage.handoff = made
    await stage.hq.do("session.stop", id=session)

    await stage.settle()
    await stage.play.runner([DONE]).run_once()
    assert await stage.settle() == 1

    shown = await stage.shown()
    assert (shown["status"], shown["completed_via"]) == ("completed", "stop_hook")
    assert shown["current_work"] == "write the offer"


async def test_a_document_that_is_none_is_taken_as_words(stage):
    Writer.sections = "I would rather not."
    try:
        await stage.run(WORKS)
    finally:
        Writer.sections = SECTIONS

    shown = await stage.shown()
    assert shown["current_work"] == "write the offer" and "rather not" in shown["progress"]


async def test_two_who_ask_at_once_make_one_handoff(stage):
    session = await stage.run(WORKS)
    stage.hq.clock.advance(minutes=6)
    await stage.settle()  # the first is given up: nobody began

    made = await asyncio.gather(
        *(stage.hq.call("agent.handoff", agent="scout", session=session, force=True) for _ in range(4))
    )

    assert sorted(each.ok for each in made) == [False, False, False, True]
    assert {each.error["code"] for each in made if not each.ok} == {"conflict"}


async def test_a_successor_that_never_starts_is_given_up_and_can_be_asked_for_again(stage):
    session = await stage.run(WORKS)
    stage.hq.clock.advance(minutes=6)

    assert await stage.settle() == 1

    shown = await stage.shown()
    assert (shown["status"], shown["error"]) == ("failed", "the successor did not start")
    assert (await stage.hq.do("session.show", id=shown["to_session"]))["state"] == "stopped"
    assert (await stage.hq.call("agent.handoff", agent="scout", session=session, force=True)).ok


async def test_a_document_nobody_writes_is_given_up_in_time(stage):
    session = await stage.run(WORKS)
    stage.hq.clock.advance(minutes=6)
    await stage.settle()
    stage.handoff = await stage.hq.do("agent.handoff", agent="scout", session=session, force=True)

    stage.hq.clock.advance(minutes=4)
    assert await stage.settle() == 0
    stage.hq.clock.advance(minutes=2)
    assert await stage.settle() == 1  # it waits for an answer all the time, and cannot write

    assert (await stage.shown())["error"] == "the document was not written in time"


async def test_a_successor_that_may_not_work_yet_begins_once_it_may(stage):
    await stage.hq.do("agent.create", name="bob", role="Scout")
    await stage.hq.do("agent.pause", agent="bob")
    await stage.run(WORKS, to="bob")
    assert "to_session" not in await stage.shown()

    await stage.hq.do("agent.resume", agent="bob")
    await stage.settle()

    shown = await stage.shown()
    assert (await stage.hq.do("session.show", id=shown["to_session"]))["agent"] == "bob"


async def test_below_eighty_percent_only_a_person_hands_off(play):
    await play.agent("ada")
    scout = await play.hq.agent("scout")
    session = (await play.hq.do("agent.send", agent="scout", text="go"))["session"]
    await play.runner(WAITS, context_window=200).run_once()
    assert (await play.hq.call("agent.handoff", agent="scout", _token=scout)).error["code"] == "conflict"
    (row,) = (await play.hq.do("agent.status", agent="scout"))["items"]
    assert (row["context_used"], row["handoff_eligible"]) == (0.55, False)

    forced = await play.hq.call("agent.handoff", agent="scout", force=True, _token=scout)
    assert "--force" in forced.error["message"] and forced.error["details"]["ask"] == "founder"
    assert (await play.hq.do("agent.handoff", agent="scout", force=True))["session"] == session


async def test_at_eighty_percent_anybody_may(play):
    await play.agent("ada")
    await play.hq.do("agent.send", agent="scout", text="go")
    await play.runner(WAITS, context_window=130).run_once()

    assert (await play.hq.do("agent.status", agent="scout"))["items"][0]["handoff_eligible"]
    assert (await play.hq.do("agent.handoff", agent="scout"))["context_used"] == pytest.approx(110 / 130, abs=0.001)


async def test_a_person_may_say_it_in_words(play):
    await play.agent("ada")
    await play.hq.do("agent.send", agent="scout", text="go")
    await play.runner(WAITS).run_once()

    said = await play.hq.do("agent.send", agent="scout", text="Please hand off now")

    assert (await play.hq.do("handoff.show", ref=said["handoff"]))["props"]["reason"] == "voice"


async def test_the_nightly_rotation_leaves_one_that_hands_off_alone(stage):
    session = (await stage.hq.do("agent.send", agent="scout", text="write the offer"))["session"]

    class Rotated(Writer):
        async def answer(self, ask, *, on_text=None):
            if not self.asked:
                await stage.hq.do("agent.handoff", agent="scout", force=True)
                assert (await stage.hq.do("agent.handover", agent="scout"))["sessions"] == []
            return await super().answer(ask)

    await stage.play.runner(Rotated(WORKS)).run_once()

    assert stage.play.ended[session].state == "waiting"


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        ("hand off", True),
        ("Please hand over to a fresh you.", True),
        ("can you hand off to your successor?", True),
        ("It's time to hand over now", True),
        ("start a handoff", True),
        ("write the handoff document", True),
        ("time for a hand-off", True),
        ("bring in a successor", True),
        ("let's do a handover", True),
        ("pass your work on", True),
        ("your context is almost full, hand off", True),
        ("hand over the keys to Ana", False),
        ("What does hand off mean?", False),
        ("The handoff went well", False),
    ],
)
def test_what_counts_as_asking_for_it(said, is_one):
    assert asks_for_handoff(said) is is_one


async def test_one_under_way_is_looked_at_without_a_call_until_something_moves(stage):
    await stage.run(WORKS)
    for _ in range(5):
        assert await stage.settle() == 0

    tended = (await stage.hq.do("action.list", verb="handoff.tend"))["items"]
    assert tended == []
