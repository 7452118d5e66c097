"""P6 beside the conversation: a coding program waits with its question, and is told of an answer how it ended; a limit is a button."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx2
import pytest
from pydantic_ai.messages import ModelResponse, TextPart

from hq.clock import FakeClock
from hq.coding.gateway import Metered
from hq.guard.budgets import Spender
from hq.ids import new_id
from hq.minds.mind import MindBusy, MindRequest, Reply, TokenUsage
from hq.minds.provider_apis.server import create_app
from tests.support.paying import Payroll, Priced
from tests.support.play import Told, route
from tests.support.supervised import announced


class Budget:
    """Whatever it costs."""

    async def reserve(self, spender: Any, estimate: Any) -> Budget:
        return self

    def weighed(self, reply: Reply) -> Reply:
        return reply

    async def settle(self, reply: Reply | None, error: Exception | None = None) -> None:
        return None


class Weather:
    """Busy so often, then well."""

    name = "weather"

    def __init__(self, clock: FakeClock, times: int) -> None:
        self.clock, self.times, self.asked = clock, times, 0

    async def answer(self, ask: MindRequest, *, on_text: Any = None) -> Reply:
        self.asked += 1
        if self.asked <= self.times:
            raise MindBusy("away", self.clock.now() + timedelta(seconds=60))
        return Reply(ModelResponse(parts=[TextPart("Well.")]), "m", TokenUsage(1, 1), None, 1.0)


def metered(mind: Any, clock: FakeClock) -> Metered:
    async def passes(seconds: float) -> None:
        clock.advance(seconds=seconds)

    return Metered(mind, [], Budget(), Spender(new_id(), "forge"), 100_000, False, str, clock, passes)  # type: ignore[arg-type]


async def test_p6_a_coding_program_waits_through_it_and_is_told_what_lasts(clock):
    began = clock.now()

    assert (await metered(Weather(clock, 3), clock).answer(MindRequest([]))).response.text == "Well."
    assert clock.now() - began == timedelta(minutes=3)

    with pytest.raises(MindBusy):
        await metered(Weather(clock, 99), clock).answer(MindRequest([]))


WIRES = {
    "/v1/messages": lambda body: body["stop_reason"],
    "/v1/chat/completions": lambda body: body["choices"][0]["finish_reason"],
    "/v1/responses": lambda body: (body["incomplete_details"] or {}).get("reason"),
    "/v1beta/models/m:generateContent": lambda body: body["candidates"][0]["finishReason"],
}


@pytest.mark.parametrize("path", WIRES)
async def test_p6_a_program_hears_how_an_answer_ended_on_every_wire(path):
    class Ends:
        name = "ends"
        reason: Any = "length"

        async def answer(self, ask: MindRequest, *, on_text: Any = None) -> Reply:
            response = ModelResponse(parts=[TextPart("Half a")], finish_reason=self.reason)
            return Reply(response, "m", TokenUsage(1, 1), None, 1.0)

    mind = Ends()
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "input": "Hi",
            "contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}  # fmt: skip
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(create_app(mind)), base_url="http://127.0.0.1"
    ) as http:
        cut = WIRES[path]((await http.post(path, json=body)).json())
        mind.reason = "content_filter"
        declined = WIRES[path]((await http.post(path, json=body)).json())

    assert cut.lower() in ("max_tokens", "length", "max_output_tokens")
    assert declined.lower() in ("refusal", "content_filter", "safety")


async def test_p6_a_quota_is_a_429_with_a_time_to_who_asks_through_us(clock):
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(create_app(Weather(clock, 1))), base_url="http://127.0.0.1"
    ) as http:
        told = await http.post("/v1/messages", json={"model": "m", "messages": [{"role": "user", "content": "Hi"}]})

    assert told.status_code == 429 and int(told.headers["retry-after"]) > 0


async def test_c14_a_limit_that_is_reached_is_a_card_whose_button_goes_on(own_hq):
    pay = Payroll(own_hq)
    await own_hq.do("agent.load")
    await own_hq.do("budget.set", on="chief", period="day", tokens_hard=1000)
    mind = Priced(Told(["Good morning."]))
    await own_hq.do("chat.say", agent="chief", text="Good morning")
    await pay.again(mind)
    await announced(own_hq)
    await own_hq.do("ceo.tick")

    [card] = [each for each in (await own_hq.do("card.list"))["items"] if "used up its budget" in each["title"]]
    assert card["buttons"][0]["label"] == "Raise it and go on"
    await own_hq.do("card.press", card=card["id"], button="go_on")
    await route(own_hq)
    await pay.runner(mind).run_once()

    said = [(each["role"], each["text"]) for each in (await own_hq.do("chat.history", agent="chief"))["items"]]
    assert ("assistant", "Good morning.") in said, said
    assert [who for who, _ in said].count("user") == 1
