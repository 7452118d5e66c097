"""What a client is offered is what it can do: as a token's and as one that came in by OAuth."""

from __future__ import annotations

from typing import Any

import pytest

from hq.api.oauth.address import at_the_door
from tests.mcp.test_server import client, said

WRITTEN: dict[str, dict[str, Any]] = {
    "task_create": {"title": "Call Ana"},
    "task_complete": {"ref": "call-ana"},
    "document_create": {"title": "Minutes"},
    "memory_add": {"content": "Ana prefers the phone."},
    "agent_send": {"agent": "chief", "text": "Ana called."},
    "proposal_propose": {"kind": "work", "body": "Ask Ana for a date."},
}
"""What a client of the founder's writes every day."""
ASKED = {"agent": {"agent_ask": {"agent": "chief", "text": "Who is Ana?"}}, "service": {}}
"""Who is an agent by its name asks agents, too."""


async def desk(hq: Any, kind: str) -> str:
    """The token of a program outside, as the guide makes one, or as a yes on the consent page does."""
    if kind == "agent":
        return await hq.agent("desk")
    return (await hq.do("auth.token", service="desk", scopes=at_the_door(["read", "write"])))["token"]


@pytest.mark.parametrize("kind", ["agent", "service"])
async def test_a_client_can_call_all_that_it_is_offered(own_house, kind):
    hq, address = own_house
    wanted = WRITTEN | ASKED[kind]
    await hq.do("agent.load")
    async with client(address, await desk(hq, kind)) as mcp:
        offered = {tool.name: tool for tool in (await mcp.list_tools()).tools}
        writing = {name for name, tool in offered.items() if not tool.annotations.read_only_hint and name != "hq"}
        made = {name: await said(mcp, name, **args) for name, args in wanted.items()}

    assert writing - {"ask_answer"} == set(wanted)
    assert {name: each["error"] for name, each in made.items() if not each["ok"] and not _waits(each)} == {}
    assert made["memory_add"]["data"]["status"] == "pending"


def _waits(made: dict[str, Any]) -> bool:
    """For whoever was asked: it has not failed."""
    return made["error"]["code"] == "waiting"


@pytest.mark.parametrize("scopes", [["read", "write"], ["read", "write", "effect"]])
async def test_what_is_an_agents_is_not_offered_to_a_service_whose_token_does_not_name_it(own_hq, scopes):
    await own_hq.do("agent.load")
    wide = (await own_hq.do("auth.token", service="intake", scopes=scopes))["token"]
    named = (await own_hq.do("auth.token", service="crm", scopes=["read", "write:entity"]))["token"]

    assert "entity_create" not in await tools(own_hq, wide) and "task_create" not in await tools(own_hq, wide)
    assert "entity_create" in await tools(own_hq, named)


async def test_an_agent_on_the_record_is_offered_what_it_was_given(own_hq):
    await own_hq.do("agent.load")
    await own_hq.hired("forge")

    assert "task_create" in await tools(own_hq, await own_hq.agent("forge"))
    assert "graph_link" not in await tools(own_hq, await own_hq.agent("chief"))


async def tools(hq: Any, token: str) -> set[str]:
    items = (await hq.do("tools.list", _token=token))["items"]
    return {tool for item in items if item["access"] == "granted" for tool in item["tools"]}
