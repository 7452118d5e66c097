"""The scripted mind by itself: what it hears, what it calls, what it makes of what comes back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.tools import ToolDefinition

from hq.errors import Refused
from hq.minds.mind import MindRequest, Reply
from hq.minds.scripted.dates import day
from hq.minds.scripted.functions import deciding
from hq.minds.scripted.language import load
from hq.minds.scripted.mind import ScriptedMind, shipped
from hq.minds.scripted.script_input import _text
from hq.minds.scripted.shell_output import summary

NOW = datetime(2026, 1, 1, 10, 0, tzinfo=UTC)
DF = """Filesystem      Size  Used Avail Use% Mounted on
udev            3.9G     0  3.9G   0% /dev
/dev/sda1        50G   46G  4.0G  92% /
/dev/sdb1       100G   20G   80G  20% /data
"""
FREE = """               total        used        free      shared  buff/cache   available
Mem:           7.7Gi       3.1Gi       1.2Gi       120Mi       3.4Gi       4.2Gi
Swap:          2.0Gi          0B       2.0Gi
"""
UPTIME = " 10:00:01 up 12 days,  3:04,  1 user,  load average: 0.42, 0.30, 0.25\n"


def tool(name: str, /, **fields: Any) -> ToolDefinition:
    properties = {key: kind if isinstance(kind, dict) else {"type": kind} for key, kind in fields.items()}
    needed = list(fields)[:1] if name[0].isupper() else []
    return ToolDefinition(
        name=name, parameters_json_schema={"type": "object", "properties": properties, "required": needed}
    )


def tools(noun: str, actions: str, /, **fields: Any) -> list[ToolDefinition]:
    """A tool for each action, all with the same fields."""
    return [tool(f"{noun}_{action}", **fields) for action in actions.split()]


TASK = tools("task", "create list update complete assign", title="string", due="string", project="string",
    ref="string", to="string", limit="integer", status={"type": "string", "enum": ["todo", "in_progress", "done"]},
    priority={"type": "string", "enum": ["now", "backlog"]},
)  # fmt: skip
PROJECT = tools("project", "create list", name="string", due="string")
FACT = tools("fact", "assert get list", subject="string", relation="string", value="string")
GRAPH = tools("graph", "search describe", query="string", ref="string", limit="integer")
SHELL = tools("shell", "run", command="string")
BASH = tool("Bash", command="string", description="string")
WRITE = tool("Write", file_path="string", content="string")
QUESTION = tools("question", "create", question_text="string")
ALL = [*TASK, *PROJECT, *FACT, *GRAPH, *SHELL]
MISSION = tools("mission", "create assign", ref="string", title="string", to="string", category="string")
AGENT = tools("agent", "hire list", name="string", title="string", role="string")
COST = tools("cost", "show", by="string")
LEAD = [*MISSION, *AGENT, *COST]


def said(text: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(text, timestamp=NOW)])


async def asked(text: str, tools: list[ToolDefinition] = ALL, instructions: str = "", *results: Any) -> Reply:
    """The answer after these tool results, one for each round."""
    talk: list[ModelMessage] = [said(text)]
    for result in results:
        reply = await shipped().answer(MindRequest(talk, tools, instructions))
        calls = [part for part in reply.response.parts if isinstance(part, ToolCallPart)]
        assert calls, f"{text!r} made no call but said {reply.response.text!r}"
        talk += [
            reply.response,
            ModelRequest(parts=[ToolReturnPart(c.tool_name, result, c.tool_call_id) for c in calls]),
        ]
    return await shipped().answer(MindRequest(talk, tools, instructions))


def calls_of(reply: Reply) -> list[tuple[str, Any]]:
    return [(p.tool_name, p.args_as_dict()) for p in reply.response.parts if isinstance(p, ToolCallPart)]


@pytest.mark.parametrize(
    ("text", "tool_name", "args"),
    [
        ("add a task to call Ana tomorrow", "task_create", {"title": "Call Ana", "due": "2026-01-02"}),
        (
            "Could you add a new task: write the offer by 12 May?",
            "task_create",
            {"title": "Write the offer", "due": "2026-05-12"},
        ),
        ("remind me to pay rent on friday at 3pm", "task_create", {"title": "Pay rent", "due": "2026-01-02T15:00:00Z"}),
        ("create an urgent task to fix the login", "task_create", {"title": "Fix the login", "priority": "now"}),
        ("lembra-me de pagar a renda na sexta", "task_create", {"title": "Pagar a renda", "due": "2026-01-02"}),
        ("create a project called New Shop", "project_create", {"name": "New Shop"}),
        ("cria um projeto Loja", "project_create", {"name": "Loja"}),
        ("what's still open?", "task_list", {}),
        ("list my tasks", "task_list", {}),
        ("o que está em aberto?", "task_list", {}),
        ("is anything overdue", "task_list", {}),
        ("mark “call Ana” as done", "task_list", {}),
        ("I finished the offer", "task_list", {}),
        ("status of the website", "graph_search", {"query": "website"}),
        ("how is the project Website going?", "graph_search", {"query": "Website"}),
        ("who's working on the shop?", "graph_search", {"query": "shop"}),
        (
            "remember that Ana's employer is Acme",
            "fact_assert",
            {"subject": "Ana", "relation": "employer", "value": "Acme"},
        ),
        ("remember that Bob prefers tea", "fact_assert", {"subject": "Bob", "relation": "likes", "value": "tea"}),
        (
            "lembra-te que o aniversário da Ana é 3 de maio",
            "fact_assert",
            {"relation": "aniversário", "subject": "Ana"},
        ),
        ("where does Ana work?", "fact_get", {"relation": "employer"}),
        ("what do you know about Ana?", "fact_list", {"subject": "Ana"}),
        ("tell me about Acme", "fact_list", {"subject": "Acme"}),
        ("check the disk", "shell_run", {"command": "df -h"}),
        ("how is the server doing", "shell_run", {"command": "df -h; free -h; uptime"}),
        ("run `ls -la /tmp`", "shell_run", {"command": "ls -la /tmp"}),
        ('<message from="founder">what\'s open?</message>', "task_list", {}),
        (
            "# Session context reconstruction\nblah\n---\nCurrent trigger: what is open?\nProceed.",
            "task_list",
            {},
        ),
        (
            "You were interrupted. Look at what is there and go on with what you were asked: run `ls /tmp`",
            "shell_run",
            {"command": "ls /tmp"},
        ),
        ("why did the cat cross the road", None, None),
    ],
)
async def test_what_is_said_becomes_the_right_call(
    text: str, tool_name: str | None, args: dict[str, Any] | None
) -> None:
    found = calls_of(await asked(text))

    if tool_name is None:
        assert found == []
    else:
        assert found[0][0] == tool_name
        assert (args or {}).items() <= found[0][1].items()


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("what time is it?", "It is 10:00 UTC on Thu 01 Jan 2026."),
        ("what day is it today?", "Today is Thu 01 Jan 2026."),
        ("when is next monday?", "Next monday: Mon 05 Jan 2026."),
        ("add a task", "What is the task?"),
        ("create a project", "What is the project called?"),
        ("who are you?", "answering from scripts"),
        ("help", "add a task to call Ana tomorrow"),
        ("obrigado", "De nada."),
        ("sing me a song about trains", "no request that I know"),
        ("", "I am here."),
    ],
)
async def test_what_needs_no_tool_is_answered_at_once(text: str, answer: str) -> None:
    reply = await asked(text or " ")

    assert calls_of(reply) == []
    assert answer in (reply.response.text or "")


async def test_results_branch_into_done_empty_waiting_and_failed() -> None:
    rows = {"ok": True, "data": {"items": [{"slug": "call-ana", "title": "Call Ana", "status": "todo"}]}}
    done = {"ok": True, "data": {"slug": "call-ana", "title": "Call Ana", "status": "done"}}
    parked = {"ok": False, "error": {"code": "waiting", "message": "waiting for approval a-1"}}
    broken = {"ok": False, "error": {"code": "frozen", "message": "all is frozen"}}

    assert (await asked("mark call ana done", ALL, "", rows, done)).response.text == "“Call Ana” is done."
    assert "waiting for approval a-1" in (
        (await asked("mark call ana done", ALL, "", rows, parked)).response.text or ""
    )
    assert "all is frozen" in ((await asked("mark call ana done", ALL, "", rows, broken)).response.text or "")
    assert "I know no task" in (
        (await asked("mark call ana done", ALL, "", {"ok": True, "data": {"items": []}})).response.text or ""
    )


OPEN = {"ok": True, "data": {"items": [{"slug": "a", "title": "A", "status": "todo"}]}}


async def meanwhile(words: str) -> list[ModelMessage]:
    """A question whose list came back, with these words beside it."""
    first = (await shipped().answer(MindRequest([said("what is open?")], ALL, ""))).response
    parts = [ToolReturnPart(part.tool_name, OPEN, part.tool_call_id) for part in first.tool_calls]
    return [said("what is open?"), first, ModelRequest(parts=[*parts, *said(words).parts])]


async def test_what_was_only_told_meanwhile_is_not_taken_for_the_question():
    talk = await meanwhile("[The house told the founder, in your name: The tea is out]")

    assert (await shipped().answer(MindRequest(talk, ALL, ""))).response.text == "1 task open:\n- A (todo)"


async def test_a_second_question_in_the_middle_of_the_first_leaves_none_unanswered():
    talk = await meanwhile("add a task to call Ana tomorrow")

    second = (await shipped().answer(MindRequest(talk, ALL, ""))).response
    made = {"ok": True, "data": {"slug": "call-ana", "title": "Call Ana", "status": "todo", "due": "2026-01-02"}}
    talk += [second, ModelRequest(parts=[ToolReturnPart(c.tool_name, made, c.tool_call_id) for c in second.tool_calls])]
    both = (await shipped().answer(MindRequest(talk, ALL, ""))).response
    talk += [both, said("hello")]
    third = (await shipped().answer(MindRequest(talk, ALL, ""))).response

    assert [call.tool_name for call in second.tool_calls] == ["task_create"]
    assert not both.tool_calls and both.text is not None
    assert both.text.startswith("1 task open:\n- A (todo)\n\n") and "call Ana" in both.text.replace("Call", "call")
    assert third.text and "Ana" not in third.text, "what was answered is not answered again"


async def test_what_was_said_at_once_is_answered_in_one():
    both = ModelRequest(parts=[*said("what can you do?").parts, *said("what is open?").parts])

    first = (await shipped().answer(MindRequest([both], ALL, ""))).response
    back = ModelRequest(parts=[ToolReturnPart(call.tool_name, OPEN, call.tool_call_id) for call in first.tool_calls])
    whole = (await shipped().answer(MindRequest([both, first, back], ALL, ""))).response.text or ""

    assert len(first.tool_calls) == 1 and whole.endswith("1 task open:\n- A (todo)") and len(whole) > 100


async def test_results_are_understood_as_text_too() -> None:
    rows = json.dumps({"ok": True, "data": {"items": [{"slug": "a", "title": "A", "status": "todo"}]}})

    assert (await asked("what is open?", ALL, "", rows)).response.text == "1 task open:\n- A (todo)"


async def test_raw_output_of_a_shell_is_summed_up() -> None:
    text = (await asked("check my server", [BASH], "", DF + FREE + UPTIME)).response.text or ""

    assert "attention, / is 92 % full with 4.0G left" in text
    assert "3.1Gi of 7.7Gi used, 4.2Gi available" in text
    assert "Up for 12 days,  3:04; load 0.42, 0.30, 0.25" in text


def test_other_output_is_shown_shortened() -> None:
    assert summary("\n".join(map(str, range(30)))).endswith("11\n… and 18 more lines")
    assert summary("") == "(no output)"
    assert "fullest at 20 % (80 GB of" in summary("/dev/sda1 104857600 20971520 83886080 20% /\n")


async def test_a_coding_tool_gets_an_absolute_path() -> None:
    reply = await asked("create a file hello.txt with the text hi there", [WRITE], "Working directory: /work/x")

    assert calls_of(reply) == [("Write", {"file_path": "/work/x/hello.txt", "content": "hi there"})]


async def test_the_sentinel_is_said_only_where_it_is_used() -> None:
    asks_for_it = 'You are chief. End with <task-complete reason="..."/>; state memory_entry_count=0 if none.'

    assert (await asked("what time is it")).response.text == "It is 10:00 UTC on Thu 01 Jan 2026."
    text = (await asked("what time is it", ALL, asks_for_it)).response.text or ""
    assert text.endswith('<task-complete reason="time; memory_entry_count=0"/>')
    assert "<task-complete" not in str((await asked("what is open", ALL, asks_for_it)).response.parts)


async def test_a_worker_asks_through_the_question_tool_and_the_chief_in_words() -> None:
    worker = await asked("add a task", [*ALL, *QUESTION], "You are a worker.")
    assert calls_of(await asked("add a task", [*ALL, *QUESTION], "You are operator."))[0][0] == "question_create"
    assert calls_of(await asked("add a task", [*ALL, *QUESTION], "You are chief.")) == []
    assert worker.response.parts


async def test_the_time_is_taken_from_what_it_was_told() -> None:
    text = (await asked("what time is it", ALL, "Current time: 2027-05-06T07:08:00Z")).response.text

    assert text == "It is 07:08 UTC on Thu 06 May 2027."


async def test_the_same_question_has_the_same_answer() -> None:
    first, second = await asked("add a task to call Ana tomorrow"), await asked("add a task to call Ana tomorrow")

    assert first.response.parts == second.response.parts


async def test_streaming_passes_on_exactly_the_text() -> None:
    heard: list[str] = []

    async def listen(text: str) -> None:
        heard.append(text)

    reply = await shipped().answer(MindRequest([said("help")], ALL), on_text=listen)

    assert len(heard) > 3
    assert "".join(heard) == reply.response.text


async def test_a_script_that_goes_in_circles_is_stopped(tmp_path: Path) -> None:
    steps = "\n".join(f"          - {{call: shell.run, with: {{command: 'step {n}'}}}}" for n in range(40))
    (tmp_path / "loop.yaml").write_text(f"scripts:\n  loop:\n    says: go\n    do:\n{steps}\n")
    mind = ScriptedMind(load([tmp_path / "loop.yaml"]))
    talk: list[ModelMessage] = [said("go")]
    made = 0
    while made < 40:
        reply = await mind.answer(MindRequest(talk, SHELL))
        if not calls_of(reply):
            break
        made += 1
        call = next(p for p in reply.response.parts if isinstance(p, ToolCallPart))
        talk += [reply.response, ModelRequest(parts=[ToolReturnPart("shell_run", "fine", call.tool_call_id)])]

    assert made == 16
    assert "I stop here" in (reply.response.text or "")


@pytest.mark.parametrize(
    ("yaml", "says"),
    [
        ("scripts: {a: {says: x, do: [{shout: hi}]}}", "is no step"),
        ("scripts: {a: {says: '(', do: [{say: hi}]}}", "in the pattern"),
        ("scripts: {a: {says: x, do: [{say: '{{ x | nope }}'}]}}", "nope"),
        ("scripts: {a: {says: x, do: [{use: b.c}]}}", "no script 'b.c'"),
        ("scripts: {a: {hears: x, do: [{say: hi}]}}", "does not know hears"),
        ("scripts: {a: {says: x}}", "does nothing"),
    ],
)
def test_a_script_that_cannot_be_read_says_which_and_why(tmp_path: Path, yaml: str, says: str) -> None:
    (tmp_path / "bad.yaml").write_text(yaml)

    with pytest.raises(Refused, match=r"bad\.a") as told:
        load([tmp_path / "bad.yaml"])
    assert says in told.value.message


@pytest.mark.parametrize(
    ("phrase", "iso"),
    [
        ("today", "2026-01-01"), ("tomorrow", "2026-01-02"), ("amanhã", "2026-01-02"), ("friday", "2026-01-02"),
        ("next thursday", "2026-01-08"), ("sexta-feira", "2026-01-02"), ("in 3 days", "2026-01-04"),
        ("daqui a duas semanas", "2026-01-15"), ("next week", "2026-01-05"), ("this week", "2026-01-02"),
        ("3 May", "2026-05-03"), ("May 3rd, 2027", "2027-05-03"), ("3 de maio", "2026-05-03"),
        ("2026-02-03", "2026-02-03"), ("tomorrow at 9:30", "2026-01-02T09:30:00Z"), ("end of the month", "2026-01-31"),
        ("31 February", ""), ("someday", ""), (None, ""),
    ],
)  # fmt: skip
def test_days_as_people_say_them(phrase: str | None, iso: str) -> None:
    assert day(phrase, NOW) == iso


@pytest.mark.parametrize(
    ("text", "tool_name", "args"),
    [
        ("I need a web app that tracks my flight hours. With a login.", "mission_create", {"title": "Web app that tracks my flight hours", "category": "coding/webapp"}),
        ("Please build me a small tool that renames files", "mission_create", {"category": "coding/tool"}),
        ("preciso de uma aplicação web para as minhas horas", "mission_create", {}),
        ("hire a designer called Iris", "agent_hire", {"name": "Iris", "title": "Designer"}),
        ("who works here?", "agent_list", {}),
        ("how much did we spend?", "cost_show", {"by": "agent"}),
        ("quanto gastámos?", "cost_show", {}),
    ],
)  # fmt: skip
async def test_what_a_founder_asks_a_ceo_for_becomes_the_right_call(text: str, tool_name: str, args: dict[str, Any]):
    [(name, given)] = calls_of(await asked(text, LEAD))

    assert name == tool_name and args.items() <= given.items()


async def test_where_nobody_can_build_it_somebody_is_to_be_hired():
    made, nobody = {"ok": True, "data": {"slug": "app", "title": "App"}}, {"ok": False, "error": {"message": "nobody"}}

    [(name, given)] = calls_of(await asked("build me a web app for notes", LEAD, "", made, nobody))

    assert (name, given["title"]) == ("agent_hire", "Developer")


async def test_who_one_is_stands_where_the_instructions_name_somebody():
    reply = await asked("who are you?", ALL, "You are one of two agents.\n\nYou are **chief**, the one voice.")

    assert "in the role of chief" in (reply.response.text or "")
    nobody = await asked("who are you?", ALL, "You are a worker. If you are waiting for anything, stay in the turn.")
    assert "in the role" not in (nobody.response.text or "")


def test_what_was_decided_answers_the_same_question_alone_and_says_when():
    known = [
        {"content": "I like tea"},
        {
            "content": "From a list, or as free text? → A dropdown",
            "source": "founder",
            "created_at": "2026-01-01T10:00",
        },
    ]

    told = deciding(known, "From a list or as free text?")
    assert told == {"answer": "A dropdown", "told": "as you decided on Thu 01 Jan 2026"}
    assert deciding([known[1] | {"source": "agent:chief"}], "From a list or as free text?")["told"].startswith("as was")
    assert not deciding(known, "Which database?")
    assert not deciding(known, "From a list of mine, or as free text?")


@pytest.mark.parametrize("word", ["Give it up, thank you", "Yes, please.", "go ahead", "Drop it.", "Sim", "Desiste."])
def test_a_go_ahead_or_a_give_up_is_never_taken_for_another(word: str):
    assert not deciding([{"content": f"Shall I delete the old data? → {word}"}], "Shall I delete the old data?")


def test_what_is_no_question_is_never_answered_from_memory():
    said = "website needs a model: without one I only build a log"
    assert not deciding([{"content": f"{said} → A small one will do"}], said)


def test_the_mark_of_the_house_reaches_nobody() -> None:
    told = "undo that\n<house>I did not take back the merge.</house>"
    assert _text(told) == "undo that"
    assert _text("<house>I take it back.</house>") == "I take it back."
