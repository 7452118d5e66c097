"""Workspaces through the door: a tree for each session, merged by a call that can be looked at and taken back."""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from hq.ids import new_id
from hq.sandbox import Sandbox, machine
from hq.sandbox.machine import ACCOUNT
from hq.workspace.directories import Workspaces
from tests.support.sandboxes import MISSING


@pytest.fixture
async def app(hq):
    """A workspace, by its slug."""
    return (await hq.do("workspace.create", name="app1", category="coding/webapp"))["slug"]


async def begin(hq, app: str, session: str) -> Path:
    return Path((await hq.do("workspace.begin", ref=app, session=session))["path"])


async def work(hq, app: str, session: str, **files: str) -> Path:
    """A session that begins, writes these files and saves."""
    tree = await begin(hq, app, session)
    for name, content in files.items():
        (tree / name).write_text(content)
    await hq.do("workspace.save", ref=app, session=session)
    return tree


def put(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("x")


async def save_and_merge(hq, app: str, session: str) -> None:
    for verb in ("save", "merge"):
        await hq.do(f"workspace.{verb}", ref=app, session=session)


async def names(hq, app: str, **more) -> list[str]:
    return [each["path"] for each in (await hq.do("workspace.files", ref=app, **more))["items"]]


async def directory(hq, app: str) -> Path:
    return Path((await hq.do("workspace.open", ref=app))["path"])


async def test_what_a_session_saved_and_merged_is_the_missions(hq, app) -> None:
    await work(hq, app, "one", README="hello")
    assert await names(hq, app) == []

    merged = await hq.do("workspace.merge", ref=app, session="one")

    assert merged["changes"] == 1 and await names(hq, app) == ["README"]
    assert (await directory(hq, app) / "README").read_text() == "hello"


async def test_every_file_is_on_one_page_whatever_its_name(hq, app) -> None:
    tree = await begin(hq, app, "one")
    for name in ("a.txt", "sub/b", os.fsdecode(b"caf\xe9"), "d d", "sub-c", "z/y/x"):
        put(tree / name)
    await save_and_merge(hq, app, "one")
    whole, found, more = await names(hq, app), [], {}

    while True:
        page = await hq.do("workspace.files", ref=app, limit=1, **more)
        found += [each["path"] for each in page["items"]]
        if not page.get("next"):
            break
        more = {"after": page["next"]}

    assert found == whole and len(whole) == 6


async def test_a_merge_is_taken_back_by_undo_and_the_files_with_it(hq, app) -> None:
    await work(hq, app, "one", a="1")
    await hq.do("workspace.merge", ref=app, session="one")
    await work(hq, app, "one", a="2", b="new")
    outcome = await hq.call("workspace.merge", ref=app, session="one")
    shown = await hq.do("workspace.diff", ref=app, patch=True)
    assert [(each["what"], each["path"]) for each in shown["items"]] == [("changed", "a"), ("added", "b")]
    assert shown["items"][0]["patch"][-2:] == ["-1", "+2"]

    await hq.do("action.undo", id=str(outcome.action_id))

    assert await names(hq, app) == ["a"]
    top = await directory(hq, app)
    assert (top / "a").read_text() == "1" and not (top / "b").exists()


async def test_undo_reaches_the_disk_by_itself(hq, app) -> None:
    await work(hq, app, "one", a="1")
    outcome = await hq.call("workspace.merge", ref=app, session="one")
    top = await directory(hq, app)
    assert (top / "a").exists()

    await hq.do("action.undo", id=str(outcome.action_id))

    assert not (top / "a").exists()


async def test_undo_of_a_merge_that_others_stand_on_is_refused(hq, app) -> None:
    await work(hq, app, "one", a="1")
    outcome = await hq.call("workspace.merge", ref=app, session="one")
    await work(hq, app, "one", a="2")
    await hq.do("workspace.merge", ref=app, session="one")

    refused = await hq.call("action.undo", id=str(outcome.action_id))

    assert refused.error["code"] == "blocked" and await names(hq, app) == ["a"]


async def test_two_sessions_never_share_a_tree_and_their_work_is_put_together(hq, app) -> None:
    one = await work(hq, app, "one", a="1")
    two = await work(hq, app, "two", b="2")
    assert one != two and not (one / "b").exists()

    for session in ("one", "two"):
        await hq.do("workspace.merge", ref=app, session=session)

    assert await names(hq, app) == ["a", "b"]


async def test_a_conflict_is_raised_names_the_files_and_changes_nothing(hq, app) -> None:
    for session, content in (("one", "1"), ("two", "2")):
        await work(hq, app, session, same=content)
    await hq.do("workspace.merge", ref=app, session="one")

    refused = await hq.call("workspace.merge", ref=app, session="two")

    assert refused.error["code"] == "conflict" and refused.error["details"]["conflicts"] == ["same"]
    top = await directory(hq, app)
    assert (top / "same").read_text() == "1"
    await hq.do("workspace.merge", ref=app, session="two", prefer="session")
    assert (top / "same").read_text() == "2"


async def test_a_session_may_merge_again_and_again_without_undoing_others(hq, app) -> None:
    tree = await work(hq, app, "one", a="1")
    await hq.do("workspace.merge", ref=app, session="one")
    await work(hq, app, "two", b="theirs")
    await hq.do("workspace.merge", ref=app, session="two")
    (tree / "c").write_text("3")

    await save_and_merge(hq, app, "one")

    assert await names(hq, app) == ["a", "b", "c"]


async def test_a_session_that_begins_again_goes_on_where_it_was(hq, app) -> None:
    tree = await begin(hq, app, "one")
    (tree / "half").write_text("done")

    assert await begin(hq, app, "one") == tree and (tree / "half").exists()


async def test_a_beginning_that_was_interrupted_is_made_anew(hq, app) -> None:
    tree = await work(hq, app, "one", a="1")
    await hq.do("workspace.merge", ref=app, session="one")
    half = tree.with_name(".two.new")
    half.mkdir()
    (half / "half").write_text("a file")

    two = await begin(hq, app, "two")

    assert sorted(each.name for each in two.iterdir()) == ["a"] and not half.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's programs run as somebody else")
async def test_what_root_puts_into_a_tree_belongs_to_programs_from_the_next_beginning_on(hq, app) -> None:
    tree = await begin(hq, app, "one")
    (tree / "mine").write_text("root's")
    (tree / "link").symlink_to("/etc/passwd")

    await begin(hq, app, "one")

    assert (tree / "mine").stat().st_uid == ACCOUNT and os.stat("/etc/passwd").st_uid == 0


async def test_a_tree_whose_directory_was_lost_comes_back_as_it_was_saved(hq, app) -> None:
    from hq.sandbox import paths

    paths.remove(await work(hq, app, "one", a="1"))

    assert (await begin(hq, app, "one") / "a").read_text() == "1"


async def test_files_and_differences_of_the_past_can_be_asked_for(hq, app, clock) -> None:
    before = clock.now().isoformat()
    clock.advance(hours=1)
    await work(hq, app, "one", a="1")
    await hq.do("workspace.merge", ref=app, session="one")

    assert await names(hq, app, _at=before) == [] and await names(hq, app) == ["a"]


async def test_what_is_changed_by_hand_is_never_overwritten_and_can_be_taken_over(hq, app) -> None:
    await work(hq, app, "one", a="1")
    await hq.do("workspace.merge", ref=app, session="one")
    top = await directory(hq, app)
    (top / "mine").write_text("by hand")
    await work(hq, app, "one", b="2")

    await hq.do("workspace.merge", ref=app, session="one")

    opened = await hq.do("workspace.open", ref=app)
    assert not opened["current"] and opened["unsaved"] == ["mine"] and not (top / "b").exists()
    await hq.do("workspace.take", ref=app)
    assert await names(hq, app) == ["a", "b", "mine"]
    assert (await hq.do("workspace.open", ref=app))["current"] and (top / "b").exists()


async def test_a_placement_that_was_interrupted_is_mended(hq, app) -> None:
    await work(hq, app, "one", a="1", b="1", c="1")
    await hq.do("workspace.merge", ref=app, session="one")
    top = await directory(hq, app)
    before = (top / ".hq" / "placed").read_text()
    await work(hq, app, "one", a="2", b="2", d="2")
    await hq.do("workspace.merge", ref=app, session="one")
    (top / ".hq" / "placing").write_text((top / ".hq" / "placed").read_text())
    (top / ".hq" / "placed").write_text(before)
    (top / "b").write_text("1")  # as if killed after the first of them
    (top / "d").unlink()

    opened = await hq.do("workspace.open", ref=app)

    assert opened["current"] and not opened.get("unsaved")
    assert [(top / name).read_text() for name in "abcd"] == ["2", "2", "1", "2"]


async def test_agents_find_what_they_need_to_know_beside_their_tree(hq, app) -> None:
    await begin(hq, app, "one")
    top = await directory(hq, app)

    assert json.loads((top / ".hq" / "mission.json").read_text())["workspace"] == "app1"
    assert json.loads((top / ".hq" / "agent.json").read_text())["actor"] == "user:founder"
    assert (top / ".hq" / "log.jsonl").exists()
    everything = top.parents[3]
    assert sorted(each.name for each in (everything / "shared").iterdir()) == ["configs", "libraries", "templates"]
    assert json.loads((everything / ".hq-global" / "workspace-config.json").read_text())["limits"]["processes"] == 10
    assert "one" in (everything / ".hq-global" / "agent-sessions.jsonl").read_text()


async def test_an_export_holds_the_files_and_is_always_the_same(hq, app) -> None:
    tree = await work(hq, app, "one", a="1")
    (tree / "run").write_text("#!/bin/sh")
    (tree / "run").chmod(0o755)
    (tree / "link").symlink_to("a")
    await save_and_merge(hq, app, "one")

    one, two = [await hq.do("workspace.export", ref=app) for _ in range(2)]

    assert one == two
    with tarfile.open(one["path"]) as archive:
        assert {each.name: (each.mode, each.linkname) for each in archive} == {
            "app1/a": (0o644, ""),
            "app1/link": (0o644, "a"),
            "app1/run": (0o755, ""),
        }


async def test_a_deleted_workspace_is_gone_from_the_disk_and_comes_back_by_undo(hq, app) -> None:
    tree = await work(hq, app, "one", a="1")
    await hq.do("workspace.merge", ref=app, session="one")
    top = await directory(hq, app)

    outcome = await hq.call("workspace.delete", ref=app)

    assert outcome.ok and not top.exists() and not tree.exists()
    assert (await hq.call("workspace.begin", ref=app, session="two")).error["code"] == "conflict"
    await hq.do("action.undo", id=str(outcome.action_id))
    await directory(hq, app)
    assert (top / "a").read_text() == "1"


async def test_an_agent_asks_before_it_deletes_and_cannot_loosen_the_limits(hq, app) -> None:
    agent = await hq.agent("forge", scopes=["read", "write"])
    await hq.do("workspace.create", name="own", _token=agent)

    assert (await hq.call("workspace.delete", ref="own", _token=agent)).error["code"] == "waiting"
    assert (await hq.call("workspace.delete", ref=app, _token=agent)).error["code"] == "cross_scope_violation"
    assert (await hq.call("workspace.set", ref=app, memory_mb=64000, _token=agent)).error["code"] == "forbidden"
    assert (await hq.call("workspace.keep", ref=app, session="x", snapshot="0" * 64, _token=agent)).error


async def test_a_sealed_workspace_is_read_and_not_written(hq, app) -> None:
    await work(hq, app, "one", a="1")
    await hq.do("workspace.set", ref=app, sealed=True)

    assert (await hq.call("workspace.merge", ref=app, session="one")).error["code"] == "conflict"
    assert await names(hq, app) == []


async def test_a_dropped_tree_is_gone(hq, app) -> None:
    tree = await work(hq, app, "one", a="1")

    await hq.do("workspace.drop", ref=app, session="one")

    assert not tree.exists()
    assert (await hq.do("workspace.trees", ref=app))["items"] == []
    assert (await hq.call("workspace.save", ref=app, session="one")).error["code"] == "not_found"


async def test_another_company_sees_nothing_of_it(hq, app) -> None:
    stranger = await hq.tenant()

    for verb in ("files", "diff", "open", "trees"):
        assert (await hq.call(f"workspace.{verb}", ref=app, _token=stranger)).error["code"] == "not_found"


@pytest.mark.parametrize("name", ["../up", "UP", "a/b", ".hq", ""])
async def test_a_name_that_is_no_plain_directory_is_refused(hq, name: str) -> None:
    assert (await hq.call("workspace.create", name=name)).error["code"] == "invalid"
    assert (await hq.call("workspace.create", name="x", category=f"coding/{name}/")).error["code"] == "invalid"
    assert (await hq.call("workspace.begin", ref="x", session=name)).error["code"] == "invalid"


async def test_a_name_is_taken_once(hq, app) -> None:
    assert (await hq.call("workspace.create", name=app, category="other")).error["code"] == "conflict"


async def test_pruning_keeps_what_is_held_and_what_undo_needs(hq, app, clock) -> None:
    await work(hq, app, "one", a="1")
    await hq.do("workspace.merge", ref=app, session="one")
    blobs = hq.door.services[Workspaces].company(await tenant(hq)).blobs
    stray = blobs.put(b"nobody's")
    for file in blobs.root.glob("??/*"):
        os.utime(file, (0, 0))
    clock.advance(days=365)

    pruned = await hq.do("workspace.prune")

    assert pruned["removed"] == 1 and not blobs.has(stray)
    assert await names(hq, app) == ["a"]


async def tenant(hq):
    async with hq.door.opened(hq.door.registry.get("auth.whoami"), _call(hq)) as tx:
        return tx.caller.tenant_id


def _call(hq):
    from hq.door.tx import Call

    return Call("auth.whoami", {}, hq.token)


@pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
async def test_a_program_runs_in_its_sessions_tree_under_the_workspaces_policy(hq, app) -> None:
    await hq.do("workspace.set", ref=app, network=False, processes=3)
    await begin(hq, app, "one")
    workspace = await stored(hq, app)
    here = hq.door.services[Workspaces].company(await tenant(hq))
    (here.root / "shared" / "configs" / "env").write_text("shared")

    job = here.job(
        workspace.id,
        workspace.props,
        "one",
        ["sh", "-c", "cat /hq/mission.json /shared/configs/env; echo x > made; echo x > /hq/log.jsonl"],
    )
    outcome = await hq.door.services[Sandbox].run(job)

    assert job.network == "off" and job.limits.processes == 3
    assert b'"app1"' in outcome.stdout and b"shared" in outcome.stdout and b"Read-only" in outcome.stderr
    await save_and_merge(hq, app, "one")
    assert await names(hq, app) == ["made"]


async def stored(hq, app: str):
    from hq.workspace.types import Workspace

    async with hq.door.opened(hq.door.registry.get("auth.whoami"), _call(hq)) as tx:
        return await tx.get(app, Workspace)


@pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
async def test_the_sandbox_says_what_each_limit_rests_on(hq) -> None:
    tested = await hq.do("sandbox.test")

    assert tested["usable"] and tested["says"] == "every limit holds", tested
    assert {each["limit"]: each["rests_on"] for each in tested["limits"]} == {
        "files": "kernel",
        "network": "kernel",
        "privileges": "kernel",
        "syscalls": "kernel",
        "processes": "supervised",
        "memory": "supervised",
        "disk": "supervised",
        "runtime": "supervised",
    }


async def test_without_bubblewrap_nothing_runs_and_it_is_said_what_to_do(hq, monkeypatch) -> None:
    monkeypatch.setattr("hq.sandbox.machine.PLACES", "/nowhere")
    monkeypatch.setattr("hq.sandbox.bubblewrap.PACKAGE", "not_there")

    tested = await hq.do("sandbox.test")

    assert not tested["usable"] and "apt install bubblewrap" in tested["says"]


async def test_where_there_is_no_bubblewrap_nothing_is_run_and_it_is_said(hq, app, monkeypatch) -> None:
    monkeypatch.setattr(machine, "PLACES", "/nowhere")
    monkeypatch.setattr("hq.sandbox.bubblewrap.PACKAGE", "not_there")
    await hq.do("workspace.begin", ref=app, session="one")

    tested = await hq.do("sandbox.test")
    ran = await hq.call("container.exec", command="touch ran", workspace=app, session="one")
    coded = await hq.call("code.execute", workspace=app, prompt="Build a small web app.", cli="chat")

    assert not tested["usable"] and "bwrap is not installed" in tested["says"]
    for refused in (ran, coded):
        assert refused.error["code"] == "conflict" and "apt install bubblewrap" in refused.error["hint"]
    assert await names(hq, app) == []


async def test_two_agents_never_share_a_tree(hq, app) -> None:
    forge, scout = await hq.agent("forge"), await hq.agent("scout")
    await hq.do("workspace.begin", ref=app, session="mine", _token=forge)

    others = [
        await hq.call(f"workspace.{verb}", ref=app, session="mine", _token=scout)
        for verb in ("begin", "save", "merge", "drop")
    ]
    unsaid = await hq.call("workspace.begin", ref=app, _token=scout)

    assert {each.error["code"] for each in others} == {"cross_scope_violation"}
    assert "agent:forge's" in others[0].error["message"]
    assert unsaid.error["code"] == "invalid" and "say whose" in unsaid.error["message"]
    assert (await hq.call("workspace.save", ref=app, session="mine", _token=forge)).ok


async def test_a_session_has_its_own_tree_without_naming_it(hq, app) -> None:
    forge, session = await hq.agent("forge"), new_id()

    begun = await hq.do("workspace.begin", ref=app, _token=forge, _session_id=session)
    saved = await hq.do("workspace.save", ref=app, _token=forge, _session_id=session)

    assert begun["session"] == saved["session"] == str(session)


async def test_what_is_not_one_s_mission_is_not_one_s_to_change(hq) -> None:
    forge, scout = await hq.hired("forge"), await hq.hired("scout")
    await hq.do("mission.create", title="Ship")
    await hq.do("mission.assign", ref="ship", to="forge")
    (space,) = (await hq.do("workspace.list"))["items"]
    empty = hashlib.sha256(b"[]").hexdigest()

    async def tried(token: str) -> dict[str, Any]:
        more = {"revert": {"snapshot": empty}, "begin": {"session": "x"}, "merge": {"session": "x"}}
        verbs = ("begin", "merge", "revert", "take")
        return {
            verb: (await hq.call(f"workspace.{verb}", ref=space["slug"], **more.get(verb, {}), _token=token)).error
            for verb in verbs
        }

    refused, own = await tried(scout), await tried(forge)

    assert {verb: error["code"] for verb, error in refused.items()} == dict.fromkeys(refused, "cross_scope_violation")
    assert "the mission ship's" in refused["merge"]["message"] and refused["merge"]["details"]["ask"] == "operator"
    assert own["begin"] is None and own["revert"] is None


async def test_in_files_of_no_mission_each_works_on_a_copy_and_who_made_them_for_good(hq, app) -> None:
    forge = await hq.agent("forge")
    await hq.do("workspace.create", name="mine", _token=forge)
    codes = {}

    for ref in (app, "mine"):
        tree = Path((await hq.do("workspace.begin", ref=ref, session="forge", _token=forge))["path"])
        (tree / "a.txt").write_text("a")
        await hq.do("workspace.save", ref=ref, session="forge", _token=forge)
        codes[ref] = (await hq.call("workspace.merge", ref=ref, session="forge", _token=forge)).error

    assert codes[app]["code"] == "cross_scope_violation" and codes["mine"] is None
    coded = await hq.call("code.execute", workspace=app, prompt="x", _token=forge)
    assert coded.error["code"] == "cross_scope_violation"
