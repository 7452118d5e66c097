"""What the company's own agents wrote is not from outside; what they wrote after reading something from there is, and what nobody
knows of."""

from __future__ import annotations

from pathlib import Path

import pytest

from hq.sandbox.job import ReachedHost, SandboxResult

PAGE = frozenset({"web:shop.example"})
OUTSIDE = ["workspace:app1"]


@pytest.fixture
def call(hq, tree):
    async def called(verb: str, **args):
        outcome = await hq.call(verb, workspace="app1", session="one", **args)
        assert outcome.ok, outcome.error
        return outcome.data

    return called


async def marks(call, path: str) -> list[str]:
    return (await call("file.read", path=path))["taint"]


async def test_what_was_written_with_nothing_read_from_outside_is_clean(call):
    await call("file.write", path="src/app.py", content="print('hello')\n")
    await call("file.edit", path="src/app.py", old="hello", new="goodbye")

    assert await marks(call, "src/app.py") == []
    assert (await call("file.grep", pattern="goodbye"))["taint"] == []
    assert (await call("file.glob", pattern="**"))["taint"] == []


async def test_what_was_written_after_reading_something_from_outside_is_marked_and_nothing_else(call):
    await call("file.write", path="own.md", content="ours")
    await call("file.write", path="theirs.md", content="pay this IBAN", _taint=PAGE)

    assert await marks(call, "own.md") == []
    assert await marks(call, "theirs.md") == OUTSIDE
    assert (await call("file.glob", pattern="**"))["taint"] == OUTSIDE


async def test_an_edit_of_what_came_from_outside_stays_marked(call, tree: Path):
    (tree / "imported.md").write_text("their words")

    await call("file.edit", path="imported.md", old="their", new="our")

    assert await marks(call, "imported.md") == OUTSIDE


async def test_a_program_without_network_on_clean_files_leaves_and_says_clean_ones(call):
    await call("file.write", path="make.sh", content="echo made > made.txt; echo done\n")

    ran = await call("container.exec", command="sh make.sh")

    assert ran["text"] == "done\n" and ran["taint"] == []
    assert await marks(call, "made.txt") == []
    assert (await call("container.exec", command="cat made.txt"))["taint"] == []


@pytest.mark.parametrize("way", ["file", "caller", "hidden", "shared"])
async def test_a_program_launders_nothing(hq, call, tree: Path, way):
    """By a file of the tree, by who had it run, by what one left where no snapshot looks, by what all workspaces share."""
    match way:
        case "file":
            (tree / "imported.md").write_text("their words")
        case "caller":
            await call("container.exec", command="echo their words > imported.md", _taint=PAGE)
        case "hidden":
            await call("container.exec", command="mkdir -p .hq && echo their words > .hq/kept", _taint=PAGE)
        case _:
            shared = next(p for p in tree.parents if (p / "shared").is_dir()) / "shared/templates/page.md"
            shared.write_text("their words")

    ran = await call("container.exec", command="cat imported.md .hq/kept > copy.md 2>&1; cat copy.md")

    assert ran["taint"] == OUTSIDE
    assert await marks(call, "copy.md") == OUTSIDE


async def test_a_program_that_reached_the_network_leaves_marked_files(call, monkeypatch):
    monkeypatch.setattr(SandboxResult, "reached_outside", property(lambda _: True))

    ran = await call("container.exec", command="echo fetched > page.md", network=True)

    assert ran["taint"] == OUTSIDE and await marks(call, "page.md") == OUTSIDE
    monkeypatch.undo()
    assert (await call("container.exec", command="true"))["taint"] == OUTSIDE, "the tree stays marked"


def test_a_connection_that_was_made_shows_however_many_were_refused():
    from hq.sandbox.proxy import KEPT, NetworkPolicy, Proxy

    proxy = Proxy(NetworkPolicy("on"), None)  # type: ignore[arg-type]
    for _ in range(KEPT):
        proxy._note(ReachedHost("blocked.example", 443, "blocked"))
    proxy._note(ReachedHost("shop.example", 443))

    assert any(not each.refused for each in proxy.reached) and len(proxy.reached) == KEPT


async def test_merging_keeps_the_mark_with_the_file(hq, call):
    await hq.do("mission.create", title="Shop")
    await call("file.write", path="own.md", content="ours")
    await call("file.write", path="theirs.md", content="pay this IBAN", _taint=PAGE)
    await hq.do("workspace.save", ref="app1", session="one")
    await hq.do("workspace.merge", ref="app1", session="one")

    await hq.do("workspace.begin", ref="app1", session="two")
    read = [await hq.do("file.read", workspace="app1", session="two", path=path) for path in ("own.md", "theirs.md")]

    assert [each["taint"] for each in read] == [[], OUTSIDE]


async def test_a_comparison_line_by_line_shows_what_it_shows(hq, call):
    await call("file.write", path="own.md", content="ours")
    await hq.do("workspace.save", ref="app1", session="one")
    clean = await hq.call("workspace.diff", ref="app1", session="one", patch=True)
    await call("file.write", path="theirs.md", content="pay this IBAN", _taint=PAGE)
    await hq.do("workspace.save", ref="app1", session="one")
    marked = await hq.call("workspace.diff", ref="app1", session="one", patch=True)

    assert clean.taint == frozenset() and marked.taint == frozenset(OUTSIDE)
