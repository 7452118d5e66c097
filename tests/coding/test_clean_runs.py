"""What a coding program wrote and said is the company's own, unless something from outside was within its reach."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sandboxes import MISSING

from .minds import bash, tell

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
WRITES = bash("echo made > made.txt; cat theirs.md >> made.txt; true")


@pytest.fixture
async def app(hq):
    return (await hq.do("workspace.create", name="app1", category="coding/webapp", network=False))["slug"]


async def ran(hq, app: str, **more):
    done = await hq.call("code.execute", workspace=app, prompt="go", cli="chat", session="work", **more)
    assert done.ok and done.data["status"] == "done", done
    read = await hq.do("file.read", workspace=app, session="work", path="made.txt")
    return done.taint, read["taint"]


async def test_on_clean_files_it_leaves_clean_ones(hq, app, monkeypatch):
    tell(hq, monkeypatch, WRITES, "done")

    assert await ran(hq, app, check="cat made.txt") == (frozenset(), [])


async def test_on_files_from_outside_all_that_it_leaves_and_says_is_marked(hq, app, monkeypatch):
    tell(hq, monkeypatch, WRITES, "done")
    tree = Path((await hq.do("workspace.begin", ref=app, session="work"))["path"])
    (tree / "theirs.md").write_text("their words")

    taint, file = await ran(hq, app)

    assert {mark.partition(":")[0] for mark in taint} == {"code"} and file == ["workspace:app1"]


async def test_for_who_has_read_something_from_outside_it_leaves_marked_ones(hq, app, monkeypatch):
    tell(hq, monkeypatch, WRITES, "done")

    taint, file = await ran(hq, app, _taint=frozenset({"web:shop.example"}))

    assert "web:shop.example" in taint and file == ["workspace:app1"]
