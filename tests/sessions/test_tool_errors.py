"""What a mind is told of a call that cannot be read: what is wrong, and what there is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart

from hq.minds.mind import Reply, TokenUsage
from tests.support.play import Told

DONE = '<task-complete reason="done"/>'


class Clumsy(Told):
    """Makes one call as it stands, and is done."""

    def __init__(self, tool: str, args: str) -> None:
        super().__init__([DONE])
        self.call = ToolCallPart(tool_name=tool, args=args, tool_call_id="call-0")
        self.said = ""

    @property
    def back(self) -> dict[str, Any]:
        parts = [part for message in self.asked[-1].messages for part in message.parts]
        [back] = [part.content for part in parts if isinstance(part, ToolReturnPart)]
        return json.loads(back)

    @property
    def error(self) -> dict[str, Any]:
        return self.back["error"]

    @property
    def told(self) -> str:
        return self.error["message"]

    async def answer(self, ask, *, on_text=None):
        if not self.asked:
            self.asked.append(ask)
            parts = [*([TextPart(self.said)] if self.said else []), self.call]
            return Reply(ModelResponse(parts=parts), self.name, TokenUsage(1, 1), None, 1.0)
        return await super().answer(ask, on_text=on_text)


@pytest.mark.parametrize(
    ("tool", "args", "says"),
    [
        ("task_create", '{"title": "Cal', "they were cut off: send them whole"),
        ("task_create", '{"title": "Call Ana"', "they were cut off: send them whole"),
        ("task_list", '{"status": list}', "line 1 column 12"),
        ("task_list", '["list"]', "are a list, not a JSON object"),
        ("task_crate", "{}", "there is no tool 'task_crate'; did you mean 'task_create'?"),
        ("task_create", "{}", "task_create needs title; it needs title and takes tags, "),
        ("task_create", '{"titel": "x"}', "task_create has no field 'titel'; did you mean 'title'?; it needs title"),
        ("hq_task", "{}", "there is a tool for each action of task: task_complete, "),
        ("hq_task", '{"action": "lst"}', "did you mean 'task_list'?"),
        ("hq", "{}", "hq takes command, a line such as"),
        ("task_show", '{"task": "x"}', "task_show has no field 'task'; did you mean 'ref'?"),
        ("hq", '{"command": "task lst"}', "task has no action 'lst'; did you mean 'list'?; it has complete, "),
        ("hq", '{"command": "taks list"}', "there is no command 'taks'; did you mean 'task'?"),
        ("hq", '{"command": "task create --titel x"}', "task create has no --titel; did you mean '--title'?"),
        ("hq", '{"command": "task create"}', "task create needs --title …: task create --title … [--tags]"),
        ("hq", '{"command": "task list | head"}', "it is no shell"),
        ("hq", '{"command": "task create --title \\"x"}', "put text into double quotes"),
    ],
)
async def test_m8_a_call_that_cannot_be_read_is_told_what_is_wrong_in_its_own_words(play, tool, args, says):
    mind = Clumsy(tool, args)

    _, ended = await play.run(mind, tools=("task",))

    assert ended.state == "done"
    assert says in mind.told


async def test_what_is_reached_and_not_shown_simply_works(play):
    mind = Clumsy("task_history", '{"ref": "x"}')

    await play.run(mind, tools=("task",), daily=("task_list",))

    assert [tool.name for tool in mind.asked[0].tools] == ["task_list", "hq"]
    assert "x" in mind.told and "not among" not in mind.told


async def test_what_is_beyond_its_tools_says_how_to_get_it(play):
    mind = Clumsy("memo_create", '{"title": "x", "content_md": "y"}')

    await play.run(mind, tools=("task",))

    assert mind.told == "memo.create is not among your tools"
    assert "`hq tools request` asks the founder for it" in mind.error["hint"]


async def test_flags_in_what_the_house_says_are_fields_to_who_called_by_fields(play):
    hire = {"name": "Forge"}
    by_fields, by_line = Clumsy("agent_hire", json.dumps(hire)), Clumsy("hq", '{"command": "agent hire Forge"}')

    await play.run(by_fields, tools=("agent",))
    await play.run(by_line, tools=("agent",))

    assert "say title for its seat, or position_id for a vacant one" in by_fields.told
    assert "say --title for its seat, or --position-id for a vacant one" in by_line.told


async def test_help_is_of_what_the_session_reaches(play):
    mind = Clumsy("hq", '{"command": "help"}')

    await play.run(mind, tools=("task",))

    assert set(mind.back["data"]["commands"]) == {"task", "tools"}


async def test_what_is_said_with_a_call_is_its_reason(play):
    mind = Clumsy("task_create", '{"title": "Call Ana"}')
    mind.said = "The founder asked me to call Ana."

    await play.run(mind, tools=("task",))

    [row] = [row for row in (await play.hq.do("action.list"))["items"] if row["verb"] == "task.create"]
    assert row["reason"] == "The founder asked me to call Ana."
