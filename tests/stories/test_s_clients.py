"""Rows S1 to S9, as far as clients see them: routing, runs, workers' files, one thread."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from hq.agents.worker_process import runner_for
from hq.sessions.routing.router import MessageRouter
from hq.sessions.workers.artifacts import Artifacts
from hq.sessions.workers.record import _tool_calls
from hq.sessions.workers.rows import WorkerStepRow
from tests.support.cast import Cast, spawn, wait
from tests.support.paying import Payroll, Priced, rows
from tests.support.play import Play, Told, route, texts

DONE = '<task-complete reason="78 % full"/>'


@pytest.mark.parametrize("text", ["hmm", "asdf", "can you look into it?", "can you check?", "??", "what about it?"])
async def test_s1_what_says_too_little_goes_to_the_supervisor_as_uncertain(text):
    found = await MessageRouter().route(text)

    assert (found.mode, found.sure) == ("supervisor", False) and "too little" in found.why


@pytest.mark.parametrize("text", ["hi", "thanks", "how are you?", "ok", "why do you say that?"])
async def test_s1_small_talk_is_still_answered_at_once(text):
    assert (await MessageRouter().route(text)).mode == "quick"


async def test_s2_wishes_of_a_run_are_no_part_of_what_was_said(own_hq):
    await own_hq.do("agent.load")
    await own_hq.do(
        "run.start",
        task="Check my server health",
        verbosity="concise",
        conversation="jarvis-session-123",
        previous=["user: Cube was slow yesterday"],
    )
    mind = Told(["All is well."])
    await Play(own_hq).runner(mind).run_once()

    (ask,) = mind.asked
    assert "Answer in a sentence or two." in ask.now and "Cube was slow yesterday" in ask.now
    assert "Cube was slow" not in "".join(texts(ask.messages))
    assert [line["text"] for line in (await own_hq.do("chat.history"))["items"]] == [
        "Check my server health",
        "All is well.",
    ]


async def test_s2_the_script_understands_a_task_with_wishes_as_without(own_hq):
    """F7: appended to the text they broke its matching."""
    await own_hq.do("agent.load")
    runner = await runner_for(own_hq.door, own_hq.address, 8)
    answers = []
    for more in ({}, {"verbosity": "detailed", "previous": ["user: hello"]}):
        run = await own_hq.do("run.start", task="What time is it?", **more)
        await runner.run_once()
        answers.append((await own_hq.do("run.show", run=run["run_id"]))["result"])

    assert answers[0][:10] == answers[1][:10] and answers[0]


async def test_s2_what_overlapping_runs_used_is_each_ones_own(own_hq, clock):
    """Each was said to have used what those before it in the thread did, and to have taken as long as it waited for them."""
    await own_hq.do("agent.load")
    runs = [(await own_hq.do("run.start", task=f"Count to {n}"))["run_id"] for n in (1, 2, 3)]

    def ten_seconds(ask):
        clock.advance(seconds=10)
        return "Counted."

    runner = Payroll(own_hq).runner(Priced(Told(ten_seconds)))
    for _ in runs:
        await runner.run_once()
        await route(own_hq)

    told = [await own_hq.do("run.show", run=run) for run in runs]
    assert [(each["tokens_used"], each["cost_usd"]) for each in told] == [(110, 0.05)] * 3
    assert [each["duration_ms"] for each in told] == [10_000] * 3
    assert (await own_hq.do("run.start", task="Go on"))["estimated_duration_seconds"] == 10


async def test_s4_a_workers_files_name_its_run_its_owner_and_what_tools_gave(own_hq, tmp_path):
    await own_hq.do("agent.load")
    own_hq.door.services[Artifacts].root = tmp_path
    run = await own_hq.do("run.start", task="Check the tasks")
    runner = Play(own_hq).runner(
        Cast([spawn("List them", tools=["hq_task"]), wait(), "Done."], [("hq_task", {"action": "list"}), DONE])
    )
    for _ in range(4):
        await runner.run_once()
        await route(own_hq)

    (worker,) = (await own_hq.do("run.show", run=run["run_id"]))["workers"]
    (place,) = tmp_path.glob(f"*/workers/{worker['worker_id']}")
    meta = json.loads((place / "metadata.json").read_text())
    assert meta["supervisor_run_id"] == run["run_id"]
    assert await rows(own_hq, "select distinct tenant_id::text from ops.sessions") == [(meta["owner_id"],)]
    assert json.loads((place / "tool_calls" / "001_task_list.txt").read_text())["items"] == []


async def test_s4_a_worker_whose_every_call_failed_is_no_success(own_hq):
    """M12: one that could check nothing said that it was done."""
    await own_hq.do("agent.load")
    await own_hq.do("worker.spawn", task="Check disks")
    await Play(own_hq).runner(Cast([], [("hq_nothing", {}), f"I could not. {DONE}"])).run_once()

    (row,) = (await own_hq.do("worker.list"))["items"]
    assert row["status"] == "failed"


async def test_j14_who_is_mentioned_speaks_under_their_own_name(own_hq):
    """J-1: shown as "you" in history and page."""
    await own_hq.do("agent.load")
    await own_hq.do("agent.create", name="Forge", slug="forge", role="Builder")
    await own_hq.do("chat.say", text="@forge what do you think?")
    runner = Play(own_hq).runner(Told(lambda ask: "I am forge." if "mentions you" in str(ask.messages) else "Noted."))
    for _ in range(3):
        await runner.run_once()

    lines = (await own_hq.do("chat.history"))["items"]
    (said,) = [line for line in lines if line["text"] == "I am forge."]
    assert (said["role"], said["sender"], said.get("name")) == ("assistant", "forge", "Forge")


async def _one_worker(hq, text: str) -> str:
    name = (await hq.do("worker.spawn", task="Check disk usage on cube"))["worker"]
    await Play(hq).runner(Cast([], [("hq_task", {"action": "list"}), f"{text} {DONE}"])).run_once()
    return name


async def test_s3_the_supervisor_lists_workers_by_their_summaries_and_reads_the_rest(own_hq):
    await own_hq.do("agent.load")
    worker = await _one_worker(own_hq, "Cube is 78 % full.\n" + "More of it. " * 100)
    chief = await own_hq.agent("chief")

    (row,) = (await own_hq.do("worker.list", _token=chief))["items"]
    assert len(row["summary"]) <= 150 and "result" not in row
    assert "More of it." in (await own_hq.do("worker.read", worker=worker, _token=chief))["text"]
    assert (await own_hq.do("worker.metadata", worker=worker, _token=chief))["status"] == "success"
    (hit,) = (await own_hq.do("worker.grep", pattern="78 %", _token=chief))["items"][:1]
    assert hit["worker"] == worker


def test_s5_what_a_machine_printed_is_kept_as_it_was():
    """A5: an envelope that was neither raw nor JSON."""
    at = datetime(2026, 11, 17, tzinfo=UTC)
    reply = {
        "response": {"parts": [{"part_kind": "tool-call", "tool_call_id": "1", "tool_name": "ssh_exec", "args": {}}]}
    }
    outcome = {"call": "1", "verb": "ssh.exec", "ok": True, "data": {"artifact": "a", "text": "Filesy…"}}
    steps = [
        WorkerStepRow(1, "mind", reply, at, None),
        WorkerStepRow(2, "verb", outcome, at, '{\n  "artifact": …', b"Filesystem  Use%\n/dev/sda1   78%\n"),
    ]

    assert dict(_tool_calls(steps)) == {"tool_calls/001_ssh_exec.txt": "Filesystem  Use%\n/dev/sda1   78%\n"}


async def test_s6_the_founder_has_one_thread_whatever_restarts(own_hq, clock):
    await own_hq.do("agent.load")
    threads = []
    for task in ("Check the disks", "And the backups"):
        threads.append((await own_hq.do("run.start", task=task))["thread_id"])
        await Play(own_hq).runner(Told(["Fine."])).run_once()  # a process of its own each time
        clock.advance(days=2)
    await own_hq.do("chat.say", text="Thanks")

    assert len(set(threads)) == 1
    said = [line["text"] for line in (await own_hq.do("chat.history"))["items"] if line["role"] == "user"]
    assert said == ["Check the disks", "And the backups", "Thanks"]


async def test_s9_what_was_checked_before_is_found_days_later(own_hq, clock):
    await own_hq.do("agent.load")
    worker = await _one_worker(own_hq, "Cube is 78 % full.")
    clock.advance(days=5)

    hits = (await own_hq.do("worker.grep", pattern="cube", _token=await own_hq.agent("chief")))["items"]
    assert hits[0]["worker"] == worker and "78 %" in hits[0]["text"]
