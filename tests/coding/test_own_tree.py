"""A builder's own working tree and its coding program: what one does the other finds, and what was taken away is away."""

from __future__ import annotations

import asyncio

import pytest

from hq.coding.programs import CodingPrograms
from tests.support.desk import AtDesk, desk
from tests.support.firm import Firm, firm
from tests.support.passable import tmp_path
from tests.support.sandboxes import MISSING

from .minds import Told, bash, tell

__all__ = ["firm", "tmp_path"]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
WRITES = "printf 'print(1)' > app.py; printf 'old' > README.md"


async def at_desk(firm: Firm) -> tuple[str, AtDesk]:
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py"])
    forge = await desk(firm, mission)
    forge.token = await firm.hq.agent("forge", scopes=["read", "write", "effect"])
    return mission, forge


async def built(firm: Firm, forge: AtDesk, monkeypatch: pytest.MonkeyPatch, command: str = WRITES) -> dict:
    tell(firm.hq, monkeypatch, bash(command), "Done.")
    return await forge.do("code.execute", workspace=forge.workspace, prompt="Build it.", cli="chat")


async def test_what_a_coding_run_built_lies_in_the_builders_own_tree(firm, monkeypatch):
    _, forge = await at_desk(firm)
    await forge.write("notes.md", "what is wanted")

    done = await built(firm, forge, monkeypatch, f"cat notes.md && {WRITES}")

    assert done["status"] == "done" and done["merged"], done
    assert done["files_created"] == ["README.md", "app.py"], "what the builder itself wrote is not the program's"
    assert (await forge.do("file.read", path="app.py"))["text"].strip() == "print(1)"
    assert "README.md" in str(await forge.do("container.exec", command="ls"))


async def test_what_the_builder_changes_and_removes_after_a_coding_run_is_handed_in(firm, monkeypatch):
    mission, forge = await at_desk(firm)
    await built(firm, forge, monkeypatch)

    await forge.write("app.py", "print(2)")
    await forge.do("container.exec", command="rm README.md")
    handed = await forge.do("mission.submit", ref=mission, outcome="It prints.")

    assert handed["status"] == "done"
    files = (await firm.hq.do("mission.files", ref=mission))["items"]
    assert [each["path"] for each in files] == ["app.py"]
    assert (await firm.hq.do("mission.read_file", ref=mission, path="app.py"))["text"] == "print(2)"


async def test_what_a_coding_run_removes_is_gone_from_the_builders_tree_too(firm, monkeypatch):
    mission, forge = await at_desk(firm)
    await built(firm, forge, monkeypatch)

    done = await built(firm, forge, monkeypatch, "rm README.md")
    await forge.do("mission.submit", ref=mission, outcome="It prints.")

    assert done["files_deleted"] == ["README.md"]
    assert [each["path"] for each in (await firm.hq.do("mission.files", ref=mission))["items"]] == ["app.py"]


async def test_a_run_of_somebody_without_a_tree_there_has_one_of_its_own(firm, monkeypatch):
    _, forge = await at_desk(firm)
    tell(firm.hq, monkeypatch, bash(WRITES), "Done.")

    done = await firm.hq.do("code.execute", workspace=forge.workspace, prompt="Build it.", cli="chat")

    assert done["session"].startswith("code-") and done["merged"]


async def test_m8_an_interrupt_ends_the_coding_program_that_is_under_way(firm, monkeypatch):
    _, forge = await at_desk(firm)
    asked = asyncio.Event()

    async def never(self, ask, *, on_text=None):
        asked.set()
        await asyncio.Event().wait()

    tell(firm.hq, monkeypatch, "Done.")
    monkeypatch.setattr(Told, "answer", never)
    run = asyncio.create_task(forge.do("code.execute", workspace=forge.workspace, prompt="Build it.", cli="chat"))
    await asked.wait()

    firm.hq.door.services[CodingPrograms].stop(forge.session, "somebody interrupts it")
    done = await run

    assert done["status"] == "failed" and done["why"] == "somebody interrupts it" and not done["merged"]
