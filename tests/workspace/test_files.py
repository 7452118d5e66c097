"""The file tools: in the session's own tree, nowhere else, and every change can be taken back."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from uuid import uuid4

import pytest

from hq.sandbox.machine import ACCOUNT


@pytest.fixture
def call(hq, tree):
    async def called(verb: str, **args):
        return await hq.call(f"file.{verb}", workspace="app1", session="one", **args)

    return called


async def test_a_file_is_written_read_edited_and_taken_back(hq, call, tree):
    made = await call("write", path="src/app.py", content="print('hello')\n")
    edited = await call("edit", path="src/app.py", old="hello", new="goodbye")
    read = await call("read", path="src/app.py")

    assert read.data["text"] == "print('goodbye')\n" and read.data["sha256"] == edited.data["sha256"]
    assert read.data["taint"] == []
    assert edited.data["before"] == made.data["sha256"]
    await hq.do("action.undo", id=str(edited.action_id))
    assert (tree / "src/app.py").read_text() == "print('hello')\n"
    await hq.do("action.undo", id=str(made.action_id))
    assert not (tree / "src/app.py").exists()


async def test_what_was_changed_since_is_not_overwritten_by_undo(hq, call, tree):
    made = await call("write", path="a", content="1")
    (tree / "a").write_text("by somebody else")

    undone = await hq.call("action.undo", id=str(made.action_id))

    assert undone.error["code"] == "stale"
    assert (tree / "a").read_text() == "by somebody else"


async def test_the_ledger_has_hashes_of_what_was_written(hq, call):
    made = await call("write", path="a", content="a very long text")

    assert set((await hq.do("action.show", id=str(made.action_id)))["input"]["content"]) == {"sha256", "size"}


async def test_what_was_written_is_the_sandboxs_and_stays_executable(call, tree):
    await call("write", path="deep/down/run.sh", content="echo 1")
    (tree / "deep/down/run.sh").chmod(0o755)
    await call("write", path="deep/down/run.sh", content="echo 2")

    found = (tree / "deep/down/run.sh").stat()
    assert stat.S_IMODE(found.st_mode) == 0o755
    assert found.st_uid == (tree / "deep").stat().st_uid == (ACCOUNT if os.geteuid() == 0 else os.geteuid())
    assert sorted(p.name for p in (tree / "deep/down").iterdir()) == ["run.sh"], "nothing half-written is left"


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "a/./../../x"])
@pytest.mark.parametrize("verb", ["read", "write", "edit"])
async def test_no_path_leads_out_of_the_tree(call, verb, path):
    more = {"write": {"content": "x"}, "edit": {"old": "a", "new": "b"}}.get(verb, {})

    assert (await call(verb, path=path, **more)).error["code"] == "invalid"


@pytest.fixture
def secret(tmp_path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret words")
    return outside


async def test_no_link_is_followed(call, tree, secret):
    (tree / "file").symlink_to(secret / "secret")
    (tree / "directory").symlink_to(secret)
    (tree / "loop").symlink_to("loop")

    for path in ("file", "directory/secret", "loop"):
        read = await call("read", path=path)
        written = await call("write", path=path, content="x")
        edited = await call("edit", path=path, old="secret", new="x")
        codes = {each.error["code"] for each in (read, written, edited)}
        assert codes == {"not_found" if path == "directory/secret" else "conflict"}, path
    assert (await call("write", path="directory/new", content="x")).error["code"] == "not_found"
    assert (await call("grep", pattern="secret")).data["items"] == []
    assert (await call("glob", pattern="**")).data["items"] == []
    assert (secret / "secret").read_text() == "secret words" and list(secret.iterdir()) == [secret / "secret"]


async def test_what_is_no_file_is_refused_and_never_waited_for(call, tree):
    os.mkfifo(tree / "pipe")
    (tree / "directory").mkdir()

    for path in ("pipe", "directory"):
        assert (await call("read", path=path)).error["code"] in ("not_found", "conflict")
        assert (await call("write", path=path, content="x")).error["code"] == "conflict"
    assert (await call("grep", pattern="x")).data["items"] == []


async def test_hqs_own_directory_is_not_written_to(call):
    assert (await call("write", path=".hq/mission.json", content="{}")).error["code"] == "forbidden"


@pytest.mark.parametrize(("old", "says"), [("nothing like it", "does not stand"), ("a", "3 times")])
async def test_an_edit_needs_exactly_one_place(call, tree, old, says):
    (tree / "f").write_text("a a a")

    refused = await call("edit", path="f", old=old, new="b")

    assert says in refused.error["message"] and (tree / "f").read_text() == "a a a"
    assert (await call("edit", path="f", old="a", new="b", all=True)).ok
    assert (tree / "f").read_text() == "b b b"


async def test_lines_are_found(call, tree):
    for path, text in {"src/a.py": "import os\n# TODO: one\n", "src/b.txt": "todo\n", "bin": "\0TODO"}.items():
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_text(text)

    found = (await call("grep", pattern="TODO")).data
    assert found["items"] == [{"path": "src/a.py", "line": 2, "text": "# TODO: one"}]
    assert len((await call("grep", pattern="todo", ignore_case=True)).data["items"]) == 2
    assert (await call("grep", pattern="todo", ignore_case=True, glob="**/*.txt")).data["items"][0][
        "path"
    ] == "src/b.txt"
    assert (await call("grep", pattern=".", limit=1)).data["cut"]
    assert (await call("grep", pattern="(")).error["code"] == "invalid"


async def test_a_pattern_that_would_take_for_ever_does_not(call, tree):
    (tree / "f").write_text("a" * 50_000 + "b")

    assert (await call("grep", pattern="(a+)+$")).ok


@pytest.mark.parametrize(
    ("pattern", "finds"),
    [
        ("**", ["a.py", "src/a.py", "src/deep/b.py", "src/x+[1].txt"]),
        ("*", ["a.py"]),
        ("*.py", ["a.py"]),
        ("**/*.py", ["a.py", "src/a.py", "src/deep/b.py"]),
        ("src/*.py", ["src/a.py"]),
        ("src/**", ["src/a.py", "src/deep/b.py", "src/x+[1].txt"]),
        ("src/x+[1].tx?", ["src/x+[1].txt"]),
        ("**/b.*", ["src/deep/b.py"]),
        ("A.py", []),
    ],
)
async def test_files_are_found_by_their_path(call, tree, pattern, finds):
    for path in ("a.py", "src/a.py", "src/deep/b.py", "src/x+[1].txt"):
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).touch()

    assert [item["path"] for item in (await call("glob", pattern=pattern)).data["items"]] == finds


async def test_part_of_a_long_file(call, tree):
    (tree / "f").write_text("".join(f"{n}\n" for n in range(1, 5001)))

    shown = (await call("read", path="f", line=4000, lines=2)).data

    assert shown["text"] == "4000\n4001\n" and shown["lines"] == 5000 and shown["cut"]


async def test_a_session_finds_its_own_tree_and_no_other(hq, tree):
    session, agent = uuid4(), await hq.agent("forge")
    await hq.do("workspace.begin", ref="app1", session=str(session))
    await hq.do("file.write", path="a", content="mine", _token=agent, _session_id=session)

    read = await hq.do("file.read", path="a", _token=agent, _session_id=session)
    other = await hq.call("file.read", path="a", session="one", _token=agent, _session_id=session)
    nobody = await hq.call("file.read", path="a", session="one", workspace="app1", _token=agent)

    assert read["text"] == "mine"
    assert other.error["code"] == "cross_scope_violation" and "another session" in other.error["message"]
    assert nobody.error["code"] == "cross_scope_violation"


async def test_without_a_tree_it_says_how_to_get_one(hq, tree):
    refused = await hq.call("file.read", path="a", session="none")

    assert refused.error["code"] == "not_found" and "workspace begin" in refused.error["hint"]
    assert (await hq.call("file.read", path="a")).error["code"] == "invalid"


async def test_an_edit_that_would_fill_the_memory_is_refused(call, tree):
    (tree / "f").write_text("a" * 1_000_000)

    refused = await call("edit", path="f", old="a", new="b" * 1_000_000, all=True)

    assert refused.error["code"] == "too_large" and (tree / "f").read_text() == "a" * 1_000_000
