"""An agent whose coding program has to ask: its session waits at no cost, and goes on with what became of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.jobs import JobHand
from tests.support.passable import tmp_path
from tests.support.play import DONE, route
from tests.support.sandboxes import MISSING

__all__ = ["tmp_path"]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
CODE = {"action": "execute", "workspace": "app1", "prompt": "Delete README.md", "mode": "cautious", "cli": "chat"}
LINES = [("hq_code", CODE), DONE]


async def waiting_session(play) -> str:
    hq = play.hq
    await hq.do("workspace.create", name="app1", network=False, _token=await hq.agent("scout"))
    tree = Path((await hq.do("workspace.begin", ref="app1", session="before"))["path"])
    (tree / "README.md").write_text("old")
    for verb in ("save", "merge", "drop"):
        await hq.do(f"workspace.{verb}", ref="app1", session="before")
    session, ended = await play.run(LINES)
    assert ended.state == "waiting"
    return session


async def settle(play, session: str):
    """The house carries the run on, the router wakes the session, and that comes to its end."""
    hq = play.hq
    await JobHand(hq, "code").run_once()
    await route(hq)
    await play.runner(LINES).run_once()
    assert play.ended[session].state == "done"
    (told,) = [r["payload"] for r in (await hq.do("session.replay", id=session))["items"] if r["kind"] == "verb"]
    return told["data"]


@pytest.mark.parametrize(("verb", "left"), [("approve", []), ("reject", ["README.md"])])
async def test_a_session_waits_for_the_answer_and_goes_on_with_what_came_of_it(play, verb, left):
    session = await waiting_session(play)
    shown = await play.hq.do("session.show", id=session)
    assert shown.get("held_by") is None and shown["waits_for"][0].startswith("code:app1-")

    (approval,) = (await play.hq.do("approval.list", status="pending"))["items"]
    await play.hq.do(f"approval.{verb}", ref=approval["slug"])
    told = await settle(play, session)

    assert told["status"] == "done" and (told["files_deleted"] == ["README.md"]) is (verb == "approve")
    assert [each["path"] for each in (await play.hq.do("workspace.files", ref="app1"))["items"]] == left


@pytest.mark.parametrize(("verb", "became"), [("allow", "done"), ("deny", "rejected")])
async def test_answering_the_run_itself_decides_what_the_agent_asked_for(play, verb, became):
    session = await waiting_session(play)
    (approval,) = (await play.hq.do("approval.list"))["items"]
    (run,) = (await play.hq.do("code_run.list"))["items"]

    await play.hq.do(f"code.{verb}", ref=run["slug"])

    assert (await play.hq.do("approval.show", ref=approval["slug"]))["props"]["status"] == became
    told = await settle(play, session)
    assert told["status"] == "done" and (told["files_deleted"] == ["README.md"]) is (verb == "allow")
    told = (await play.hq.do("sql.query", query="select topic from hq.events"))["items"]
    assert [row["topic"] for row in told].count(f"approval.{became}") == 1


async def test_an_answer_that_is_noted_twice_acts_once(play):
    session = await waiting_session(play)
    (approval,) = (await play.hq.do("approval.list", status="pending"))["items"]
    await play.hq.do("approval.approve", ref=approval["slug"])

    again = await play.hq.call("approval.approve", ref=approval["slug"])
    told = await settle(play, session)

    assert again.data["already"] and told["files_deleted"] == ["README.md"]


@pytest.mark.parametrize(("answer", "left"), [("yes", []), ("no", ["README.md"])])
async def test_the_run_is_another_name_for_what_its_program_asks(play, answer, left):
    session = await waiting_session(play)
    (run,) = (await play.hq.do("code_run.list"))["items"]
    assert (await play.hq.do("ask.show", ask=run["slug"]))["kind"] == "operation"

    await play.hq.do("ask.answer", ask=run["slug"], option=answer)

    assert (await play.hq.do("code_run.show", ref=run["slug"]))["props"]["status"] == "answered"
    assert (await settle(play, session))["status"] == "done"
    assert [each["path"] for each in (await play.hq.do("workspace.files", ref="app1"))["items"]] == left


async def test_what_nobody_needs_any_more_lets_the_program_go_on_without(play):
    session = await waiting_session(play)
    (approval,) = (await play.hq.do("approval.list"))["items"]

    await play.hq.do(
        "ask.withdraw", ask=approval["slug"], why="the file is needed", _token=await play.hq.agent("scout")
    )

    assert (await settle(play, session))["status"] == "done"
    assert [each["path"] for each in (await play.hq.do("workspace.files", ref="app1"))["items"]] == ["README.md"]


async def test_a_yes_to_what_the_program_does_not_want_any_more_allows_nothing(play):
    await waiting_session(play)
    (approval,) = (await play.hq.do("approval.list"))["items"]
    (run,) = (await play.hq.do("code_run.list"))["items"]
    other = {"tool": "Bash", "says": "Bash: rm -rf .", "fingerprint": "another"}
    await play.hq.do("code.settle", run=run["slug"], props={"status": "waiting", "wants": other}, _inside=True)

    await play.hq.do("approval.approve", ref=approval["slug"])

    assert (await play.hq.do("approval.show", ref=approval["slug"]))["props"]["status"] == "failed"
    assert (await play.hq.do("code_run.show", ref=run["slug"]))["props"]["status"] == "waiting"
    assert await JobHand(play.hq, "code").run_once() == 0


async def test_another_agent_neither_waits_for_a_run_nor_carries_it_on(play):
    session = await waiting_session(play)
    (run,) = (await play.hq.do("code_run.list"))["items"]
    other = await play.hq.agent("stranger")

    for verb in ("code_run.show", "code.wait", "code.carry_on"):
        refused = (await play.hq.call(verb, ref=run["slug"], _token=other)).error
        assert refused["code"] == "not_found", verb

    await play.hq.do("code.deny", ref=run["slug"])
    assert (await settle(play, session))["status"] == "done"
