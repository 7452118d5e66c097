"""What a mind is told of a call that cannot be read: what is wrong, and what there is."""

from __future__ import annotations

import json

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart, ToolReturnPart

from agents.conftest import Told
from hq.minds.mind import Reply, TokenUsage

DONE = '<task-complete reason="done"/>'


class Clumsy(Told):
    """Makes one call as it stands, and is done."""

    def __init__(self, tool: str, args: str) -> None:
        super().__init__([DONE])
        self.call = ToolCallPart(tool_name=tool, args=args, tool_call_id="call-0")

    @property
    def told(self) -> str:
        parts = [part for message in self.asked[-1].messages for part in message.parts]
        [back] = [part.content for part in parts if isinstance(part, ToolReturnPart)]
        return json.loads(back)["error"]["message"]

    async def answer(self, ask, *, on_text=None):
        if not self.asked:
            self.asked.append(ask)
            return Reply(ModelResponse(parts=[self.call]), self.name, TokenUsage(1, 1), None, 1.0)
        return await super().answer(ask, on_text=on_text)


@pytest.mark.parametrize(
    ("tool", "args", "says"),
    [
        ("hq_task", '{"action": "create", "title": "Cal', "they were cut off: send them whole"),
        ("hq_task", '{"action": "create", "title": "Call Ana"', "they were cut off: send them whole"),
        ("hq_task", '{"action": list}', "line 1 column 12"),
        ("hq_task", '["list"]', "are a list, not a JSON object"),
        ("hq_taks", '{"action": "list"}', "there is no tool 'hq_taks'; you have hq_task; did you mean 'hq_task'?"),
        ("hq_task", "{}", "hq_task needs an action: "),
        ("hq_task", '{"action": "lst"}', "hq_task has no action 'lst'"),
    ],
)
async def test_a_call_that_cannot_be_read_is_told_what_is_wrong(play, tool, args, says):
    mind = Clumsy(tool, args)

    _, ended = await play.run(mind, tools=("hq_task",))

    assert ended.state == "done"
    assert says in mind.told


async def test_only_actions_that_were_offered_are_named(play):
    mind = Clumsy("hq_task", '{"action": "lst"}')

    await play.run(mind, tools=("hq_task",), only={"hq_task": ("list", "show")})

    assert mind.told.startswith("hq_task has no action 'lst'; it takes an action: list, show")
