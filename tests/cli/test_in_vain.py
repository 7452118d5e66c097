"""A call that went well, whose work did not, is a failure to the shell; looking at failed work is none."""

from __future__ import annotations

import pytest

from hq.cli.flags import Flags
from hq.cli.output import show
from hq.cli.request import succeeded
from hq.cli.verbs import find

RUN = {"run": "app-1", "workspace": "app", "session": "code-1"}


@pytest.mark.parametrize(
    ("verb", "data", "code"),
    [
        ("code.execute", {**RUN, "status": "failed", "why": "the tests failed", "exit_code": 0}, 1),
        ("code.execute", {**RUN, "status": "done", "exit_code": 0}, 0),
        ("code.execute", {**RUN, "status": "waiting"}, 0),
        ("ssh.exec", {"exit_code": 0, "taint": []}, 0),
        ("ssh.exec", {"exit_code": 127, "taint": []}, 1),
        ("container.exec", {"exit_code": None, "timed_out": True, "taint": []}, 1),
        ("subagent.run", {"status": "timeout"}, 1),
        ("subagent.run", {"status": "success"}, 0),
        ("http.request", {"status": 404, "taint": []}, 0),
        ("code_run.show", {"slug": "app-1", "status": "failed"}, 0),
        ("mission.fail", {"slug": "build-it", "id": "1", "status": "failed"}, 0),
    ],
)
def test_the_exit_code_says_how_the_work_went(verb, data, code, capsys):
    known = find(verb)
    assert known is not None

    assert show(succeeded(verb, data), known, Flags(json=True)) == code
