"""What a mind is told of a result: the same to the byte whenever it is told, and cut where it is long."""

from __future__ import annotations

import json

from pydantic_ai.messages import ModelResponse, ToolCallPart, ToolReturnPart

from hq.engine.sessions.steps import VerbStep
from hq.sessions.tool_result_text import MOST, told
from tests.support.play import Told, texts

DONE = '<task-complete reason="done"/>'


async def test_m5_replayed_messages_are_the_same_to_the_byte(play):
    """Arguments in the order they were said, results in the order they were first told, also read back from the journal."""
    mind = Told([("task_create", {"title": "Call Ana", "status": "todo", "due": "2030-01-01"}), "Hm.", DONE])
    session, _ = await play.run(mind, tools=("task",))

    first, later = mind.asked[1].messages, mind.asked[2].messages
    assert texts(later)[: len(texts(first))] == texts(first)
    [call] = [p for m in later if isinstance(m, ModelResponse) for p in m.parts if isinstance(p, ToolCallPart)]
    assert list(call.args_as_dict()) == ["title", "status", "due"]
    rows = (await play.hq.do("session.replay", id=session))["items"]
    [kept] = [VerbStep.model_validate(row["payload"]) for row in rows if row["kind"] == "verb"]
    [back] = [p.content for m in later for p in m.parts if isinstance(p, ToolReturnPart)]
    assert told(kept, "task_create") == back


def test_a_long_list_is_cut_and_says_how_to_go_on():
    items = [{"slug": f"task-{n}", "title": "x" * 200} for n in range(300)]

    text = told(VerbStep(call="c", ok=True, data={"items": items}), "task_list")

    data = json.loads(text)["data"]
    assert len(text) < MOST * 1.3 and 10 < len(data["items"]) < 100
    assert data["cut"].startswith(f"{300 - len(data['items'])} more items") and data["items"][-1]["slug"] in data["cut"]


def test_a_long_text_is_cut_and_says_so():
    text = told(VerbStep(call="c", ok=True, data={"text": "x" * 100_000}), "read_file")

    assert len(text) < MOST and "94000 more characters are not told here" in json.loads(text)["data"]["text"]
