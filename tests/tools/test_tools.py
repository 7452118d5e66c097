"""Which tools a credential is offered, and how one asks for more."""

from __future__ import annotations

import json

from hq.door.tool_call import tool_call


async def names(hq, token=None, **args) -> dict[str, list[str]]:
    listed = await hq.do("tools.list", **args, **({"_token": token} if token else {}))
    return {line["noun"]: line["tools"] for line in listed["items"] if line["access"] == "granted"}


async def test_an_agent_is_offered_no_founders_verb(hq):
    founder, agent = await names(hq), await names(hq, await hq.agent())

    assert "approval_approve" in founder["approval"]
    assert agent["approval"] == ["approval_list", "approval_show", "approval_history"]
    assert "vault" in founder and "vault" not in agent and "freeze" in agent
    assert set(agent["connector"]) == {"connector_show", "connector_call", "connector_list", "connector_history"}


async def test_a_token_without_write_is_offered_reads_only(hq):
    reader = await hq.agent("reader", scopes=["read"])

    exported = (await hq.do("tools.export", format="mcp", all=True, _token=reader))["tools"]

    hints = {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in exported}
    assert hints.pop("tools_request") is False  # it may ask for more
    assert set(hints.values()) == {True}


async def test_a_narrow_token_is_offered_what_it_holds(hq):
    narrow = await hq.agent("narrow", scopes=["read:task", "task.create"])

    listed = await hq.call("tools.list", _token=narrow)

    assert listed.error["code"] == "forbidden"  # not even this is granted
    exported = await names(hq, await hq.agent("narrow", scopes=["read:task", "read:tools", "task.create"]))
    assert exported["task"] == ["task_create", "task_list", "task_show", "task_history"]
    assert set(exported) == {"task", "tools"}


async def test_all_lists_what_could_be_asked_for(hq):
    listed = await hq.do("tools.list", all=True, _token=await hq.agent("narrow", scopes=["read:tools"]))

    access = {line["noun"]: line["access"] for line in listed["items"]}
    assert (access["tools"], access["task"], access["vault"]) == ("granted", "request", "founder")


async def test_a_request_becomes_a_proposal_and_a_yes_gives_the_tool(hq):
    reader = await hq.agent("reader", scopes=["read"])
    task = {"title": "Call Ana", "_token": reader}
    assert (await hq.call("task.create", **task)).error["code"] == "forbidden"

    asked = await hq.do("tools.request", tool="task", why="To note what I find.", _token=reader)
    again = await hq.do("tools.request", tool="task", why="Please.", _token=reader)
    assert asked["proposal"] == again["proposal"] and asked["scopes"] == ["write:task"]
    assert (await hq.call("task.create", **task)).error["code"] == "forbidden"

    accepted = await hq.do("proposal.accept", ref=asked["proposal"])
    assert accepted["result"]["ok"], accepted
    assert (await hq.call("task.create", **task)).ok
    assert (await hq.call("entity.create", name="x", _token=reader)).error["code"] == "forbidden"


async def test_what_is_the_founders_alone_cannot_be_asked_for(hq):
    refused = await hq.call("tools.request", tool="vault", why="x", _token=await hq.agent())

    assert refused.error["code"] == "forbidden"


async def test_asking_for_what_one_has_or_what_is_not_there_is_told(hq):
    chief = await hq.agent()

    assert (await hq.call("tools.request", tool="task", why="x", _token=chief)).error["code"] == "conflict"
    unknown = await hq.call("tools.request", tool="task_creat", why="x", _token=chief)
    assert unknown.error["code"] == "not_found" and "task_create" in unknown.error["message"]
    assert (await hq.call("tools.request", tool="task", why="x")).error["code"] == "conflict"


async def test_nobody_is_widened_to_the_founders_scope(hq):
    await hq.agent()

    assert (await hq.call("auth.widen", actor="agent:chief", scopes=["founder"])).error["code"] == "forbidden"
    assert (await hq.call("auth.widen", actor="agent:nobody", scopes=["read"])).error["code"] == "not_found"


async def test_an_export_may_be_narrowed_loosened_and_counted(hq):
    whole = await hq.do("tools.export", format="openai")
    one = await hq.do("tools.export", format="openai", tools=["task_create"], strict=False)

    assert [tool["function"]["name"] for tool in one["tools"]] == ["task_create"]
    assert len((await hq.do("tools.export", format="openai", tools=["task"]))["tools"]) > 5
    assert "strict" not in one["tools"][0]["function"] and 0 < one["tokens"] < whole["tokens"]
    assert (await hq.call("tools.export", tools=["tusk"])).error["code"] == "not_found"


async def test_a_hermes_export_comes_with_its_part_of_the_prompt(hq):
    made = await hq.do("tools.export", format="hermes", tools=["task"])

    assert made["text"].startswith("<tools> [") and made["text"].endswith("] </tools>")


async def test_c16_what_is_not_shown_is_found_by_words_and_called_as_a_line(hq):
    chief = await hq.agent()
    found = await hq.do("tools.help", about=["remind", "me", "every", "weekday"], _token=chief)
    assert any(line.startswith("schedule add") for line in found["found"])

    one = await hq.do("tools.help", about=["schedule", "add"], _token=chief)

    assert one["tool"] == "schedule_add" and one["fields"]["when"].startswith("string, needed: ")
    meant = tool_call(hq.door.registry, "hq", {"command": 'task create --title "Read the mail" --priority now'})
    assert (await hq.call(meant.verb, **meant.args, _token=chief)).ok


async def test_help_tells_only_what_one_may_use(hq):
    reader = await hq.agent("reader", scopes=["read"])

    assert "task_create" not in json.dumps(await hq.do("tools.help", about=["task"], _token=reader))
    every = await hq.do("tools.help", _token=reader)
    assert "list" in every["commands"]["task"] and "create" not in every["commands"]["task"]
    assert "vault" not in every["commands"]
