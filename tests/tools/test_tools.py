"""Which tools a credential is offered, and how one asks for more."""

from __future__ import annotations


async def names(hq, token=None, **args) -> dict[str, list[str]]:
    listed = await hq.do("tools.list", **args, **({"_token": token} if token else {}))
    return {line["tool"]: line["actions"] for line in listed["items"] if line["access"] == "granted"}


async def test_an_agent_is_offered_no_founders_verb(hq):
    founder, agent = await names(hq), await names(hq, await hq.agent())

    assert "approve" in founder["hq_approval"] and agent["hq_approval"] == ["list", "show", "history"]
    assert "hq_vault" in founder and "hq_vault" not in agent and "hq_freeze" in agent
    assert set(agent["hq_connector"]) == {"show", "call", "list", "history"}


async def test_a_token_without_write_is_offered_reads_only(hq):
    reader = await hq.agent("reader", scopes=["read"])

    exported = (await hq.do("tools.export", format="mcp", _token=reader))["tools"]

    hints = {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in exported}
    assert hints.pop("hq_tools") is False  # it may ask for more
    assert set(hints.values()) == {True}


async def test_a_narrow_token_is_offered_what_it_holds(hq):
    narrow = await hq.agent("narrow", scopes=["read:task", "task.create"])

    listed = await hq.call("tools.list", _token=narrow)

    assert listed.error["code"] == "forbidden"  # not even this is granted
    exported = await names(hq, await hq.agent("narrow", scopes=["read:task", "read:tools", "task.create"]))
    assert exported["hq_task"] == ["create", "list", "show", "history"]
    assert set(exported) == {"hq_task", "hq_tools"}


async def test_all_lists_what_could_be_asked_for(hq):
    listed = await hq.do("tools.list", all=True, _token=await hq.agent("narrow", scopes=["read:tools"]))

    access = {line["tool"]: line["access"] for line in listed["items"]}
    assert (access["hq_tools"], access["hq_task"], access["hq_vault"]) == ("granted", "request", "founder")


async def test_a_request_becomes_a_proposal_and_a_yes_gives_the_tool(hq):
    reader = await hq.agent("reader", scopes=["read"])
    task = {"title": "Call Ana", "_token": reader}
    assert (await hq.call("task.create", **task)).error["code"] == "forbidden"

    asked = await hq.do("tools.request", tool="hq_task", why="To note what I find.", _token=reader)
    again = await hq.do("tools.request", tool="hq_task", why="Please.", _token=reader)
    assert asked["proposal"] == again["proposal"] and asked["scopes"] == ["write:task"]
    assert (await hq.call("task.create", **task)).error["code"] == "forbidden"

    accepted = await hq.do("proposal.accept", ref=asked["proposal"])
    assert accepted["result"]["ok"], accepted
    assert (await hq.call("task.create", **task)).ok
    assert (await hq.call("entity.create", name="x", _token=reader)).error["code"] == "forbidden"


async def test_what_is_the_founders_alone_cannot_be_asked_for(hq):
    refused = await hq.call("tools.request", tool="hq_vault", why="x", _token=await hq.agent())

    assert refused.error["code"] == "forbidden"


async def test_asking_for_what_one_has_or_what_is_not_there_is_told(hq):
    chief = await hq.agent()

    assert (await hq.call("tools.request", tool="hq_task", why="x", _token=chief)).error["code"] == "conflict"
    unknown = await hq.call("tools.request", tool="hq_tusk", why="x", _token=chief)
    assert unknown.error["code"] == "not_found" and "hq_task" in unknown.error["message"]
    assert (await hq.call("tools.request", tool="hq_task", why="x")).error["code"] == "conflict"


async def test_nobody_is_widened_to_the_founders_scope(hq):
    await hq.agent()

    assert (await hq.call("auth.widen", actor="agent:chief", scopes=["founder"])).error["code"] == "forbidden"
    assert (await hq.call("auth.widen", actor="agent:nobody", scopes=["read"])).error["code"] == "not_found"


async def test_an_export_may_be_narrowed_loosened_and_counted(hq):
    whole = await hq.do("tools.export", format="openai")
    one = await hq.do("tools.export", format="openai", tools=["hq_task"], strict=False)

    assert [tool["function"]["name"] for tool in one["tools"]] == ["hq_task"]
    assert "strict" not in one["tools"][0]["function"] and 0 < one["tokens"] < whole["tokens"]
    assert (await hq.call("tools.export", tools=["hq_tusk"])).error["code"] == "not_found"


async def test_a_hermes_export_comes_with_its_part_of_the_prompt(hq):
    made = await hq.do("tools.export", format="hermes", tools=["hq_task"])

    assert made["text"].startswith("<tools> [") and made["text"].endswith("] </tools>")
