"""Agents are files: parsed strictly, budgeted, kept in the graph by version, read anew when they change."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hq.agents.file_watch import changed_companies
from hq.agents.files.definition import BASE_TOOLS, TIERS, AgentDefinition, Beat, BudgetLimit, parse
from hq.agents.files.folder import CAPS, SHIPPED, WHOLE
from hq.agents.files.writer import rendered

CHIEF = (SHIPPED / "chief" / "agent.md").read_text()


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


WRONG = [
    ("name: chief", "name chief", "'name chief' is not frontmatter; write it as name: value"),
    ("name: chief", "name: The Chief", "name is a slug"),
    ("kind: ceo", "kind: boss", "kind is one of ceo, operator"),
    ("kind: ceo", "knid: ceo", "frontmatter has no 'knid'; did you mean 'kind'?"),
    ("## Tools", "## Tool", "## Tool is no section of an agent; did you mean 'Tools'?"),
    ("## Permissions", "## Triggers ", "## Triggers is there twice"),
    (
        "| Beat after work | 0 7 * * * (morning",
        "| Beat | daily (morning",
        "is not a cron expression; write minute, hour",
    ),
    ("| Founder inbox | enabled", "| Founder inbox | perhaps", "Founder inbox is on or off, not 'perhaps'"),
    ("| Outbox topics |", "| Outbox topic |", "has no 'Outbox topic'; did you mean 'Outbox topics'?"),
    ("| lookup | light", "| lookup | haiku", "'haiku' is no tier; take default, heavy, light"),
    ("| daily_usd_soft | $2.50", "| daily_usd_soft | cheap", "daily_usd_soft is a number, not 'cheap'"),
    ("| daily_usd_soft |", "| weekly_usd |", "a budget has no 'weekly_usd'"),
    ("| max_turns_per_query | 30", "| max_turns_per_query | 3.5", "is a whole number, not '3.5'"),
    ("- task\n", "- hq task\n", "'hq task' is no name of a tool"),
    ("- fact: read", "- fact: r/w", "fact is given to read, to write, or for actions by name, not 'r/w'"),
    ("| Scopes | read, write, effect", "| Scopes | read, founder", "'founder' is no scope an agent may hold"),
    ("outputs/proposals/,", "../proposals/,", "'../proposals/' leaves the company's files"),
    ("| Never | graph.link", "| Never | graph link", "'graph link' is not a pattern"),
    ("- personality.md", "- ../../vault.key", "is not a file of the agent"),
    ("| lookup | light |", "| lookup | light | today |", "a row has two cells, both filled"),
    ("| lookup | light |", "| lookup |", "a row has two cells, both filled"),
    ("| Kind | Value |\n|---|---|\n| Beat", "| What | Value |\n|---|---|\n| Beat", "begins with | Kind | Value |"),
]


@pytest.mark.parametrize(("right", "wrong", "says"), WRONG)
def test_a_mistake_is_told_with_its_line_and_what_to_do(right, wrong, says):
    text = CHIEF.replace(right, wrong, 1)
    assert text != CHIEF

    definition, problems = parse("agents/chief/agent.md", text)

    assert definition is None
    told = [problem for problem in problems if says in problem.message]
    assert told, [str(problem) for problem in problems]
    assert told[0].line == line_of(text, wrong.splitlines()[0])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "agent.md:1: the file begins with frontmatter"),
        ("---\nname: x\n", "agent.md:1: the frontmatter has no end"),
        ("---\nname: x\ndescription: y\nrole: z\n---\n", "agent.md:1: the section ## Triggers is missing"),
    ],
)
def test_what_is_missing_is_told(text, says):
    _, problems = parse("agent.md", text)

    assert any(str(problem).startswith(says) for problem in problems), problems


def test_what_stands_in_a_fence_is_an_example_and_no_section():
    text = CHIEF.replace("## Tools\n", "## Tools\n\n```\n## Nonsense\n- hq task\n```\n\n", 1)

    assert parse("agent.md", text) == parse("agent.md", CHIEF)


def test_a_bar_inside_a_cell_is_escaped():
    text = CHIEF.replace("| lookup | light |", "| either \\| or | light |", 1)

    definition, problems = parse("agent.md", text)

    assert not problems and definition and ("either | or", "light") in definition.model_policy


words = st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8)
sentences = st.lists(words, min_size=1, max_size=5).map(" ".join)
tools = st.lists(words.map(lambda word: f"hq_{word}"), unique=True, max_size=5).map(tuple)
patterns = st.lists(st.builds("{}.{}".format, words, words | st.just("*")), unique=True, max_size=4).map(tuple)
money = st.none() | st.integers(0, 10_000).map(lambda cents: cents / 100)
whole = st.none() | st.integers(0, 1_000_000)


@st.composite
def definitions(draw) -> AgentDefinition:
    named = draw(tools)
    soft, hard = sorted((draw(st.integers(0, 999)), draw(st.integers(0, 999))))
    return AgentDefinition(
        name=draw(words),
        description=draw(sentences),
        role=draw(sentences),
        kind=draw(st.sampled_from(["ceo", "operator", "team", "project", "subagent"])),
        model_policy=draw(st.lists(st.tuples(words, st.sampled_from(TIERS)), max_size=4).map(tuple)),
        beats=draw(
            st.lists(
                st.builds(Beat, st.sampled_from(["0 7 * * *", "*/5 1-3 * * 1"]), sentences, st.booleans()), max_size=3
            ).map(tuple)
        ),
        topics=draw(patterns),
        inbox=draw(st.booleans()),
        base=draw(st.booleans()),
        tools=named,
        reads=draw(st.sets(st.sampled_from(named)).map(lambda some: tuple(t for t in named if t in some)))
        if named
        else (),
        subagents=draw(st.lists(words.filter(lambda word: word != "max"), unique=True, max_size=3).map(tuple)),
        max_subagents=draw(st.integers(0, 9)),
        budget=BudgetLimit(soft / 100, hard / 100, draw(whole), draw(whole), draw(whole)),
        scopes=draw(st.lists(st.sampled_from(["read", "write", "effect", "write:task"]), unique=True).map(tuple)),
        owns=draw(patterns),
        never=draw(patterns),
        write_paths=draw(st.lists(words.map(lambda word: f"{word}/"), unique=True, max_size=3).map(tuple)),
        warm_window_seconds=draw(st.integers(0, 900)),
        prompt=draw(st.lists(words.map(lambda word: f"{word}.md"), unique=True, max_size=3).map(tuple)),
    )


@given(definitions())
@settings(max_examples=100)
def test_what_is_written_is_read_back_the_same(definition):
    assert parse("agent.md", rendered(definition)) == (definition, [])


@given(st.text(max_size=300) | st.lists(st.sampled_from(CHIEF.splitlines()), max_size=60).map("\n".join))
@settings(max_examples=100)
def test_no_text_breaks_the_parser(text):
    definition, problems = parse("agent.md", text)

    assert (definition is None) == bool(problems)


# ---- in a company


async def test_a_new_company_gets_the_shipped_agents_with_their_rights(house):
    agents = {row["slug"]: row for row in (await house.hq.do("agent.list"))["items"]}
    assert {slug: agent["kind"] for slug, agent in agents.items()} == {"chief": "ceo", "operator": "operator"}

    shown = await house.hq.do("agent.show", ref="chief")
    assert shown["props"]["daily_usd_hard"] == 7.0 and shown["props"]["max_turns_per_query"] == 30
    assert "email.received" in shown["props"]["outbox_topics"]
    assert (house.folder / "operator" / "playbook.md").is_file()


async def test_a_noun_may_be_given_for_some_of_its_actions(house):
    house.edit("chief/agent.md", "- fact: read", "- fact: gett")
    wrong = await house.hq.call("agent.check", agent="chief")
    assert "fact has no action 'gett'; did you mean 'get'?" in wrong.error["message"]


async def test_a_daily_tool_that_is_not_there_is_told_with_the_nearest(house):
    house.edit("chief/agent.md", "- daily: mission_create", "- daily: mission_creat")
    wrong = await house.hq.call("agent.check", agent="chief")
    assert (
        "daily names mission_creat, and there is no such tool; did you mean 'mission_create'?" in wrong.error["message"]
    )


async def test_the_shipped_agents_keep_within_their_tokens(house):
    checked = await house.hq.do("agent.check")

    assert all(file["tokens"] <= file["cap"] for file in checked["files"])
    assert {file["file"] for file in checked["files"]} >= set(CAPS) - {
        "CLAUDE.md",
        "playbook.md",
        "personality.md",
        "MEMORY.md",
    }
    assert all(0 < agent["tokens"] <= WHOLE for agent in checked["agents"]), checked["agents"]


async def test_a_file_over_its_cap_is_refused_by_the_check(house):
    (house.folder / "chief" / "playbook.md").write_text("word " * 2000)

    outcome = await house.hq.call("agent.check", agent="chief")

    assert not outcome.ok and "agents/chief/playbook.md:1: about" in outcome.error["message"]
    assert "it may have 1500" in outcome.error["message"]


async def test_too_many_daily_tools_are_refused_by_the_check(house):
    nouns = ("review", "decision", "feature", "producer", "entity", "engagement")
    names = "\n".join(f"- daily: {noun}_create, {noun}_update, {noun}_list" for noun in nouns)
    house.edit("chief/agent.md", "- email\n", f"- email\n{names}\n")

    outcome = await house.hq.call("agent.check", agent="chief")

    assert not outcome.ok and "its daily tools take" in outcome.error["message"]


async def test_loading_writes_only_what_changed(house):
    hq = house.hq
    before = (await hq.do("agent.show", ref="chief"))["props"]["version"]
    again = await hq.do("agent.load")
    assert [item["changed"] for item in again["items"]] == [False, False]
    assert len((await hq.do("agent.history", ref="chief"))["items"]) == 1

    house.edit("chief/personality.md", "Warm, brief, exact", "Brief, exact")
    again = await hq.do("agent.load")

    assert [item["changed"] for item in again["items"]] == [True, False]
    assert (await hq.do("agent.show", ref="chief"))["props"]["version"] != before
    assert len((await hq.do("agent.history", ref="chief"))["items"]) == 2


async def test_what_all_share_is_part_of_every_version(house):
    house.edit("_shared/glossary.md", "# Words", "# Glossary")

    again = await house.hq.do("agent.load")

    assert [item["changed"] for item in again["items"]] == [True, True]


async def test_its_own_memory_is_no_new_version(house):
    (house.folder / "chief" / "MEMORY.md").write_text("- something\n")

    assert not any(item["changed"] for item in (await house.hq.do("agent.load"))["items"])


async def test_a_broken_file_leaves_the_last_good_version_and_is_shown(house):
    house.edit("chief/agent.md", "0 7 * * *", "at seven")
    house.edit("operator/agent.md", "| tokens_per_run_cap | 250 000 |", "| tokens_per_run_cap | 260 000 |")

    [ran] = await house.load.runs()

    assert ran.error and (await house.hq.do("agent.show", ref="operator"))["props"]["tokens_per_run_cap"] == 260_000
    assert (await house.hq.do("agent.show", ref="chief"))["props"]["beats"] == ["0 7 * * *"]
    duty = next(row for row in (await house.hq.do("duty.list"))["items"] if row["duty"] == "load-agents")
    assert "agents/chief/agent.md:26: " in duty["failed"] and "cron" in duty["failed"]
    refused = await house.hq.call("agent.load", agent="chief")
    assert refused.error["code"] == "invalid" and "hq agent check chief" in refused.error["hint"]


async def test_changes_are_loaded_by_the_job_and_only_then(house):
    await house.load.run_once()
    assert await house.load.run_once() == 0
    before = len((await house.hq.do("action.list", verb="agent.load"))["items"])
    await house.load.run_once()
    assert len((await house.hq.do("action.list", verb="agent.load"))["items"]) == before

    house.edit("chief/agent.md", "role: Chief of staff", "role: Chief")

    assert await house.load.run_once() == 1
    assert (await house.hq.do("agent.show", ref="chief"))["props"]["role"] == "Chief"


async def test_a_look_at_the_files_finds_only_the_companies_where_one_changed(house):
    other = await house.hq.tenant()
    await house.load.run_once()
    agents = (await house.hq.do("agent.list", _token=other))["items"]
    assert {agent["slug"] for agent in agents} == {"chief", "operator"}, "a company without files gets the shipped ones"
    assert await changed_companies(house.hq.door, house.hq.clock.now()) == []

    house.edit("chief/agent.md", "role: Chief of staff", "role: Chief")

    [found] = await changed_companies(house.hq.door, house.hq.clock.now())
    assert found.tenant == await house.hq.company()


async def test_an_agent_without_files_is_told_what_is_near(house):
    for verb in ("agent.load", "agent.check", "agent.send", "agent.status", "agent.pause"):
        more = {"text": "hi"} if verb == "agent.send" else {}
        outcome = await house.hq.call(verb, agent="cheif", **more)
        assert outcome.error["code"] == "not_found", verb
        assert "did you mean 'chief'?" in outcome.error["message"], verb


@pytest.mark.parametrize("name", ["../../vault.key", "..", "_shared", "a/b"])
async def test_a_name_that_is_a_path_reaches_no_file(house, name):
    outcome = await house.hq.call("agent.load", agent=name)

    assert outcome.error["code"] == ("invalid" if "/" in name else "not_found")


async def test_a_name_that_something_else_has_is_refused(house):
    await house.hq.do("task.create", title="Scout", slug="scout")
    scout = house.folder / "scout"
    scout.mkdir()
    (scout / "agent.md").write_text(CHIEF.replace("name: chief", "name: scout"))
    for name in ("CLAUDE.md", "playbook.md", "personality.md", "MEMORY.md"):
        (scout / name).write_text("x")

    outcome = await house.hq.call("agent.load", agent="scout")

    assert outcome.error["code"] == "conflict" and "taken by a task" in outcome.error["message"]


async def test_the_first_message_brings_the_shipped_agents(own_hq):
    woken = await own_hq.do("agent.send", agent="chief", text="Good morning")

    assert woken["session"]
    assert {row["slug"] for row in (await own_hq.do("agent.list"))["items"]} == {"chief", "operator"}


def test_the_base_set_is_given_unless_it_is_switched_off():
    definition, _ = parse("agent.md", CHIEF)
    assert definition and definition.offered[: len(BASE_TOOLS)] == BASE_TOOLS

    definition, _ = parse("agent.md", CHIEF.replace("- base: true", "- base: false"))
    assert definition and "graph" not in definition.offered


def test_every_shipped_file_is_in_its_prompt():
    for agent in ("chief", "operator"):
        definition, problems = parse("agent.md", (SHIPPED / agent / "agent.md").read_text())
        assert not problems and definition
        for name in definition.prompt:
            assert Path(SHIPPED, name if name.startswith("_shared") else f"{agent}/{name}").is_file()


async def test_a_prompt_is_shown_as_a_session_gets_it_also_while_a_file_is_broken(house):
    await house.hq.do("agent.update", ref="chief", model="anthropic/opus")
    whole = await house.hq.do("context.show", agent="chief")
    house.edit("chief/agent.md", "0 7 * * *", "at seven")

    shown = await house.hq.do("context.show", agent="chief")

    assert (shown["model"], shown["text"]) == ("anthropic/opus", whole["text"])
    assert "agents/chief/agent.md:26: " in shown["problem"] and whole.get("problem") is None
