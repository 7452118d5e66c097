"""Workers: spawned, joined, read, limited; and what they leave on disk."""

from __future__ import annotations

import asyncio
import json

import pytest

from hq.sessions.workers.artifacts import Artifacts
from hq.sessions.workers.summary import LONGEST, summarise
from tests.support.cast import Cast, spawn, spawned, wait
from tests.support.jobs import JobHand
from tests.support.play import Told, route

DONE = '<task-complete reason="Cube 78% full, healthy, two months left"/>'
LIST = ("hq_task", {"action": "list"})


@pytest.fixture
def files(own_hq):
    return own_hq.door.services[Artifacts].root / "acme-hq" / "workers"


async def finish(play, mind, rounds: int = 6) -> None:
    runner = play.runner(mind)
    for _ in range(rounds):
        await runner.run_once()
        await route(play.hq)


async def run_worker(play, task="Check disk usage on cube", lines=(LIST, f"The disk is fine.\n{DONE}"), **more) -> str:
    worker = (await play.hq.do("worker.spawn", task=task, **more))["worker"]
    await play.runner(Cast([], list(lines))).run_once()
    return worker


async def test_workers_run_side_by_side_and_the_spawner_waits_for_all(play):
    agent = [
        [spawn("Check disk on cube"), spawn("Check docker"), spawn("Check backups")],
        lambda ask: wait(*spawned(ask)),
        f"Everything is fine. {DONE}",
    ]
    session, ended = await play.run(Cast(agent, [LIST, f"Fine.\n{DONE}"]))
    assert ended.state == "waiting"
    assert len((await play.hq.do("session.show", id=session))["waits_for"]) == 1

    await finish(play, Cast(agent, [LIST, f"Fine.\n{DONE}"]))

    assert play.ended[session].state == "done"
    rows = (await play.hq.do("session.replay", id=session))["items"]
    (joined,) = [r["payload"]["data"]["items"] for r in rows if r["payload"].get("verb") == "worker.wait"]
    assert [(each["status"], each["result"]) for each in joined] == [("success", "Fine.")] * 3


async def test_waiting_for_the_first_goes_on_with_one(play):
    slow = (await play.hq.do("worker.spawn", task="slow"))["worker"]
    await play.hq.do("session.stop", id=(await play.hq.do("worker.spawn", task="quick"))["session"])
    (quick,) = [w["worker"] for w in (await play.hq.do("worker.list"))["items"] if w["status"] == "cancelled"]

    assert (await play.hq.call("worker.wait", workers=[slow, quick])).error["code"] == "waiting"
    joined = await play.hq.do("worker.wait", workers=[slow, quick], first_of=True)

    assert {each["status"] for each in joined["items"]} == {"queued", "cancelled"}


async def test_a_spawner_that_waits_costs_no_turn_until_they_are_over(play):
    agent = [[spawn("One"), spawn("Two")], lambda ask: wait(*spawned(ask)), f"Done.\n{DONE}"]
    mind = Cast(agent, [f"Fine.\n{DONE}"])
    session, _ = await play.run(mind)
    steps = (await play.hq.do("session.show", id=session))["steps"]

    await route(play.hq)

    assert (await play.hq.do("session.show", id=session))["state"] == "waiting"
    assert (await play.hq.do("session.show", id=session))["steps"] == steps


async def test_stopping_a_worker_wakes_who_waits_for_it(play):
    agent = [spawn("One"), lambda ask: wait(*spawned(ask)), f"Done.\n{DONE}"]
    session, _ = await play.run(Cast(agent, []))
    (worker,) = (await play.hq.do("session.list", parent=session))["items"]
    await play.hq.do("session.stop", id=worker["session"])
    await route(play.hq)

    await play.runner(Cast(agent, [])).run_once()

    assert play.ended[session].state == "done"


@pytest.mark.parametrize("ends_first", [0, 1])
async def test_a_spawner_that_was_woken_too_early_waits_again_and_does_not_spin(play, ends_first):
    agent = [[spawn("One"), spawn("Two")], lambda ask: wait(*spawned(ask)), f"Done.\n{DONE}"]
    mind = Cast(agent, [])
    session, _ = await play.run(mind)
    children = [row["session"] for row in (await play.hq.do("session.list", parent=session))["items"]]
    still = children[1 - ends_first]
    await play.hq.do("session.stop", id=children[ends_first])
    runner = play.runner(mind)
    runner.leases.claim = only(runner.leases.claim, session)
    await route(play.hq)
    await runner.run_once()

    shown = await play.hq.do("session.show", id=session)
    assert (shown["state"], shown["waits_for"]) == ("waiting", [f"session:{still}"])


def only(claim, session: str):
    """Leaves the other sessions where they are: what was claimed of them falls to their leases."""

    async def some(*places):
        return [claimed for claimed in await claim(*places) if str(claimed.id) == session]

    return some


async def test_a_worker_has_its_own_prompt_and_only_its_tools(play):
    mind = Cast([], [f"Fine.\n{DONE}"])
    await play.hq.do("worker.spawn", task="Look", instructions="Use short words.", tools=["task"])
    await play.runner(mind).run_once()

    (ask,) = mind.asked
    assert {tool.name.partition("_")[0] for tool in ask.tools} == {"task", "hq"}
    assert "\nUse short words.\n" in ask.instructions
    assert ask.messages[0].parts[0].content == "Task: Look"


async def test_a_worker_holds_at_most_what_who_sent_it_is_offered(play):
    export = ("hq_org", {"action": "export"})
    mind = Cast([spawn("Look"), DONE], [export, DONE])
    await play.run(mind, tools=("hq_task", "hq_worker"), only={"hq_task": ("list", "show")})
    await play.runner(mind).run_once()

    asked = next(ask for ask in mind.asked if ask.instructions.startswith("You are a worker"))
    assert {tool.name for tool in asked.tools} == {"task_list", "hq"}
    assert "task_create" not in asked.tools[-1].description and "org" not in asked.tools[-1].description
    refused = await play.hq.do("action.list", verb="org.export")
    assert all(row["status"] != "ok" for row in refused["items"])


async def test_what_is_not_among_its_tools_is_refused_at_the_door(play):
    worker = await run_worker(play, lines=[("hq_memo", {"action": "list"}), LIST, DONE], tools=["hq_task"])

    told = await play.hq.do("worker.read", worker=worker, path="tool_calls/001_memo_list.txt")
    assert told["text"].startswith("error forbidden")
    assert "items" in (await play.hq.do("worker.read", worker=worker, path="tool_calls/002_task_list.txt"))["text"]


async def test_a_worker_never_holds_more_than_its_spawner(play):
    token = await play.hq.agent("reader", scopes=["read", "worker.spawn"])
    worker = (await play.hq.do("worker.spawn", task="Write", _token=token))["worker"]
    await play.runner(Cast([], [("hq_task", {"action": "create", "title": "x"}), DONE])).run_once()

    text = (await play.hq.do("worker.read", worker=worker, path="tool_calls/001_task_create.txt"))["text"]
    assert "forbidden" in text
    assert (await play.hq.do("worker.metadata", worker=worker))["status"] == "failed"  # it did nothing


async def test_a_worker_cannot_spawn_workers(play):
    worker = await run_worker(play, lines=[spawn("more"), DONE])

    assert len((await play.hq.do("worker.list"))["items"]) == 1
    assert (
        "worker.spawn is not for worker"
        in (await play.hq.do("worker.read", worker=worker, path="thread.jsonl"))["text"]
    )


async def test_an_unknown_tool_is_refused_with_what_was_meant(play):
    outcome = await play.hq.call("worker.spawn", task="x", tools=["taks"])

    assert outcome.error["code"] == "invalid" and "task" in outcome.error["message"]


async def test_out_of_time_it_is_stopped_with_what_it_has(play, clock):
    def line(ask):
        clock.advance(seconds=200)
        return "So far: the disk is 78% full."

    worker = (await play.hq.do("worker.spawn", task="Check", timeout=300))["worker"]
    await play.runner(Told(line)).run_once()

    meta = await play.hq.do("worker.metadata", worker=worker)
    assert meta["status"] == "timeout"
    assert (await play.hq.do("worker.read", worker=worker))["text"] == "So far: the disk is 78% full.\n"


async def test_a_mind_that_hangs_is_cut_off(play):
    class Hung(Told):
        async def answer(self, ask, *, on_text=None):
            await asyncio.Event().wait()

    worker = (await play.hq.do("worker.spawn", task="Check", timeout=1))["worker"]
    await play.runner(Hung([])).run_once()

    assert (await play.hq.do("worker.metadata", worker=worker))["status"] == "timeout"


async def test_the_directory_has_exactly_its_layout(play, files):
    worker = await run_worker(play)
    await play.hq.door.services[Artifacts].flush()

    assert worker == f"{play.hq.clock.now():%Y-%m-%dT%H-%M-%S}_check-disk-usage-on-cube"
    assert sorted(str(f.relative_to(files)) for f in files.rglob("*") if f.is_file()) == sorted(
        ["index.json"]
        + [
            f"{worker}/{name}"
            for name in ("metadata.json", "result.txt", "thread.jsonl", "tool_calls/001_task_list.txt")
        ]
    )
    meta = json.loads((files / worker / "metadata.json").read_text())
    assert list(meta) == [
        "worker_id", "owner_id", "task", "status", "started_at", "completed_at", "duration_ms", "model",
        "supervisor_run_id", "summary", "summary_meta", "extracted",
    ]  # fmt: skip
    assert (meta["status"], meta["summary"]) == ("success", "Cube 78% full, healthy, two months left")
    assert meta["summary_meta"] | {"generated_at": ""} == {
        "version": 1,
        "model": "told",
        "generated_at": "",
        "error": None,
    }
    assert (files / worker / "result.txt").read_text() == "The disk is fine.\n"
    roles = [json.loads(line)["role"] for line in (files / worker / "thread.jsonl").read_text().splitlines()]
    assert roles == ["system", "user", "assistant", "tool", "assistant"]
    (entry,) = json.loads((files / "index.json").read_text())
    assert entry["worker_id"] == worker
    assert all(f.stat().st_mode & 0o077 == 0 for f in files.rglob("*"))


async def test_two_that_start_in_one_second_have_names_of_their_own(play, files):
    names = await asyncio.gather(*(run_spawn(play) for _ in range(5)))

    first = min(names, key=len)
    assert sorted(names) == sorted([first, *(f"{first}_{n}" for n in (2, 3, 4, 5))])


async def run_spawn(play) -> str:
    return (await play.hq.do("worker.spawn", task="Check disk"))["worker"]


async def test_what_is_lost_or_was_never_there_is_made_anew(play, files):
    worker = await run_worker(play)
    await play.hq.door.services[Artifacts].flush()
    before = {f: f.read_text() for f in files.rglob("*") if f.is_file()}
    (files / "index.json").unlink()
    (files / worker / "metadata.json").write_text("{}")
    (files / worker / "stray.txt").write_text("x")

    done = await play.hq.do("worker.reindex")

    assert done["workers"] == 1
    assert {f: f.read_text() for f in files.rglob("*") if f.is_file()} == before


async def test_details_go_after_ninety_days_and_results_stay(play, files, clock):
    worker = await run_worker(play)
    artifacts = play.hq.door.services[Artifacts]
    await artifacts.flush()
    keep = JobHand(play.hq, "keep-artifacts")
    assert await keep.run_once() == 0

    clock.advance(days=91)
    assert await keep.run_once() == 1
    assert await keep.run_once() == 0

    left = ["metadata.json", "result.txt"]
    assert sorted(f.name for f in (files / worker).iterdir()) == left
    assert (await play.hq.do("worker.reindex"))["expired"] == 1
    assert sorted(f.name for f in (files / worker).iterdir()) == left


async def test_grep_finds_lines_in_results_and_in_what_tools_told(play):
    await play.hq.do("task.create", title="Backup the cube")
    worker = await run_worker(play, lines=[LIST, f"Kopia ran.\nThe backup is from today.\n{DONE}"])

    hits = (await play.hq.do("worker.grep", pattern="BACKUP"))["items"]

    assert (hits[0]["worker"], hits[0]["file"]) == (worker, "result.txt")
    assert hits[0]["text"] == "The backup is from today." and hits[0]["line"] == 2
    assert {h["file"] for h in hits[1:]} == {"tool_calls/001"}
    bad = await play.hq.call("worker.grep", pattern="(")
    assert bad.error["code"] == "invalid"


async def test_the_list_says_only_summaries(play):
    await run_worker(play, lines=["word " * 500 + DONE])

    (row,) = (await play.hq.do("worker.list"))["items"]
    assert set(row) == {"worker", "status", "task", "summary", "at"}
    assert len(row["summary"]) <= LONGEST
    assert (await play.hq.do("worker.list", status="failed"))["items"] == []


async def test_another_company_sees_nothing_of_it(play):
    worker = await run_worker(play)
    other = await play.hq.tenant()

    assert (await play.hq.do("worker.list", _token=other))["items"] == []
    assert (await play.hq.do("worker.grep", pattern="disk", _token=other))["items"] == []
    assert (await play.hq.call("worker.read", worker=worker, _token=other)).error["code"] == "not_found"


async def test_of_another_s_worker_nobody_waits_for_the_result(play):
    spawned = await play.hq.do("worker.spawn", task="Count", _token=await play.hq.agent("scout"))
    await play.runner(Cast([], [LIST, f"The disk is fine.\n{DONE}"])).run_once()
    mine, other = await play.hq.agent("scout"), await play.hq.agent("stranger")
    named = (spawned["worker"], spawned["session"])

    (own,) = (await play.hq.do("worker.wait", workers=[named[0]], _token=mine))["items"]
    refused = [await play.hq.call("worker.wait", workers=[name], first_of=True, _token=other) for name in named]

    assert own["result"] == "The disk is fine."
    assert [each.error["code"] for each in refused] == ["cross_scope_violation"] * 2


async def test_a_failed_worker_is_failed_whatever_it_says(play):
    worker = await run_worker(play, lines=["I did it with great success.", "Really."])

    meta = await play.hq.do("worker.metadata", worker=worker)
    assert meta["status"] == "failed"


def test_a_summary_is_its_own_words_or_the_first_sentence_cut_at_a_word():
    assert summarise("Long. Text.", "three words here").text == "three words here"
    assert summarise("The disk is full. More follows.\nAnd more.", "done").text == "The disk is full."
    assert summarise("The disk is full. More follows.\nAnd more.", "done").error
    long = summarise("word " * 100, "").text
    assert len(long) <= LONGEST and long.endswith("word…")
    assert summarise("", "").text == ""
