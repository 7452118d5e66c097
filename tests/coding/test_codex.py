"""Codex: the command that is built, and its lines. The real program cannot be had here, so a small one plays its part."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sandboxes import MISSING

from hq.workspace.coding import adapters
from hq.workspace.coding.adapters.codex import Codex

from .test_execute import app, steps  # noqa: F401 (a fixture)

FAKE = """#!/usr/bin/python3
import json, os, sys, urllib.request
args, prompt = sys.argv[1:], sys.stdin.read()
settings = dict(args[i + 1].split("=", 1) for i, word in enumerate(args) if word == "--config")
tell = lambda **line: print(json.dumps(line), flush=True)
tell(type="thread.started", thread_id="0199-thread")
body = json.dumps({"model": args[args.index("--model") + 1], "input": [{"role": "user", "content": prompt}]}).encode()
url = json.loads(settings["model_providers.hq.base_url"]) + "/responses"
key = os.environ[json.loads(settings["model_providers.hq.env_key"])]
request = urllib.request.Request(url, body, {"Content-Type": "application/json", "Authorization": "Bearer " + key})
answer = json.load(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request))
said = answer["output"][0]["content"][0]["text"]
open("/mission/made.txt", "w").write(" ".join(args))
tell(type="item.completed", item={"type": "command_execution", "command": "touch made.txt"})
tell(type="item.completed", item={"type": "agent_message", "text": said})
tell(type="turn.completed", usage={"input_tokens": 1, "output_tokens": 1})
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch) -> Path:
    """In a place that the sandbox shows too."""
    place = Path(f"/usr/local/bin/hq-test-{os.getpid()}")
    place.mkdir()
    try:
        (place / "codex").write_text(FAKE)
        (place / "codex").chmod(0o755)
        monkeypatch.setitem(adapters.ADAPTERS, "codex", Codex(str(place)))  # type: ignore[arg-type]
        yield place
    finally:
        (place / "codex").unlink()
        place.rmdir()


@pytest.mark.skipif(bool(MISSING) or os.geteuid() != 0, reason="needs bubblewrap, and root to put a program in /usr")
async def test_codex_is_started_with_our_provider_and_its_lines_are_read(hq, app, fake) -> None:  # noqa: F811
    done = await hq.do("code.execute", workspace=app, prompt="help", cli="codex", merge=False)

    assert done["status"] == "done" and done["files_created"] == ["made.txt"] and done["tokens_used"] > 0, done
    assert ("did", "Bash: touch made.txt") in await steps(hq, done["run"])
    run = (await hq.do("code_run.show", ref=done["run"]))["props"]
    assert run["conversation"] == "0199-thread" and not done["merged"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to put a program in /usr")
async def test_codex_is_not_run_cautiously_and_says_what_can_be(hq, app, fake) -> None:  # noqa: F811
    refused = await hq.call("code.execute", workspace=app, prompt="go", cli="codex", mode="cautious")

    assert refused.error["code"] == "invalid" and "claude" in refused.error["hint"]


async def test_a_program_that_is_not_here_is_said_to_be_missing(hq, app, tmp_path, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setitem(adapters.ADAPTERS, "codex", Codex(str(tmp_path)))  # type: ignore[arg-type]

    refused = await hq.call("code.execute", workspace=app, prompt="go", cli="codex")

    assert refused.error["code"] == "not_found" and "npm install" in refused.error["hint"]
