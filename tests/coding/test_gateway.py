"""The model server of a run: open to its own program and to nobody else."""

from __future__ import annotations

import httpx2
import pytest

from hq.coding.gateway import open_gateway

from .minds import Told


@pytest.mark.parametrize("headers", [{}, {"x-api-key": "wrong"}, {"authorization": "Bearer wrong"}])
async def test_without_the_runs_key_nothing_is_answered(headers) -> None:
    mind = Told(["hello"])
    async with open_gateway(mind) as gateway, httpx2.AsyncClient() as http:
        url = f"http://127.0.0.1:{gateway.address[1]}/v1/messages"

        answer = await http.post(url, json={"messages": [], "model": "x"}, headers=headers)

    assert answer.status_code == 401 and mind.asked == []


async def test_with_it_every_wire_is_spoken() -> None:
    mind = Told(["hello"])
    messages = [{"role": "user", "content": "hi"}]
    async with open_gateway(mind) as gateway, httpx2.AsyncClient(headers={"x-api-key": gateway.key}) as http:
        url = f"http://127.0.0.1:{gateway.address[1]}"
        anthropic = await http.post(f"{url}/v1/messages", json={"messages": messages, "model": "x"})
        chat = await http.post(f"{url}/v1/chat/completions", json={"messages": messages, "model": "x"})
        counted = await http.post(f"{url}/v1/messages/count_tokens", json={"messages": messages, "model": "x"})

    assert anthropic.json()["content"][0]["text"] == "hello" and counted.status_code == 404
    assert chat.json()["choices"][0]["message"]["content"] == "hello" and len(mind.asked) == 2
