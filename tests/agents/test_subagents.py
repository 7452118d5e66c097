"""Sub-agents: named helpers from files, within their agent's rights and caps; and agents that work on one project."""

from __future__ import annotations

import json
import re

import pytest
from pydantic_ai.messages import ModelResponse

from hq.workspace.directories import Workspaces
from tests.support.play import Play, Told, route

DONE = '<task-complete reason="three projects"/>'
ENTITY = ("hq_entity", {"action": "create", "name": "Acme"})


def tool(name: str, **args) -> tuple[str, dict]:
    return (name, args)


def sub(name: str, task: str = "Which projects are open?", **more) -> tuple[str, dict]:
    return tool("hq_subagent", action="run", subagent=name, task=task, **more)


class Cast(Told):
    """Lines for whoever was told these words (with `_` for a space), and for everybody else."""

    def __init__(self, **lines) -> None:
        super().__init__(lambda ask: self._line(ask, lines))

    @staticmethod
    def _line(ask, lines):
        told = f"{ask.instructions}\n{ask.messages[0].parts[0].content}"
        said = next(
            (value for key, value in lines.items() if key != "otherwise" and key.replace("_", " ") in told),
            lines["otherwise"],
        )
        turn = sum(isinstance(message, ModelResponse) for message in ask.messages)
        line = said[min(turn, len(said) - 1)]
        return line(ask) if callable(line) else line


async def finish(house, mind, rounds: int = 6) -> Play:
    play = Play(house.hq)
    runner = play.runner(mind)
    for _ in range(rounds):
        await runner.run_once()
        await route(house.hq)
    return play


async def outcomes(hq, session: str) -> list[dict]:
    rows = (await hq.do("session.replay", id=session))["items"]
    return [row["payload"] for row in rows if row["kind"] == "verb"]


async def woken(house, agent: str = "chief") -> str:
    return (await house.hq.do("agent.send", agent=agent, text="How many are open?"))["session"]


async def test_an_agent_waits_for_its_sub_agent_and_goes_on_with_the_answer(house):
    session = await woken(house)
    mind = Cast(otherwise=[sub("explore"), f"Three. {DONE}"], Answer_one_question=[f"Three are open.\n{DONE}"])

    play = await finish(house, mind)

    assert play.ended[session].state == "done"
    (ran,) = await outcomes(house.hq, session)
    assert (ran["data"]["status"], ran["data"]["result"]) == ("success", "Three are open.")
    assert ran["data"]["subagent"] == "explore"


async def test_a_sub_agent_has_only_its_own_tools_and_only_looks_where_its_file_says_so(house):
    session = await woken(house)
    helper = [[tool("hq_task", action="create", title="x"), ENTITY, tool("hq_entity", action="list")], DONE]
    mind = Cast(otherwise=[sub("explore"), DONE], Answer_one_question=helper)

    await finish(house, mind)

    (helper,) = (await house.hq.do("session.list", parent=session))["items"]
    made = await outcomes(house.hq, helper["session"])
    codes = ["ok" if each["ok"] else each["error"]["code"] for each in made]
    assert codes == ["forbidden", "forbidden", "ok"]
    asked = next(ask for ask in mind.asked if "Answer one question" in ask.instructions)
    offered = {each.name for each in asked.tools}
    assert "graph_search" in offered and "vault" not in str(offered) and "worker" not in str(offered)


async def test_two_at_a_time_and_a_third_waits_its_turn(house):
    token = await house.hq.agent("chief")
    run = {"subagent": "explore", "background": True, "_token": token}
    first = await house.hq.do("subagent.run", task="one", **run)
    await house.hq.do("subagent.run", task="two", **run)

    refused = await house.hq.call("subagent.run", task="three", **run)

    assert refused.error["code"] == "conflict" and first["worker"] in refused.error["hint"]
    await house.hq.do("session.stop", id=first["session"])
    assert (await house.hq.call("subagent.run", task="three", **run)).ok


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("debugger", "chief has no sub-agent 'debugger'"),
        ("explorer", "did you mean 'explore'?"),
        ("project-agent", "no sub-agent"),
    ],
)
async def test_an_agent_starts_only_those_its_file_allows(house, name, says):
    token = await house.hq.agent("chief")

    outcome = await house.hq.call("subagent.run", subagent=name, task="x", _token=token)

    assert outcome.error["code"] == "not_found" and says in outcome.error["message"]


async def test_a_sub_agent_without_a_file_or_with_a_broken_one_says_where_and_what(house):
    folder = house.folder / "chief" / "subagents"
    house.edit("chief/agent.md", "- kb-search\n", "- kb-reader\n")
    await house.hq.do("agent.load")
    (folder / "email-drafter.md").write_text("---\nname: email-drafter\ntier: huge\n---\nDraft.\n")
    token = await house.hq.agent("chief")

    missing = await house.hq.call("subagent.run", subagent="kb-reader", task="x", _token=token)
    broken = await house.hq.call("subagent.run", subagent="email-drafter", task="x", _token=token)

    assert "agents/chief/subagents/kb-reader.md" in missing.error["message"]
    assert broken.error["details"]["problems"] == [
        "agents/chief/subagents/email-drafter.md:1: the frontmatter lacks description:",
        "agents/chief/subagents/email-drafter.md:3: 'huge' is no tier; take default, heavy, light",
    ]
    listed = {row["name"]: row for row in (await house.hq.do("subagent.list", _token=token))["items"]}
    assert listed["kb-reader"]["problem"] and not listed["explore"]["problem"]
    assert "project-agent" not in listed and "debugger" not in listed
    checked = await house.hq.call("agent.check", agent="chief")
    assert len(checked.error["details"]["problems"]) == 3


async def test_a_worker_has_the_borders_of_who_spawned_it(house):
    session = await woken(house)
    spawn = tool("hq_worker", action="spawn", task="Write Acme down")
    await finish(house, Cast(otherwise=[spawn, DONE], You_are_a_worker=[ENTITY, DONE]))

    (helper,) = (await house.hq.do("session.list", parent=session))["items"]
    (made,) = await outcomes(house.hq, helper["session"])
    assert made["error"]["code"] == "forbidden"
    assert "does not hold the scope" in made["error"]["message"]


async def test_a_sub_agent_starts_no_others(house):
    session = await woken(house)
    mind = Cast(otherwise=[sub("explore"), DONE], Answer_one_question=[sub("explore"), f"No.\n{DONE}"])
    await finish(house, mind)

    (helper,) = (await house.hq.do("session.list", parent=session))["items"]
    (tried,) = await outcomes(house.hq, helper["session"])
    assert tried["error"]["code"] == "forbidden"


async def test_every_sub_agent_that_the_shipped_agents_name_has_a_file(house):
    for agent in ("chief", "operator"):
        rows = (await house.hq.do("subagent.list", _actor=f"agent:{agent}"))["items"]
        assert rows and [row["problem"] for row in rows if row["problem"]] == []


async def test_a_company_that_has_lost_a_shipped_one_still_has_hq_s(house):
    (house.folder / "_shared" / "subagents" / "explore.md").unlink()

    assert (await house.hq.call("subagent.run", subagent="explore", task="x", background=True)).ok


# ---- projects


@pytest.fixture
async def project(house) -> str:
    return (await house.hq.do("project.create", name="Website", description_md="The company's site."))["slug"]


async def on_project(house, lines: list, agent: str = "operator", **cast) -> list[dict]:
    session = await woken(house, agent)
    run = tool("hq_project_run", project="website", task="Fix the typo")
    await finish(house, Cast(otherwise=[run, DONE], **cast, You_work_on_one_project=lines), 8)
    (helper,) = (await house.hq.do("session.list", parent=session))["items"]
    return await outcomes(house.hq, helper["session"])


async def test_a_project_is_worked_on_by_an_agent_made_of_its_files(house, project):
    play = Play(house.hq)
    ran = await house.hq.call("project.run", project=project, task="Fix the typo")
    assert ran.error["code"] == "waiting"
    folder = house.folder.parent / "projects" / "website"
    mind = Told([f"Fixed.\n{DONE}"])
    await play.runner(mind).run_once()

    (asked,) = mind.asked
    assert "You work on one project, `website`" in asked.instructions and "The company's site." in asked.instructions
    assert "<!--" not in asked.instructions
    assert sorted(path.name for path in folder.iterdir()) == [
        "CLAUDE.md", "MEMORY.md", "customer-profile.md", "domain-knowledge.md", "personality.md", "playbook.md",
    ]  # fmt: skip
    (row,) = (await house.hq.do("worker.list"))["items"]
    assert row["status"] == "success"
    assert "worker-project-website" in {each["slug"] for each in (await house.hq.do("producer.list"))["items"]}


async def test_its_files_are_people_s_to_edit_and_are_told_as_they_are_then(house, project):
    await house.hq.do("project.run", project=project, task="one", background=True)
    (house.folder.parent / "projects" / "website" / "playbook.md").write_text("# Playbook\n\nRelease on Mondays.\n")
    play, mind = Play(house.hq), Told([f"Done.\n{DONE}"])
    await play.runner(mind).run_once()
    await house.hq.do("project.run", project=project, task="two", background=True)
    await play.runner(mind).run_once()

    assert "Release on Mondays." not in mind.asked[0].instructions
    assert "Release on Mondays." in mind.asked[1].instructions


async def test_it_changes_what_is_its_project_s_and_nothing_else(house, project):
    await house.hq.do("project.create", name="Shop")
    await house.hq.do("task.create", title="Elsewhere", project="shop")
    await house.hq.do("task.create", title="Typo", project="website")
    lines = [
        tool("hq_task", action="create", title="Here", project="website"),
        tool("hq_task", action="update", ref="typo", title="Typo on the landing page"),
        tool("hq_task", action="create", title="There", project="shop"),
        tool("hq_task", action="create", title="Nowhere"),
        tool("hq_task", action="update", ref="elsewhere", title="Mine now"),
        tool("hq_fact", action="assert", subject="Ana", relation="city", value="Porto"),
        tool("hq_event", action="create", summary="Typo found", kind="development"),
        DONE,
    ]

    made = await on_project(house, lines)

    codes = ["ok" if each["ok"] else each["error"]["code"] for each in made]
    across = "cross_scope_violation"
    assert codes == ["ok", "ok", across, across, across, "forbidden", "ok"], json.dumps(made, indent=1)


FIX = {"ref": "project-website", "session": "fix"}
MERGE, SAVE = (tool("hq_workspace", action=action, **FIX) for action in ("merge", "save"))
REVIEW = sub("code-reviewer", "Look at project-website, tree fix.")
LOOK = tool("hq_workspace", action="diff", **FIX, patch=True)
PASS = f"PASS\n{DONE}"


def write(house, text: str, then: tuple[str, dict] = SAVE):
    """Somebody writes the page in the tree `fix`, and then the agent does the next thing."""

    def line(_) -> tuple[str, dict]:
        (tree,) = house.hq.door.services[Workspaces].root.rglob("fix")
        (tree / "page").write_text(text)
        return then

    return line


def codes_of(made: list[dict]) -> list[str]:
    return ["ok" if each["ok"] else each["error"]["code"] for each in made]


async def held(hq) -> list[str]:
    return [row["path"] for row in (await hq.do("workspace.files", ref="project-website"))["items"]]


async def test_nothing_is_merged_that_nobody_reviewed(house, project):
    begin = tool("hq_workspace", action="begin", **FIX)
    lines = [begin, write(house, "one"), MERGE, REVIEW, MERGE, DONE]

    made = await on_project(house, lines, Begin_the_result=[LOOK, PASS])

    assert codes_of(made) == ["ok", "ok", "cross_scope_violation", "ok", "ok"], json.dumps(made, indent=1)
    assert "code-reviewer" in made[2]["error"]["hint"]
    assert made[3]["data"]["result"].startswith("PASS")
    assert await held(house.hq) == ["page"]


async def test_a_review_lets_through_what_it_was_shown_and_nothing_later(house, project):
    begin = tool("hq_workspace", action="begin", **FIX)
    lines = [begin, write(house, "one"), REVIEW, write(house, "two"), MERGE, REVIEW, MERGE, DONE]

    made = await on_project(house, lines, Begin_the_result=[LOOK, PASS])

    assert codes_of(made) == ["ok", "ok", "ok", "ok", "cross_scope_violation", "ok", "ok"], json.dumps(made, indent=1)


@pytest.mark.parametrize("look", [PASS, tool("hq_workspace", action="diff", **FIX)], ids=["nothing", "names alone"])
async def test_a_review_that_did_not_read_the_lines_lets_nothing_through(house, project, look):
    begin = tool("hq_workspace", action="begin", **FIX)
    lines = [begin, write(house, "one"), REVIEW, MERGE, DONE]

    made = await on_project(house, lines, Begin_the_result=[look, PASS])

    assert codes_of(made) == ["ok", "ok", "ok", "cross_scope_violation"], json.dumps(made, indent=1)


async def test_what_was_not_reviewed_does_not_come_in_by_a_way_back(house, project):
    """`workspace revert` brings back what was held; by the name of a snapshot it would be a merge of anything saved."""
    begin = tool("hq_workspace", action="begin", **FIX)

    def revert(ask):
        snapshot = re.search(r"snapshot\W+([0-9a-f]{64})", str(ask.messages[-1])).group(1)
        return tool("hq_workspace", action="revert", ref="project-website", snapshot=snapshot)

    made = await on_project(house, [begin, write(house, "one"), revert, DONE])

    assert codes_of(made) == ["ok", "ok", "cross_scope_violation"], json.dumps(made, indent=1)


async def test_one_at_a_time_works_on_a_project(house, project):
    await house.hq.do("project.run", project=project, task="one", background=True)

    second = await house.hq.call("project.run", project=project, task="two", background=True)

    assert second.error["code"] == "conflict" and "website" in second.error["message"]


async def test_only_agents_that_work_on_projects_may_and_the_chief_is_one(house, project):
    chief, forge = await house.hq.agent("chief"), await house.hq.agent("forge")
    await house.hq.do("agent.create", name="forge", role="Developer")

    assert (await house.hq.call("project.run", project=project, task="x", background=True, _token=chief)).ok
    refused = await house.hq.call("project.run", project=project, task="x", _token=forge)
    assert refused.error["code"] == "cross_scope_violation", refused.error


async def test_a_project_that_is_over_is_not_worked_on(house, project):
    await house.hq.do("project.update", ref=project, status="cancelled")

    assert (await house.hq.call("project.run", project=project, task="x")).error["code"] == "conflict"
