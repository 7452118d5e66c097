"""What is Codex's own, with the real program: its trust in files, its patches, its running shells, its calls home."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hq.coding import adapters
from hq.coding.adapters import ADAPTERS
from hq.coding.adapters.codex import Codex
from hq.coding.run import CodingWork
from hq.errors import Refused
from tests.support.sandboxes import MISSING

from .minds import Told, bash, tell
from .test_execute import app, names, steps, write  # noqa: F401 (a fixture)

real = pytest.mark.skipif(
    bool(MISSING) or ADAPTERS["codex"].program() is None,
    reason=str(MISSING) if MISSING else "Codex is not here: scripts/codex",
)
SERVER = '[mcp_servers.planted]\ncommand = "/usr/bin/touch"\nargs = ["/mission/planted.txt"]\n'
DELETE = "apply_patch <<'P'\n*** Begin Patch\n*** Delete File: old.txt\n*** End Patch\nP\n"


@real
async def test_what_a_workspace_says_to_codex_is_not_obeyed(hq, app, monkeypatch) -> None:  # noqa: F811
    tell(
        hq,
        monkeypatch,
        bash(f"mkdir .codex && echo '{SERVER}' | tee .codex/config.toml > $CODEX_HOME/config.toml"),
        "ok",
    )
    first = await hq.do("code.execute", workspace=app, prompt="go", cli="codex")
    assert first["status"] == "done" and first["files_created"] == [".codex/config.toml"]

    then = await hq.do("code.execute", workspace=app, prompt="again", resume=first["run"])

    assert then["status"] == "done" and await names(hq, app) == [".codex/config.toml"]


@real
async def test_in_yolo_it_asks_nobody(hq, app, monkeypatch) -> None:  # noqa: F811
    await write(hq, app, old_txt="1")
    told = tell(hq, monkeypatch, bash("rm -rf old.txt"), "gone")

    done = await hq.do("code.execute", workspace=app, prompt="go", cli="codex")

    assert (
        done["status"] == "done"
        and "permissions" not in told.asked[0].instructions
        and done["files_deleted"] == ["old.txt"]
    )


@real
async def test_a_patch_that_takes_a_file_away_is_asked_about(hq, app, monkeypatch) -> None:  # noqa: F811
    await write(hq, app, old_txt="1")
    write_it = ("Write", {"file_path": "/mission/new.txt", "content": "2"})
    tell(hq, monkeypatch, write_it, bash(DELETE), bash(DELETE), "gone")

    asked = await hq.do("code.execute", workspace=app, prompt="go", mode="cautious", cli="codex")
    assert asked["wants"]["says"] == "Delete: /mission/old.txt" and asked["files_created"] == ["new.txt"]
    done = await hq.do("code.allow", ref=asked["run"])

    assert done["status"] == "done" and done["files_deleted"] == ["old.txt"]
    assert await steps(hq, asked["run"]) == [
        ("did", "Write: /mission/new.txt"), ("did", "Delete: /mission/old.txt"), ("said", "gone")
    ]  # fmt: skip


@real
async def test_only_for_a_plan_it_may_look_and_nothing_else(hq, app, monkeypatch) -> None:  # noqa: F811
    await write(hq, app, old_txt="what is in it")
    tell(hq, monkeypatch, bash("cat old.txt 2>/dev/null | head -5"), bash("touch b.txt"), bash(DELETE), "Plan: none")

    planned = await hq.do("code.execute", workspace=app, prompt="go", mode="plan_only", cli="codex")

    assert planned["status"] == "done" and planned["stdout"] == "Plan: none" and not planned["files_created"]
    assert planned["denied"] == ["Bash: touch b.txt", "Delete: /mission/old.txt"]
    assert ("got", "what is in it") in await steps(hq, planned["run"])


class Typing(Told):
    """Types into the program that is running."""

    async def answer(self, ask, *, on_text=None):
        if running := re.findall(r"session ID (\d+)", str(ask.messages)):
            self.lines = [self.lines[0], ("write_stdin", {"session_id": int(running[0]), "chars": "hello\n"}), "typed"]
        return await super().answer(ask, on_text=on_text)


@real
@pytest.mark.parametrize("terminal", [{"tty": True}, {}])
async def test_nothing_can_be_typed_into_a_program_that_was_let_pass(hq, app, monkeypatch, terminal) -> None:  # noqa: F811
    told = tell(hq, monkeypatch)
    told.__class__ = Typing
    told.lines = [
        ("exec_command", {"cmd": "cat > typed.txt; sleep 60", "yield_time_ms": 250, **terminal}),
        "not running",
    ]

    done = await hq.do("code.execute", workspace=app, prompt="go", mode="cautious", cli="codex")

    said = str(told.asked[-1].messages[-1])
    assert done["status"] == "done" and ("TTY execution is disabled" if terminal else "stdin is closed") in said
    assert "hello" not in str(await hq.do("workspace.diff", ref=app, patch=True))


@real
async def test_it_calls_nobody_but_the_model(hq, monkeypatch) -> None:
    reached: list = []

    async def seen(work: CodingWork) -> None:
        reached.extend(each for outcome in work.outcomes for each in outcome.reached)

    monkeypatch.setattr(CodingWork, "_taint", seen)
    await hq.do("workspace.create", name="online", category="coding/webapp", network=True)
    tell(hq, monkeypatch, bash("rm -rf nothing"), "done")

    done = await hq.do("code.execute", workspace="online", prompt="go", cli="codex")

    assert done["status"] == "done" and reached == [], reached


@real
async def test_a_model_that_does_not_answer_is_what_went_wrong(hq, app, monkeypatch) -> None:  # noqa: F811
    async def refuse(ask, **_):
        raise Refused.invalid("this model is not to be had")

    monkeypatch.setattr(tell(hq, monkeypatch, "never said"), "answer", refuse)

    failed = await hq.do("code.execute", workspace=app, prompt="go", cli="codex")

    assert failed["status"] == "failed" and "this model is not to be had" in failed["why"]


async def test_a_program_that_is_not_here_is_said_to_be_missing(hq, app, tmp_path, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setitem(adapters.ADAPTERS, "codex", Codex(str(tmp_path)))  # type: ignore[arg-type]

    refused = await hq.call("code.execute", workspace=app, prompt="go", cli="codex")

    assert refused.error["code"] == "not_found" and "npm install" in refused.error["hint"]


@pytest.mark.parametrize("platform", ["codex/node_modules/@openai/codex-linux-x64", "codex-linux-x64"])
def test_npm_puts_the_program_within_its_package_or_beside_it(tmp_path: Path, platform) -> None:
    there = tmp_path / "lib/node_modules/@openai"
    program, script = there / platform / "vendor/x86_64/bin/codex", there / "codex/bin/codex.js"
    for file in (program, script):
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(file.name))
        file.chmod(0o755)
    (tmp_path / "codex").symlink_to(script)

    assert Codex(str(tmp_path)).program() == program
