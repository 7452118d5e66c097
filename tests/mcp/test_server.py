"""hq over the Model Context Protocol, asked by the official client over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@asynccontextmanager
async def client(address: str, token: str, mode: str = "auto") -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http:
        async with Client(streamable_http_client(address, http_client=http), mode=mode, cache=None) as made:
            yield made


async def said(mcp: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await mcp.call_tool(tool, arguments)
    assert json.loads(result.content[0].text) == result.structured_content
    return {**result.structured_content, "is_error": result.is_error}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_call_goes_through_the_door(hq, address, mode):
    async with client(address, await hq.agent(), mode) as mcp:
        made = await said(mcp, "task_create", title="Call Ana", reason="she asked")

    assert made["ok"] and made["data"]["slug"] == "call-ana" and not made["is_error"]
    row = (await hq.do("action.list", actor="agent:chief"))["items"][0]
    assert (row["verb"], row["reason"]) == ("task.create", "she asked")


async def test_scopes_are_the_tokens(hq, address):
    reader = await hq.agent("reader", scopes=["read"])
    async with client(address, reader) as mcp:
        tools = {tool.name: tool for tool in (await mcp.list_tools()).tools}
        assert tools["task_list"].annotations.read_only_hint and "task_create" not in tools

        refused = await said(mcp, "task_create", title="x")

    assert refused["is_error"] and refused["error"]["code"] == "forbidden"


async def test_an_agent_sees_no_founders_verb_and_cannot_call_one(hq, address):
    async with client(address, await hq.agent()) as mcp:
        tools = {tool.name for tool in (await mcp.list_tools()).tools}
        refused = await said(mcp, "freeze_set")

    assert not any(name.startswith(("vault", "freeze")) for name in tools)
    assert refused["error"]["code"] == "forbidden"


async def test_what_carries_a_secret_is_not_taken_from_a_model(hq, address):
    async with client(address, hq.token) as mcp:
        refused = await said(mcp, "hq", command="vault set a b")

    assert refused["is_error"] and refused["error"]["code"] == "invalid"


async def test_errors_are_results_that_say_what_to_do(hq, address):
    async with client(address, hq.token) as mcp:
        missing = await said(mcp, "task_show", ref="nothing")
        unknown = await said(mcp, "hq_task", action="craete")
        wrong = await said(mcp, "task_create", titel="x")
        with pytest.raises(MCPError, match="Unknown tool"):
            await mcp.call_tool("rm", {})

    assert missing["error"]["code"] == "not_found" and missing["error"]["hint"]
    assert "did you mean 'task_create'" in unknown["error"]["message"]
    assert wrong["error"]["code"] == "invalid" and "titel" in wrong["error"]["message"]


async def test_what_waits_has_not_failed(hq, address):
    for name in ("Acme", "Acme Inc"):
        await hq.do("entity.create", name=name)
    async with client(address, await hq.agent()) as mcp:
        waiting = await said(mcp, "entity_merge", loser="acme-inc", into="acme")

    assert not waiting["ok"] and waiting["error"]["code"] == "waiting" and not waiting["is_error"]


async def test_a_key_in_the_request_makes_it_act_once(hq, address):
    async with client(address, hq.token) as mcp:
        wanted = {"title": "Call Ana"}
        made = [await mcp.call_tool("task_create", wanted, meta={"hq/idempotency-key": "k1"}) for _ in range(2)]

    assert made[0].structured_content["data"]["id"] == made[1].structured_content["data"]["id"]
    assert len((await hq.do("task.list"))["items"]) == 1


async def test_objects_may_be_json_text(hq, address):
    async with client(address, hq.token) as mcp:
        change = json.dumps({"verb": "task.create", "args": {"title": "Call Ana"}})
        made = await said(mcp, "proposal_propose", kind="work", change=change)
        broken = await said(mcp, "proposal_propose", kind="work", change="{")

    assert made["ok"] and broken["error"]["code"] == "invalid"


async def test_resources_are_nodes_and_state_pages_now_and_then(hq, address, clock):
    await hq.do("task.create", title="Call Ana")
    clock.advance(days=2)
    await hq.do("task.update", ref="call-ana", status="in_progress")
    async with client(address, await hq.agent()) as mcp:
        listed = [str(r.uri) for r in (await mcp.list_resources()).resources]
        templates = [r.uri_template for r in (await mcp.list_resource_templates()).resource_templates]
        now, then = [await text(mcp, f"hq://node/call-ana{at}") for at in ("", "?at=1d")]
        today, before = [await text(mcp, f"hq://state/today{at}") for at in ("", "?at=1d")]

    assert "hq://state/today" in listed and "hq://node/{ref}{?at,known_at}" in templates
    assert (json.loads(now)["props"]["status"], json.loads(then)["props"]["status"]) == ("in_progress", "todo")
    assert "`call-ana`" in today and "`call-ana`" not in before


@pytest.mark.parametrize(
    "uri",
    ["hq://node/nothing", "hq://state/nothing", "hq://state/today?at=xyz", "hq://other/x", "file:///etc/passwd"],
)
async def test_a_resource_that_is_not_there_is_an_error_with_its_address(hq, address, uri):
    async with client(address, hq.token) as mcp:
        with pytest.raises(MCPError) as caught:
            await mcp.read_resource(uri)

    assert caught.value.code == -32602 and caught.value.data["uri"] == uri


async def test_prompts_bring_what_they_speak_of(hq, address):
    await hq.do("task.create", title="Call Ana")
    async with client(address, hq.token) as mcp:
        names = {prompt.name for prompt in (await mcp.list_prompts()).prompts}
        explained = await mcp.get_prompt("explain", {"ref": "call-ana"})
        planned = await mcp.get_prompt("plan_mission", {"goal": "Ship it"})
        with pytest.raises(MCPError, match="needs goal"):
            await mcp.get_prompt("plan_mission", {})

    assert names == {"brief_me", "plan_mission", "review_day", "explain"}
    assert str(explained.messages[0].content.resource.uri) == "hq://node/call-ana"
    assert "Ship it" in planned.messages[1].content.text


async def test_slugs_and_pages_are_completed(hq, address):
    from mcp_types import PromptReference, ResourceTemplateReference

    for title in ("Call Ana", "Call Bo", "Write"):
        await hq.do("task.create", title=title)
    async with client(address, hq.token) as mcp:
        slugs = await mcp.complete(PromptReference(type="ref/prompt", name="explain"), {"name": "ref", "value": "call"})
        pages = await mcp.complete(
            ResourceTemplateReference(type="ref/resource", uri="hq://state/{page}"), {"name": "page", "value": "t"}
        )

    assert slugs.completion.values == ["call-ana", "call-bo"]
    assert pages.completion.values == ["timeline", "today"]


async def post(address: str, token: str | None = None, **headers: str) -> httpx2.Response:
    bearer = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient(timeout=30) as http:
        return await http.post(address, json=INITIALIZE, headers=ACCEPT | bearer | headers)


async def test_without_a_live_token_nothing_of_the_protocol_is_read(hq, address):
    revoked = await hq.agent()
    await hq.do("auth.revoke", id="agent:chief")

    answers = [await post(address), await post(address, "hq_agent_wrong"), await post(address, revoked)]

    assert {a.status_code for a in answers} == {401}
    assert all("Bearer" in a.headers["www-authenticate"] for a in answers)


async def test_foreign_pages_and_foreign_names_are_turned_away(hq, address):
    assert (await post(address, hq.token)).status_code == 200
    assert (await post(address, hq.token, Origin="http://localhost:3000")).status_code == 200
    assert (await post(address, hq.token, Origin="https://evil.example")).status_code == 403
    assert (await post(address, hq.token, Origin="null")).status_code == 403
    assert (await post(address, hq.token, Host="evil.example")).status_code == 421


async def test_a_session_cannot_be_used_with_another_token(hq, address):
    opened = await post(address, hq.token)
    session = opened.headers["mcp-session-id"]
    other = await hq.agent()

    async with httpx2.AsyncClient(timeout=30) as http:
        listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
        headers = ACCEPT | {"Authorization": f"Bearer {other}", "mcp-session-id": session}
        answer = await http.post(address, json=listing, headers=headers)

    assert answer.status_code == 404


async def test_another_company_reads_nothing(hq, address):
    await hq.do("task.create", title="Call Ana")
    async with client(address, await hq.tenant()) as mcp:
        assert (await said(mcp, "task_list"))["data"]["items"] == []
        with pytest.raises(MCPError):
            await mcp.read_resource("hq://node/call-ana")


async def test_a_revoked_token_ends_in_the_middle_of_a_session(hq, address):
    chief = await hq.agent()
    async with client(address, chief) as mcp:
        assert (await said(mcp, "task_list"))["ok"]
        await hq.do("auth.revoke", id="agent:chief")
        with pytest.raises(MCPError):
            await mcp.call_tool("task_list", {})


async def text(mcp: Client, uri: str) -> str:
    return (await mcp.read_resource(uri)).contents[0].text
