"""Replaying a recording of `hq mind record` through the real loop: the founder says the same, minds answer the same, and what they
call has to work as it did. What does not is named: which answer, which call, and what is said of it now."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hq.memory import extraction
from hq.sessions import closing_snapshot
from tests.support.heart import Heart
from tests.support.provider_by_hand import Answered, Line, answered_by_hand
from tests.support.searching import catch_up

RECORDINGS = Path(__file__).parent / "recordings"
TALK = "Current trigger: a message from user:founder"
ENDS = {"content_filter": "refusal", "length": "max_tokens"}


def recording(name: str) -> dict[str, Any]:
    return json.loads((RECORDINGS / f"{name}.json").read_text("utf-8"))


class Replayed:
    """Answers each session with what it answered when it was recorded, in order; which one it is shows in how it begins."""

    def __init__(self, recorded: dict[str, Any]) -> None:
        self.left: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for session in recorded["sessions"]:
            answers = [turn for turn in session["turns"] if "said" not in turn]
            self.left.setdefault((session["agent"], _begins(session)), []).extend(answers)

    def __call__(self, body: dict[str, Any]) -> Line:
        asked = json.dumps(body["messages"][-2:])
        if closing_snapshot.PROMPT[:40] in asked or extraction.PROMPT[:40] in asked:
            return Line("[]")  # what is asked beside the work is not recorded
        all_, first = json.dumps(body), json.dumps(body["messages"][:2])
        meant = [key for key in self.left if f"You are **{key[0]}**" in all_ and key[1] in first and self.left[key]]
        assert meant, f"somebody is asked once more than when it was recorded: {asked[-600:]}"
        turn = self.left[meant[0]].pop(0)
        calls = [(call["tool"], call["args"]) for call in turn.get("calls", ())]
        return Line(turn.get("text", ""), calls, ENDS.get(turn.get("ended", "")))


def _begins(session: dict[str, Any]) -> str:
    """What its first request has and no other session's, as a request is written."""
    said = TALK if session["kind"] == "thread" else session["turns"][0]["said"].partition("<")[0][:300]
    return json.dumps(said)[1:-1]


async def replay(
    house: Any, recorded: dict[str, Any], wire: str, heard: Callable[[Answered, dict[str, Any]], None] | None = None
) -> tuple[Answered, list[str]]:
    """The house afterwards, and what no longer fits; `heard` is told before the founder speaks."""
    by_hand = await answered_by_hand(house, Replayed(recorded), wire)
    for verb, args in recorded.get("before", ()):  # who and what was there when the founder began to speak
        await by_hand.hq.do(verb, **args)
    for session in recorded["sessions"]:
        for turn in session["turns"]:
            if session["kind"] == "thread" and "said" in turn and "by" not in turn:
                for title, option in turn.get("pressed", {}).items():  # what the founder answered by a button, before
                    asks = (await by_hand.hq.do("ask.list"))["items"]
                    [ask] = [each["slug"] for each in asks if each["title"] == title]
                    await by_hand.hq.do("ask.answer", ask=ask, option=option)
                    await by_hand.work(len(recorded["sessions"]))
                if "after" in turn:  # time passes, and the house looks
                    await Heart(by_hand.hq).beat(**turn["after"])
                    await by_hand.work(len(recorded["sessions"]))
                if heard is not None:
                    heard(by_hand, turn)
                await by_hand.say(turn["said"], session["agent"])
                await by_hand.work(len(recorded["sessions"]))
                await catch_up(by_hand.hq)
    now = json.loads((await by_hand.hq.do("mind.record"))["document"])
    return by_hand, misfits(recorded, now)


def misfits(then: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Every call that worked when it was recorded and is refused now."""
    found = []
    before: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for session in then["sessions"]:
        before.setdefault((session["agent"], session["kind"]), []).append(session)
    for session in now["sessions"]:
        if not (known := before.get((session["agent"], session["kind"]))):
            continue
        answers = [[turn for turn in each["turns"] if "said" not in turn] for each in (known.pop(0), session)]
        for number, (was, came) in enumerate(zip(*answers, strict=False), 1):
            for old, new in zip(was.get("calls", ()), came.get("calls", ()), strict=True):
                if "refused" in new and "refused" not in old:
                    found.append(
                        f"{session['agent']}'s answer {number} calls {old['tool']} {json.dumps(old['args'])}: {new['refused']}"
                    )
    return found
