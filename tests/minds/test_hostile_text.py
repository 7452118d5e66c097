"""Hostile text: whatever somebody sends, a scripted mind works in proportion to its length. Measured as growth, never in seconds."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from pydantic_ai.messages import ModelRequest

from hq.errors import Refused
from hq.minds.mind import MindRequest
from hq.minds.scripted import language
from hq.minds.scripted.language import load, shipped_scripts
from hq.minds.scripted.mind import ScriptedMind
from hq.minds.scripted.speech_pattern import SpeechPattern

MB = 1_000_000
UNITS = (
    "-",
    "x",
    "“",
    "“a",
    " ",
    "\n",
    "a ",
    "- ",
    ". ",
    "“a” was ",
    "build a web app ",
    "remind me to ",
    "<task>",
    "Task: ",
)
GROWTH = 3.0
"""What twice the text may cost: twice as much, and a little for the machine's moods. What is quadratic costs four times as much."""
TRIFLE = 0.02
"""Seconds of the processor below which a doubling says nothing: there the rest of a call is the most of it."""


def doubled(work: Callable[[str], object], unit: str, many: int) -> float:
    """How much more of the processor twice the text takes: the least of both, looked at until that is in proportion, fifteen times at most."""
    once, twice = ((unit * (size // len(unit) + 1))[:size] for size in (many, 2 * many))
    least = _cost(work, twice)
    if least < TRIFLE:
        return 1.0
    half = _cost(work, once)
    for _ in range(14):
        if least / max(half, TRIFLE / 4) < GROWTH:
            break
        least, half = min(least, _cost(work, twice)), min(half, _cost(work, once))
    return least / max(half, TRIFLE / 4)


def _cost(work: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    work(text)
    return time.process_time() - started


def shipped_patterns() -> list[SpeechPattern]:
    found = [
        pattern for script in shipped_scripts() for _, pattern in (*script.says, *script.finds, *script.unless)
    ] + [script.role for script in shipped_scripts() if script.role]
    assert len(found) > 200
    return found


@pytest.mark.parametrize("unit", UNITS)
def test_every_shipped_pattern_takes_a_megabyte_in_proportion(unit: str) -> None:
    patterns = shipped_patterns()

    def match_all(text: str) -> None:
        for pattern in patterns:
            pattern.search(text)
            pattern.fullmatch(text)

    assert doubled(match_all, unit, MB // 2) < GROWTH


def test_every_shipped_pattern_takes_its_own_words_over_and_over() -> None:
    for pattern in shipped_patterns():
        for words in _own_words(pattern):
            assert doubled(pattern.search, words, 100_000) < GROWTH, pattern.source
            assert doubled(pattern.fullmatch, words, 100_000) < GROWTH, pattern.source


def _own_words(pattern: SpeechPattern) -> Iterator[str]:
    """What it is made of, without its signs: all of it, and its first words alone."""
    words = re.sub(r"\(\?(?:P<\w+>|:)|\\[a-zA-Z]|[][(){}|?*+^$\\.]", " ", pattern.source).split()
    yield " ".join(words) + " "
    yield " ".join(words[:2]) + " "


@pytest.mark.parametrize("name", sorted(language._environment().filters.keys() - {"attr"}))
def test_every_function_of_scripts_takes_a_long_text_in_proportion(name: str) -> None:
    function = language._environment().filters[name]
    if not function.__module__.startswith("hq."):
        return

    def call(text: str) -> None:
        for args in ((text,), (text, text)):
            try:
                function(*args)
            except (TypeError, ValueError, AttributeError, IndexError, OSError):
                continue  # it takes something else

    for unit in UNITS:
        assert doubled(call, unit, 20_000) < GROWTH, unit


@pytest.mark.parametrize("unit", UNITS)
async def test_a_mind_answers_any_megabyte(unit: str) -> None:
    """What is longer than anybody says is read at its beginning and its end: then length costs next to nothing."""
    mind = ScriptedMind(shipped_scripts())
    texts = [(unit * (size // len(unit) + 1))[:size] for size in (MB, 2 * MB)]
    cost = []
    for text in texts:
        started = time.process_time()
        reply = await mind.answer(MindRequest([ModelRequest.user_text_prompt(text)], [], "You are chief."))
        cost.append(time.process_time() - started)
        assert reply.response.text
    assert cost[1] < GROWTH * max(cost[0], TRIFLE)


async def test_what_is_said_at_the_end_of_a_long_message_is_heard() -> None:
    mind = ScriptedMind(shipped_scripts())
    text = "Task: what time is it?\n\n" + "=" * MB

    reply = await mind.answer(MindRequest([ModelRequest.user_text_prompt(text)], [], "You are chief."))

    assert "UTC" in (reply.response.text or "")


def test_accents_and_other_alphabets_are_words() -> None:
    assert SpeechPattern(r"\bamanhã\b").search("volta AMANHÃ cedo") == {}
    assert SpeechPattern(r"olá (?P<who>\w+)").fullmatch("Olá Žофия") == {"who": "Žофия"}


def test_a_pattern_that_could_take_for_ever_is_refused(tmp_path) -> None:
    (tmp_path / "bad.yaml").write_text("scripts: {a: {says: '(?!x)(a+)+b', do: [{say: hi}]}}")

    with pytest.raises(Refused, match="RE2"):
        load([tmp_path / "bad.yaml"])
