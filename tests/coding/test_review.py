"""Reviews: findings with severity, file and line, of which only those count that point to something."""

from __future__ import annotations

import json

import pytest

from hq.coding.adapters import ADAPTERS
from tests.support.sandboxes import MISSING

from .minds import tell
from .test_execute import CODEX, app, names, shown, write  # noqa: F401 (a fixture)

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=str(MISSING)),
    pytest.mark.skipif(ADAPTERS["claude"].program() is None, reason="claude-agent-sdk is not installed"),
]


@pytest.mark.parametrize("cli", ["claude", "chat", CODEX])
async def test_a_review_finds_what_is_there_and_changes_nothing(hq, app, cli) -> None:  # noqa: F811
    await write(hq, app, app_py="import os\n\n\ndef run(text):\n    return eval(text)  # TODO\n")

    found = await hq.do("code.review", workspace=app, focus="security", cli=cli)

    (finding,) = found["findings"]
    assert (finding["severity"], finding["file"], finding["line"]) == ("critical", "app.py", 5) and finding[
        "suggestion"
    ]
    assert found["status"] == "done" and found["unfounded"] == 0 and found["tokens_used"] > 0
    assert await names(hq, app) == ["app.py"]
    assert (await hq.do("workspace.trees", ref=app))["items"] == []


async def test_findings_that_point_nowhere_are_left_out(hq, app, monkeypatch) -> None:  # noqa: F811
    await write(hq, app, app_py="one\ntwo\n")
    said = [
        {"severity": "low", "file": "/mission/app.py", "line": 2, "message": "a"},
        {"severity": "high", "file": "app.py", "line": 99, "message": "b"},
        {"severity": "high", "file": "missing.py", "line": 1, "message": "c"},
    ]
    tell(hq, monkeypatch, f"Here you are:\n```json\n{json.dumps(said)}\n```")

    found = await hq.do("code.review", workspace=app, cli="chat")

    assert [each["message"] for each in found["findings"]] == ["a"] and found["unfounded"] == 2
    assert found["findings"][0]["file"] == "app.py"


async def test_an_answer_in_no_form_is_a_failed_review(hq, app, monkeypatch) -> None:  # noqa: F811
    tell(hq, monkeypatch, "Looks good to me!")

    found = await hq.do("code.review", workspace=app, cli="chat")

    assert found["status"] == "failed" and "form" in found["why"] and not found["findings"]
    assert (await shown(hq, found["run"]))["status"] == "failed"
