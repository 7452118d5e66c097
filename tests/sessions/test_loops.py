"""Loops: each kind is broken once, and what only looks like one is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hq.errors import Refused
from hq.guard.loops import CompletedCall, LoopLimits, looping
from tests.support.jobs import JobHand
from tests.support.play import Told
from tests.support.supervised import announced

LIST = ("hq_task", {"action": "list"})
DONE = '<task-complete reason="done"/>'


def reads(verb: str) -> bool:
    return verb.endswith(".list")


def made(
    *results: int, verb: str | None = "task.list", error: str | None = None, args: str = "{}"
) -> list[CompletedCall]:
    return [CompletedCall("hq_task", args, result, error, verb) for result in results]


def test_the_same_call_with_the_same_result_over_and_over_is_a_loop():
    other = made(7, args='{"other": 1}')
    calls = [call for _ in range(6) for call in (*made(1), *other)]

    assert "same result" in (looping([], calls, reads=reads) or "")
    assert looping([], calls[:9], reads=reads) is None


def test_looking_again_after_a_change_is_no_loop():
    calls = [call for _ in range(9) for call in (*made(1), *made(2, verb="task.create"))]

    assert looping([], calls, reads=reads) is None


def test_the_same_error_five_times_in_a_row_is_a_loop_and_different_ones_are_not():
    assert "failed with invalid" in (looping([], made(1, 2, 3, 4, 5, verb=None, error="invalid")) or "")
    mixed = [*made(1, 2, 3, 4, verb=None, error="invalid"), *made(5, verb=None, error="not_found")]
    assert looping([], mixed) is None


def test_what_one_answer_called_all_at_once_is_one_turn():
    def turn(number: int) -> list[CompletedCall]:
        return [replace(call, turn=number) for call in made(1, 2, 3, 4, 5, verb=None, error="invalid")]

    assert looping([], turn(1)) is None, "it has not seen one of these errors yet"
    assert looping([], [call for n in range(4) for call in turn(n)]) is None
    assert "5 turns in a row failed with invalid" in (looping([], [call for n in range(5) for call in turn(n)]) or "")


async def test_five_calls_that_fail_at_once_are_seen_before_anything_is_stopped(play):
    wrong = [("hq_task", {"action": "show", "ref": f"no-{n}"}) for n in range(6)]

    _, ended = await play.run([wrong, DONE])

    assert ended.state == "done"


async def test_who_is_woken_by_an_incident_reads_who_is_in_trouble(play):
    await play.hq.do("agent.load")
    await play.run([("hq_task", {"action": "show", "ref": f"no-{n}"}) for n in range(20)])
    await announced(play.hq)
    await JobHand(play.hq, "route").run_once()
    mind = Told([DONE])

    await play.runner(mind).run_once()

    told = str(mind.asked[0])
    assert 'scout is in trouble (loop): "5 turns in a row failed with not_found". It is incident' in told
    assert "{'" not in told.partition("Current trigger")[2].partition("Proceed")[0]


def test_a_full_context_without_news_is_a_loop_and_a_long_read_is_not():
    old = made(*(n % 3 for n in range(12)))
    assert "context is 60% full" in (looping([], old, 0.6, reads=reads, limits=LoopLimits(results=0)) or "")
    assert looping([], old, 0.4, reads=reads, limits=LoopLimits(results=0)) is None
    assert looping([], made(*range(12)), 0.6, reads=reads) is None


def test_limits_are_read_from_a_setting_and_zero_turns_one_off():
    limits = LoopLimits.parse("errors=2, repeats=0")
    assert (limits.errors, limits.repeats, limits.rounds) == (2, 0, 3)
    assert looping([("a", "b")] * 9, limits=limits) is None
    with pytest.raises(Refused, match="HQ_LOOPS"):
        LoopLimits.parse("errors=many")


async def test_an_error_storm_breaks_the_session_and_is_raised_once(play):
    _, ended = await play.run([("hq_task", {"action": "show", "ref": f"no-{n}"}) for n in range(20)])

    assert ended.state == "failed" and "failed with not_found" in ended.why
    assert len((await play.hq.do("agent_incident.list"))["items"]) == 1


async def test_an_agent_does_not_wake_itself(play):
    scout = await play.hq.agent("scout")

    refused = await play.hq.call("agent.send", agent="scout", text="again", _token=scout)

    assert refused.error["code"] == "invalid" and "does not wake itself" in refused.error["message"]


async def test_a_reply_with_text_and_a_call_is_not_taken_for_an_end(play):
    from tests.support.play import Told

    class Chatty(Told):
        async def answer(self, ask, *, on_text=None):
            from pydantic_ai.messages import TextPart

            reply = await super().answer(ask, on_text=on_text)
            if len(reply.response.parts) == 1 and not isinstance(reply.response.parts[0], TextPart):
                reply.response.parts.insert(0, TextPart(content="Let me see."))
            return reply

    session, ended = await play.run(Chatty([LIST, ("hq_task", {"action": "list", "limit": 3}), DONE]))

    kinds = [row["kind"] for row in (await play.hq.do("session.replay", id=session))["items"]]
    assert ended.state == "done" and "note" not in kinds
