"""A coding program at work: the real Claude CLI, the real Codex and our own, in the sandbox, on a mind of this machine alone."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from hq.coding.adapters import ADAPTERS
from hq.minds.scripted.mind import shipped
from hq.minds.service import Minds
from hq.workspace.directories import Workspaces
from tests.support.jobs import JobHand
from tests.support.sandboxes import MISSING
from tests.support.supervised import announced

from .minds import bash, tell

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=str(MISSING)),
    pytest.mark.skipif(ADAPTERS["claude"].program() is None, reason="claude-agent-sdk is not installed"),
]
CODEX = pytest.param(
    "codex", marks=pytest.mark.skipif(ADAPTERS["codex"].program() is None, reason="Codex is not here: scripts/codex")
)
EACH = pytest.mark.parametrize("cli", ["claude", "chat", CODEX])
BUILD = "Build a small web app that keeps a guest book."


@pytest.fixture
def hq(own_hq):
    """A database of its own: the job that carries runs on looks after every company in it."""
    return own_hq


@pytest.fixture
async def app(hq):
    return (await hq.do("workspace.create", name="app1", category="coding/webapp", network=False))["slug"]


@pytest.fixture
async def forge(hq):
    return await hq.agent("forge")


@pytest.fixture
async def forges(hq, forge):
    """A workspace that the agent made itself, so that it may change it for good."""
    more = {"category": "coding/webapp", "network": False, "_token": forge}
    return (await hq.do("workspace.create", name="app1", **more))["slug"]


async def write(hq, app: str, **files: str) -> None:
    """Files the mission has already."""
    tree = Path((await hq.do("workspace.begin", ref=app, session="before"))["path"])
    for name, text in files.items():
        (tree / name.replace("_", ".")).write_text(text)
    for verb in ("save", "merge", "drop"):
        await hq.do(f"workspace.{verb}", ref=app, session="before")


async def shown(hq, ref: str, noun: str = "code_run") -> dict:
    return (await hq.do(f"{noun}.show", ref=ref))["props"]


async def names(hq, app: str) -> list[str]:
    return [each["path"] for each in (await hq.do("workspace.files", ref=app))["items"]]


async def carried_on(hq) -> int:
    """What the house's job finds to carry on, done; it may come to nothing."""
    return len(await JobHand(hq, "code").runs())


async def steps(hq, run: str) -> list[tuple[str, str]]:
    return [(each["kind"], each["text"]) for each in (await hq.do("code.steps", ref=run))["items"]]


@EACH
async def test_a_small_web_app_is_built_tested_merged_and_taken_back(hq, app, cli) -> None:
    done = await hq.do("code.execute", workspace=app, prompt=BUILD, check="python3 -m unittest", cli=cli)

    assert done["status"] == "done" and done["exit_code"] == 0
    assert done["files_created"] == ["README.md", "app.py", "test_app.py"] and not done["files_modified"]
    assert done["check"]["exit_code"] == 0 and "Ran 5 tests" in done["check"]["output"]
    assert done["tokens_used"] > 0 and done["cost"] == 0 and done["model"] == "script"
    assert done["merged"] and await names(hq, app) == ["README.md", "app.py", "test_app.py"]

    await hq.do("action.undo", id=done["undo"])

    assert await names(hq, app) == []


@EACH
async def test_what_it_does_is_told_step_by_step_and_logged_for_the_mission(hq, app, cli) -> None:
    done = await hq.do("code.execute", workspace=app, prompt=BUILD, cli=cli)

    told = await steps(hq, done["run"])
    assert ("did", "Write: /mission/app.py") in told and ("did", "Bash: python3 -m unittest") in told
    await announced(hq)
    assert len((await hq.do("events.list", topics=["code.stepped"], limit=200))["items"]) == len(told)
    directory = Path((await hq.do("workspace.open", ref=app))["path"])
    (line,) = (directory / ".hq" / "log.jsonl").read_text().splitlines()
    assert json.loads(line)["files_changed"] == done["files_created"] and json.loads(line)["prompt"] == BUILD


async def test_every_call_of_a_model_is_in_the_call_log_with_its_price(hq, app, monkeypatch) -> None:
    tell(hq, monkeypatch, bash("true"), "done")

    done = await hq.do("code.execute", workspace=app, prompt="go")

    assert (done["tokens_used"], done["cost"]) == (220, 0.5)
    by_day = await hq.do("cost.show")
    assert by_day["calls"] == 2 and by_day["cost_usd"] == 0.5, by_day


@EACH
async def test_a_cautious_program_stops_before_it_destroys_and_goes_on_after_a_yes(hq, forge, forges, cli) -> None:
    app = forges
    await write(hq, app, README_md="old", keep_md="kept")

    asked = await hq.call(
        "code.execute", workspace=app, prompt="Delete README.md", mode="cautious", cli=cli, _token=forge
    )

    assert asked.error["code"] == "waiting" and asked.data["waits_for"] == f"code:{asked.data['run']}"
    assert asked.data["status"] == "waiting" and asked.data["wants"]["says"] == "Bash: rm -rf README.md"
    (approval,) = (await hq.do("approval.list"))["items"]
    assert "forge wants to run this in app1" in (await shown(hq, approval["slug"], "approval"))["why"]
    assert await names(hq, app) == ["README.md", "keep.md"]

    await hq.do("approval.approve", ref=approval["slug"])
    assert (await shown(hq, asked.data["run"]))["status"] == "answered"
    await carried_on(hq)

    run = await shown(hq, asked.data["run"])
    assert run["status"] == "done" and run["files_deleted"] == ["README.md"]
    assert await names(hq, app) == ["keep.md"]
    assert (await shown(hq, approval["slug"], "approval"))["status"] == "done"


@EACH
@pytest.mark.parametrize("how", ["rejected", "expired"])
async def test_a_rejected_approval_lets_the_program_go_on_without(hq, forge, forges, clock, cli, how) -> None:
    app = forges
    await write(hq, app, README_md="old")
    order = {"workspace": app, "prompt": "Delete README.md", "mode": "cautious", "cli": cli}
    asked = await hq.call("code.execute", **order, _token=forge, _key="once")
    (approval,) = (await hq.do("approval.list"))["items"]
    assert await carried_on(hq) == 0

    if how == "rejected":
        await hq.do("approval.reject", ref=approval["slug"], note="we still need it")
    else:
        clock.advance(days=4)
        assert await JobHand(hq, "asks").run_once() == 1
    assert await carried_on(hq) == 1

    run = await shown(hq, asked.data["run"])
    assert (run["status"], run["denied"], run["requester"]) == ("done", 1, "agent:forge")
    assert await names(hq, app) == ["README.md"]
    told = [text for kind, text in await steps(hq, asked.data["run"]) if kind == "denied"]
    assert any(("we still need it" if how == "rejected" else "nobody decided") in text for text in told)
    came = await hq.call("code.execute", **order, _token=forge, _key="once")
    assert came.ok and came.data["status"] == "done" and came.data["stdout"]
    assert await carried_on(hq) == 0


@EACH
async def test_a_no_leaves_the_file_and_the_program_is_told(hq, app, cli) -> None:
    await write(hq, app, README_md="old")
    asked = await hq.do("code.execute", workspace=app, prompt="Delete README.md", mode="cautious", cli=cli)

    done = await hq.do("code.deny", ref=asked["run"], why="we still need it")

    assert done["status"] == "done" and done["denied"] == ["Bash: rm -rf README.md"]
    assert await names(hq, app) == ["README.md"]
    assert any("we still need it" in text for kind, text in await steps(hq, asked["run"]) if kind == "denied")


@EACH
async def test_a_yes_is_good_for_one_operation_only(hq, app, cli, monkeypatch) -> None:
    await write(hq, app, a_txt="1", b_txt="2")
    again = [bash("rm a.txt")] if cli == "codex" else []  # which is told of the yes, and has to want it again
    tell(hq, monkeypatch, [bash("rm a.txt"), bash("rm b.txt")], *again, bash("rm b.txt"), "gone")
    asked = await hq.do("code.execute", workspace=app, prompt="clear", mode="cautious", cli=cli)
    assert asked["wants"]["says"] == "Bash: rm a.txt"

    stale = await hq.call("code.allow", ref=asked["run"], operation="0" * 16)
    again = await hq.do("code.allow", ref=asked["run"], operation=asked["wants"]["fingerprint"])

    assert stale.error["code"] == "stale"
    assert again["status"] == "waiting" and again["wants"]["says"] == "Bash: rm b.txt"
    assert again["files_deleted"] == ["a.txt"] and await names(hq, app) == ["a.txt", "b.txt"]


@EACH
async def test_plan_only_changes_nothing(hq, app, cli, monkeypatch) -> None:
    planned = await hq.do("code.execute", workspace=app, prompt=BUILD, mode="plan_only", cli=cli)
    assert planned["status"] == "done" and planned["stdout"].startswith("Plan:")

    tell(hq, monkeypatch, ("Write", {"file_path": "/mission/a", "content": "x"}), "a is written")
    tried = await hq.do("code.execute", workspace=app, prompt="go", mode="plan_only", cli=cli)

    assert not tried["files_created"] and not tried["merged"] and await names(hq, app) == []


async def test_what_the_program_says_is_not_what_counts(hq, app, monkeypatch) -> None:
    tell(hq, monkeypatch, "All tests pass, everything is done.")

    done = await hq.do("code.execute", workspace=app, prompt="go", check="test -f app.py")

    assert done["status"] == "failed" and "the check failed" in done["why"] and not done["merged"]


@EACH
async def test_a_run_ends_at_its_token_budget_and_can_be_gone_on_with(hq, app, cli, monkeypatch) -> None:
    tell(hq, monkeypatch, bash("echo 1 > a.txt"), bash("echo 2 > b.txt"), "done")

    ended = await hq.do("code.execute", workspace=app, prompt="go", token_budget=150, cli=cli)

    assert ended["status"] == "failed" and "0 of 150 tokens" in ended["why"], ended
    assert ended["tokens_used"] == 0 and ended["files_created"] == [], "it binds before it is spent"

    done = await hq.do("code.resume", ref=ended["run"], token_budget=100_000)

    assert done["status"] == "done" and await names(hq, app) == ["a.txt", "b.txt"], done


async def test_a_budget_of_the_company_ends_it_too(hq, app, monkeypatch) -> None:
    await hq.do("budget.set", on="company", period="day", tokens_hard=10)
    tell(hq, monkeypatch, "done")

    ended = await hq.do("code.execute", workspace=app, prompt="go")

    assert ended["status"] == "failed" and "the company has spent" in ended["why"]


async def test_a_program_that_takes_too_long_is_ended(hq, app, monkeypatch) -> None:
    tell(hq, monkeypatch, bash("sleep 60"), "done")

    ended = await hq.do("code.execute", workspace=app, prompt="go", cli="chat", timeout_minutes=0.02)

    assert ended["status"] == "failed" and "longer is not allowed" in ended["why"]


@EACH
async def test_nothing_of_hqs_environment_is_in_the_sandbox(hq, app, cli, monkeypatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-the-companys-own")
    monkeypatch.setenv("HQ_TOKEN", "hq_founder_secret")
    tell(hq, monkeypatch, bash("env; cat /proc/1/environ /proc/$PPID/environ | tr '\\0' '\\n'"), "done")

    done = await hq.do("code.execute", workspace=app, prompt="go", cli=cli)

    told = str(await steps(hq, done["run"]))
    assert "/mission/.hq/home" in told and "sk-the-companys" not in told and "hq_founder" not in told


@EACH
async def test_a_run_whose_process_died_is_gone_on_with(hq, app, cli, monkeypatch) -> None:
    tell(
        hq, monkeypatch, bash("echo 1 > a.txt"), bash("sleep 600")
    )  # a program may give up waiting, and is told to again
    running = asyncio.create_task(hq.call("code.execute", workspace=app, prompt="go", cli=cli, _key="one"))
    async with asyncio.timeout(60):
        while not (runs := (await hq.do("code_run.list"))["items"]) or not any(
            "sleep" in text for _, text in await steps(hq, runs[0]["slug"])
        ):
            await asyncio.sleep(0.05)
    second = await hq.call("code.execute", workspace=app, prompt="go", session=runs[0]["session"], cli=cli)
    assert await carried_on(hq) == 0
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert second.error["code"] == "conflict" and "is at work" in second.error["message"]
    assert (await shown(hq, runs[0]["slug"]))["status"] == "running"

    again = {"workspace": app, "prompt": "go", "cli": cli, "_key": "one"}
    assert (await hq.call("code.execute", **again)).data["waits_for"] == f"code:{runs[0]['slug']}"

    tell(hq, monkeypatch, *["done"] * 9)
    assert await carried_on(hq) == 1

    assert (await hq.do("code.execute", **again))["run"] == runs[0]["slug"]
    done = await shown(hq, runs[0]["slug"])
    assert done["status"] == "done" and done["files_created"] == ["a.txt"] and done["merged"] and done["lost"] == 1


@EACH
@pytest.mark.parametrize(("answers", "forgot"), [(0, False), (0, True), (1, False), (2, False)])
async def test_the_scripts_go_on_with_what_was_asked_when_their_process_died(
    hq, app, cli, answers, forgot, monkeypatch
) -> None:
    """Also one that was killed before it had written anything down."""
    mind, stuck = shipped(), asyncio.Event()

    class Dying:
        """Answers so many times; then its process dies."""

        name = "script"
        left = answers

        async def answer(self, ask, *, on_text=None):
            if self.left == 0:
                stuck.set()
                await asyncio.sleep(600)
            self.left -= 1
            return await mind.answer(ask, on_text=on_text)

    dying = Dying()

    async def one(tenant, tier="default"):
        return dying

    with monkeypatch.context() as patched:
        patched.setattr(hq.door.services[Minds], "mind", one)
        running = asyncio.create_task(hq.call("code.execute", workspace=app, prompt=BUILD, cli=cli, _key="one"))
        await asyncio.wait_for(stuck.wait(), 60)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    if forgot:
        for home in hq.door.services[Workspaces].root.rglob(".hq/home"):
            shutil.rmtree(home)

    assert await carried_on(hq) == 1

    (run,) = (await hq.do("code_run.list"))["items"]
    done = await shown(hq, run["slug"])
    assert (done["status"], done["lost"], done["merged"]) == ("done", 1, True), done
    files = {file["path"] for file in (await hq.do("workspace.files", ref=app))["items"]}
    assert {"app.py", "test_app.py", "README.md"} <= files and "guest book is there" in done["said"]


async def test_a_run_that_did_nothing_of_what_it_was_to_build_is_not_done(hq, app) -> None:
    done = await hq.call("code.execute", workspace=app, prompt="Frobnicate the whatnot", cli="chat")

    assert done.data["status"] == "failed", done.data
    assert "no script for that" in done.data["why"] and not done.data["merged"]


async def test_a_run_that_loses_its_process_again_and_again_has_failed(hq, app, monkeypatch) -> None:
    tell(hq, monkeypatch, bash("sleep 600"))
    order = {"workspace": app, "prompt": "go", "cli": "chat", "_key": "one"}
    await lost(hq, hq.call("code.execute", **order))
    for tries in (1, 2):
        (run,) = (await hq.do("code_run.list"))["items"]
        assert (await shown(hq, run["slug"])).get("lost", 0) == tries - 1
        await lost(hq, carried_on(hq))

    assert await carried_on(hq) == 1

    came = await hq.do("code.execute", **order)
    assert came["status"] == "failed" and "died 3 times" in came["why"]
    assert await carried_on(hq) == 0


async def lost(hq, work) -> None:
    """Begin it, and let it die with its process once the program is at work."""

    async def seen() -> int:
        return sum([len(await steps(hq, run["slug"])) for run in (await hq.do("code_run.list"))["items"]])

    before, running = await seen(), asyncio.create_task(work)
    async with asyncio.timeout(60):
        while await seen() <= before:
            await asyncio.sleep(0.05)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


@EACH
async def test_a_conversation_is_gone_on_with_in_its_tree(hq, app, cli) -> None:
    first = await hq.do("code.execute", workspace=app, prompt=BUILD, cli=cli)

    done = await hq.do(
        "code.execute", workspace=app, prompt='Change the heading to "Visitors".', resume=first["run"], cli=cli
    )

    assert done["run"] == first["run"] and done["files_modified"] == ["app.py"] and not done["files_created"]
    changed = await hq.do("workspace.diff", ref=app, patch=True)
    assert '+TITLE = "Visitors"' in str(changed["items"])


async def test_a_workspace_can_be_named_by_its_path_and_files_to_read_are_named(hq, app, monkeypatch) -> None:
    told = tell(hq, monkeypatch, "done")

    await hq.do(
        "code.execute", workspace="/jarvis/missions/coding/webapp/app1/", prompt="go", context_files=["docs/a.md"]
    )
    wrong = await hq.call("code.execute", workspace="missions/other/app1", prompt="go")
    outside = await hq.call("code.execute", workspace=app, prompt="go", context_files=["../secret"])

    assert "- /mission/docs/a.md" in str(told.asked[0].messages)
    assert wrong.error["code"] == "not_found" and outside.error["code"] == "invalid"


async def test_a_session_can_wait_for_a_run(hq, app) -> None:
    await write(hq, app, README_md="old")
    asked = await hq.do("code.execute", workspace=app, prompt="Delete README.md", mode="cautious", cli="chat")

    waits = await hq.call("code.wait", ref=asked["run"], _key="wait")
    await hq.do("code.deny", ref=asked["run"])
    came = await hq.call("code.wait", ref=asked["run"], _key="wait")

    assert waits.error["code"] == "waiting" and came.ok and came.data["status"] == "done"


async def test_what_belongs_to_a_run_cannot_be_called_from_outside(hq, app) -> None:
    for verb, args in (("code.note", {"steps": []}), ("code.settle", {"props": {"status": "done"}})):
        assert (await hq.call(verb, run="any", **args)).error["code"] == "forbidden"


@pytest.mark.parametrize(
    ("stop", "go_on", "becomes"),
    [
        (("agent.pause", {"agent": "forge"}), ("agent.resume", {"agent": "forge"}), "done"),
        (("freeze.set", {"scope": "agent:forge"}), ("freeze.lift", {}), "failed"),
    ],
    ids=["paused", "frozen"],
)
async def test_who_codes_is_stopped_meanwhile_and_the_run_comes_to_its_end(
    hq, forges, forge, stop, go_on, becomes, monkeypatch
):
    """A pause lets what is under way be finished; a freeze lets nothing more happen, and says so."""
    await hq.do("agent.create", name="forge", role="Developer")
    mind = shipped()

    class Stopping:
        name = "script"
        stopped = False

        async def answer(self, ask, *, on_text=None):
            if not self.stopped:
                self.stopped = True
                await hq.do(stop[0], **stop[1])
            return await mind.answer(ask, on_text=on_text)

    stopping = Stopping()

    async def one(tenant, tier="default"):
        return stopping

    monkeypatch.setattr(hq.door.services[Minds], "mind", one)
    async with asyncio.timeout(200):
        await hq.call("code.execute", workspace=forges, prompt=BUILD, cli="chat", _token=forge)

    assert stopping.stopped
    (run,) = (await hq.do("code_run.list"))["items"]
    assert (await shown(hq, run["slug"]))["status"] == becomes
    await hq.do(go_on[0], **go_on[1])
    again = await hq.call("code.execute", workspace=forges, prompt=BUILD, cli="chat", _token=forge)
    assert again.ok, again.error
