"""What a person reads of a coding run."""

from __future__ import annotations

from hq.coding import coding_text
from hq.terminal.screen import Screen

PIPE = Screen()
RUN = {"run": "app1-1", "tokens_used": 9187, "cost": 0.0, "seconds": 5.23}


def test_a_run_that_is_done_says_what_changed_and_how_to_take_it_back() -> None:
    done = RUN | {
        "status": "done",
        "stdout": "It is there.\nAll of it.\x1b[31m",
        "files_created": ["app.py"],
        "files_modified": ["a b"],
        "files_deleted": ["old"],
        "check": {"command": "make test", "exit_code": 0, "output": "OK"},
        "undo": "evt_1",
    }

    assert list(coding_text.ran(done, PIPE)) == [
        "app1-1 is done",
        "9,187 tokens, free, 5.2 seconds",
        "It is there.",
        "All of it.�[31m",
        "+ app.py",
        "~ a b",
        "- old",
        "passed: make test",
        "`hq undo evt_1` takes it back",
    ]


def test_one_that_waits_says_for_what_and_how_it_is_answered() -> None:
    waits = RUN | {"status": "waiting", "wants": {"says": "Bash: rm -rf old"}}

    assert list(coding_text.ran(waits, PIPE)) == [
        "app1-1 waits: may it run Bash: rm -rf old?",
        "`hq code allow app1-1` or `hq code deny app1-1` answers it",
    ]


def test_one_that_failed_says_why_and_shows_what_its_check_said() -> None:
    failed = RUN | {
        "status": "failed",
        "why": "the check failed",
        "cost": None,
        "check": {"command": "make test", "exit_code": 2, "output": "1 failed\nbecause"},
    }

    told = list(coding_text.ran(failed, PIPE))

    assert told[:2] == ["app1-1 failed: the check failed", "9,187 tokens, unpriced, 5.2 seconds"]
    assert told[2:] == ["failed: make test", "1 failed", "because"]


def test_a_review_is_a_table_of_what_it_found() -> None:
    found = [{"severity": "high", "file": "a.py", "line": 3, "message": "eval", "suggestion": "do not"}]

    told = list(coding_text.reviewed(RUN | {"status": "done", "findings": found, "unfounded": 2}, PIPE))

    assert "high" in told[3] and "a.py" in told[3] and told[4] == "2 that pointed nowhere left out"
    assert list(coding_text.reviewed(RUN | {"status": "done"}, PIPE))[2] == "nothing found"


def test_steps_are_one_line_each() -> None:
    items = [{"step": 1, "kind": "did", "text": "Bash: ls\nmore"}, {"step": 12, "kind": "said", "text": ""}]

    assert list(coding_text.steps({"items": items}, PIPE)) == ["   1 ▸ Bash: ls …", "  12 “ "]
