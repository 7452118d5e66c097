"""How the kinds of an entry are given: what was decided in words, what is built of it, and that its tests look at the words."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart

from hq.minds.mind import MindRequest
from hq.minds.scripted.app_files import APPS, edits, filled
from hq.minds.scripted.coding_functions import as_decided, form_of, on_one_line, wholly_read
from hq.minds.scripted.mind import shipped

from .test_wishes import calls_of, coder, first_call

DEFAULTS = ["Work", "Travel", "Equipment"]
ABC = ["a", "b", "c"]
FLOWN = ["Dual", "Solo", "Simulator"]
WORDS = [
    ("Free text, not a list.", [], False),
    ("As free text, please.", [], False),
    ("Not a list", [], False),
    ("I don't want a list, let me type it", [], False),
    ("Free text rather than a dropdown", [], False),
    ("Not from a list but as free text", [], False),
    ("Not free text, a list", DEFAULTS, False),
    ("A list instead of free text", DEFAULTS, False),
    ("From a list", DEFAULTS, False),
    ("Dropdown with common types, and Other as free text", DEFAULTS, True),
    ("From a list: a, b, c", ABC, False),
    ("Not free text, a list: a, b and c, please.", ABC, False),
    ("From a list: a, b, c. Nothing else.", ABC, False),
    ("From a list: a, b, c, or other as free text", ABC, True),
    ("I would rather pick them from a fixed list: Dual, Solo, Simulator", FLOWN, False),
    ("From a list please, with C152, C172 and PA28.", ["C152", "C172", "PA28"], False),
    ("A list with C152 and C172, please", ["C152", "C172"], False),
    ("A list with the usual types and prices", DEFAULTS, False),
    ("From a list:\n- Dual\n- Solo\n- Simulator", FLOWN, False),
]


async def built(decision: str, into: Path) -> str:
    """What is built by a decision, as the coder writes it. Its settings."""
    prompt = (
        "Build a web app that tracks my expenses.\n\n"
        f"Decided: the kinds of an entry are chosen so: {on_one_line(decision)}"
    )
    talk: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(prompt)])]
    for _ in range(8):
        reply = await shipped().answer(MindRequest(talk, coder()))
        calls = calls_of(reply)
        for call in calls:
            if call.tool_name == "Write":
                given = call.args_as_dict()
                (into / Path(given["file_path"]).name).write_text(given["content"])
        if any(call.tool_name == "Bash" for call in calls):
            return (into / "settings.py").read_text()
        came = [ToolReturnPart(call.tool_name, "ok", call.tool_call_id) for call in calls]
        talk += [reply.response, ModelRequest(parts=came)]
    raise AssertionError("it is never tested")


def decided_tests(where: Path) -> tuple[bool, str]:
    ran = subprocess.run(
        [sys.executable, "-B", "-m", "unittest", "-k", "decided"],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Ran 3 tests" in ran.stderr and "skipped" not in ran.stderr, ran.stderr
    return ran.returncode == 0, ran.stderr


def kinds_in(settings: str) -> tuple[list[str], bool]:
    found: dict[str, object] = {}
    exec(settings, found)  # noqa: S102
    return list(found["KINDS"]), bool(found["OTHER"])  # type: ignore[call-overload]


@pytest.mark.parametrize(("words", "kinds", "other"), WORDS)
async def test_what_was_decided_is_built_and_its_tests_hold_it_against_the_words(tmp_path, words, kinds, other):
    settings = await built(words, tmp_path)

    assert kinds_in(settings)[0] == kinds
    assert not kinds or kinds_in(settings)[1] is other
    passed, said = decided_tests(tmp_path)
    assert passed, said


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        ("Free text, not a list.", 'KINDS = ("Work",)'),
        ("Not free text, a list", "KINDS = ()"),
        ("From a list: a, b, c", 'KINDS = ("Work", "Travel")'),
        ("From a list: a, b, c", 'KINDS = ("a", "b")'),
        ("From a list: a, b, c", "OTHER = True"),
        ("From a list please, with C152, C172 and PA28.", 'KINDS = ("Cessna 152", "Cessna 172", "Piper PA-28")'),
    ],
)
async def test_what_is_built_otherwise_than_decided_fails(tmp_path, words, instead):
    settings = await built(words, tmp_path)
    name = instead.split()[0]
    (tmp_path / "settings.py").write_text(re.sub(rf"(?m)^{name} = [^#\n]*", instead, settings))

    assert not decided_tests(tmp_path)[0]


async def test_a_choice_that_is_added_later_keeps_to_what_was_decided(tmp_path):
    settings = await built("From a list: a, b, c", tmp_path)
    (change,) = edits(settings, "Add d to the list")
    (tmp_path / "settings.py").write_text(settings.replace(change["old"], change["new"]))

    assert decided_tests(tmp_path)[0]


async def test_what_is_on_the_list_beside_what_was_decided_fails(tmp_path):
    await built("From a list please, with C152, C172 and PA28.", tmp_path)
    for name in ("settings.py", "test_app.py"):
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text.replace('"PA28")', '"PA28", "Diamond DA40")'))

    assert not decided_tests(tmp_path)[0]


STEM, ENDS = "How should the kinds of an entry be chosen", ": from a list, or as free text?"


def brief_of(wish: str, decided: str = "") -> str:
    return (
        f"MISSION BRIEF (expenses): {wish} CONSTRAINTS: - Budget: none {decided}"
        "DELIVERABLES: - command:python3 -m unittest WORKSPACE: expenses; and so on"
    )


def remembered(question: str, answer: str) -> dict[str, list[dict[str, str]]]:
    return {"items": [{"content": f"{question} → {answer}", "source": "founder", "created_at": "2026-01-01T10:00"}]}


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        ("From a list: C172, PA-28 and glider", "From a list"),
        ("From a list please, with C152, C172 and PA28.", "From a list please"),
        ("Free text, not a list.", "Free text, not a list."),
        ("I would rather pick them from a fixed list: Dual, Solo", "I would rather pick them from a fixed list"),
    ],
)
async def test_of_what_was_decided_for_another_app_of_its_kind_only_the_form_is_used_again(answer, form):
    question = f"{STEM} in the log of expenses{ENDS}"
    wish = "A web app that tracks my expenses"
    known = remembered(question, answer)

    call = await first_call(brief_of(wish), "code_execute", memory_search=known)

    assert form_of(answer) == form
    assert call.args_as_dict()["prompt"].strip().endswith(f"chosen so: {form}")
    assert as_decided(form)["items"] == []
    for gap in (" ", "\n"):  # begun anew, the same mission keeps to all that was decided for it
        again = brief_of(wish, f"{gap}- Decided: {question} → {answer}{gap}")
        call = await first_call(again, "code_execute", memory_search=known)
        assert call.args_as_dict()["prompt"].strip().endswith(f"chosen so: {answer}")


async def test_what_was_decided_about_something_else_is_asked_anew_unless_it_is_always_so():
    answer = "From a list please, with C152, C172 and PA28."
    for before in (f"{STEM}{ENDS}", f"{STEM} in the log of flights{ENDS}"):
        brief = brief_of("A web app that tracks my reading hours")
        call = await first_call(brief, "escalation_raise", memory_search=remembered(before, answer))
        assert call.args_as_dict()["summary"] == f"{STEM} in the log of reading hours{ENDS}"
        always = remembered(before, "Always as free text")
        call = await first_call(brief, "code_execute", memory_search=always)
        assert call.args_as_dict()["prompt"].strip().endswith("chosen so: Always as free text")


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ("From a list please, with C152, C172 and PA28.", True),
        ("Dropdown with common types, and Other as free text", True),
        ("As free text, please.", True),
        ("Let me pick from a list please, I only fly C152, C172 and PA28.", False),
        ("From a list, sorted by how often I fly them", False),
    ],
)
def test_a_decision_of_which_the_tests_read_only_a_part_is_shown_by_none(answer, read):
    assert wholly_read(answer) is read


def test_a_new_title_is_one_change_of_what_is_shown():
    app, page = filled("guestbook/app.py"), filled("page/index.html", TITLE="Bakery")
    words = "Change the heading to “Visitors welcome”."

    assert [each["new"] for each in edits(app, words)] == ['TITLE = "Visitors welcome"']
    assert [each["new"] for each in edits(page, words)] == ["<h1>Visitors welcome</h1>"]
    assert "<h1>{title}</h1>" in (APPS / "guestbook" / "app.py").read_text()
