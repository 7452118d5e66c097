"""J6, J-6: budgets of the seeds' size work. Tokens from the cache count by their price, a short budget makes answers short, and at its
limit a mission comes with a button that goes on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from hq.minds.tokens import estimate
from hq.sandbox import Sandbox
from hq.workspace.directories import Workspaces
from tests.stories.wire import blocks
from tests.support.heart import Heart
from tests.support.passable import tmp_path
from tests.support.paying import rows
from tests.support.play import house  # noqa: F401
from tests.support.provider_by_hand import Answered, Line, answered_by_hand
from tests.support.sandboxes import MISSING

__all__ = ["tmp_path"]

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
REPORT = "# Chart libraries\n\n" + "uPlot draws a year of flights in 30 ms and has no dependencies. " * 12
PART = {"title": "Research and compare chart libraries", "to": "scout", "reason": "to choose one", "tokens": 10_000}


@dataclass
class Meter:
    """Counts as the provider does: what it was sent up to a mark is kept, and read again by the next request that begins so."""

    kept: set[str] = field(default_factory=set)

    def __call__(self, body: dict[str, Any]) -> dict[str, int]:
        said, known, marked, wrote = "", 0, 0, []
        for text, ends in blocks(body):
            said += text
            if ends and said in self.kept:
                known = len(said)
            if ends:
                marked = len(said)
                wrote.append(said)
        self.kept.update(wrote)
        tokens = [estimate("x" * size) for size in (len(said), known, marked)]
        written = max(tokens[2] - tokens[1], 0)
        return {
            "input_tokens": tokens[0] - tokens[1] - written, "cache_read_input_tokens": tokens[1],
            "cache_creation_input_tokens": written, "output_tokens": 350,
        }  # fmt: skip


def works(body: dict[str, Any]) -> Line:
    """As an agent goes about a part: take it, write it, hand it in."""
    said = str(body["messages"])
    slug = "research-and-compare-chart-libraries" if "chart-libraries" in said else "flight-tracker"
    if "mission_accept" not in _called(body):
        return Line(calls=[("mission_accept", {"ref": slug})])
    if "write_file" not in _called(body):
        return Line(calls=[("write_file", {"path": "report.md", "content": REPORT})])
    if "mission_submit" not in _called(body):
        return Line(calls=[("mission_submit", {"ref": slug, "outcome": "uPlot is the one to take."})])
    return Line('Handed in. <task-complete reason="handed in" memory_entry_count="0"/>')


def _called(body: dict[str, Any]) -> set[str]:
    return {
        part["name"]
        for message in body["messages"] if isinstance(message.get("content"), list)
        for part in message["content"] if part.get("type") == "tool_use"
    } | {call["function"]["name"] for message in body["messages"] for call in message.get("tool_calls") or ()}  # fmt: skip


async def counts(firm: Answered, agent: str) -> list[int]:
    """What each call of an agent's counts for, oldest first."""
    found = await rows(firm.hq, f"select tokens_counted from ops.llm_call_log where agent_id = '{agent}' order by id")
    return [each for (each,) in found]


@pytest.fixture
async def firm(house, tmp_path) -> Answered:  # noqa: F811
    """Two who were hired, and a provider that counts what it keeps."""
    made = await two_hired(house, tmp_path)
    made.provider.counts = Meter()
    return made


async def two_hired(house, tmp_path, wire: str = "anthropic") -> Answered:  # noqa: F811
    spaces = house.hq.door.services[Workspaces] = Workspaces(tmp_path / "workspaces")
    house.hq.door.services[Sandbox] = Sandbox(spaces.scratch)
    await house.hq.do("agent.hire", name="Forge", role="Developer", about="Builds web apps.")
    await house.hq.do("agent.hire", name="Scout", role="Research Analyst", about="Researches and compares libraries.")
    return await answered_by_hand(house, works, wire)


async def test_j6_a_delegation_of_10_000_tokens_finishes_something(firm):
    hq = firm.hq
    await hq.do("mission.create", title="Flight tracker", token_budget=50_000, deliverables=["file:app.py"])
    await hq.do("mission.assign", ref="flight-tracker", to="forge", delegation="pre_approved", collaborators=["scout"])
    await hq.do("mission.accept", ref="flight-tracker")
    part = (await hq.do("mission.delegate", ref="flight-tracker", deliverables=["file:report.md"], **PART))["mission"]
    await hq.do("agent.pause", agent="forge")

    await firm.work()

    assert (await hq.do("mission.show", ref=part))["props"]["status"] == "done"
    counted = await counts(firm, "scout")
    print(f"a delegated part of {len(counted)} calls counts {counted}, {sum(counted):,} in all")
    assert sum(counted) <= 10_000


async def test_j6_it_does_so_too_where_the_server_says_nothing_of_a_cache(house, tmp_path):  # noqa: F811
    """As vLLM and llama.cpp may: it was up after two calls, and two cards asked for more."""
    firm = await two_hired(house, tmp_path, "chat")
    firm.provider.counts = lambda body: {"input_tokens": estimate(json.dumps(body)), "output_tokens": 350}

    await test_j6_a_delegation_of_10_000_tokens_finishes_something(firm)

    assert (await firm.hq.do("approval.list"))["items"] == []


async def test_j6_a_mission_of_50_000_tokens_goes_on_after_it_was_accepted(firm):
    hq = firm.hq
    await hq.do("mission.create", title="Flight tracker", token_budget=50_000, deliverables=["file:report.md"])
    await hq.do("mission.assign", ref="flight-tracker", to="forge")

    await firm.work()

    assert (await hq.do("mission.show", ref="flight-tracker"))["props"]["status"] == "done"
    counted = await counts(firm, "forge")
    print(f"a mission of {len(counted)} calls counts {counted}, {sum(counted):,} in all")
    assert sum(counted) <= 15_000


async def test_j6_at_its_limit_a_mission_comes_with_a_button_that_goes_on(firm):
    hq = firm.hq
    await hq.do("ceo.quiet", hours="off")
    await hq.do("mission.create", title="Flight tracker", token_budget=7_500, deliverables=["file:report.md"])
    await hq.do("mission.assign", ref="flight-tracker", to="forge")
    await firm.work()
    assert (await hq.do("mission.show", ref="flight-tracker"))["props"]["status"] == "in_progress"

    heart = Heart(hq)
    await heart.beat(seconds=10)
    cards = await heart.cards()
    [card] = [each for each in cards if "budget" in each["title"].lower()]
    others = [each for each in cards if any(b.get("verb") == "budget.raise" for b in each["buttons"])]
    assert others in ([], [card]), "one card asks for more, with what is needed"
    assert not any(each["title"].startswith("Heads up") for each in cards)
    await hq.do("card.press", card=card["id"], button="yes")
    await firm.work(2)

    assert (await hq.do("mission.show", ref="flight-tracker"))["props"]["status"] == "done"


async def test_j6_where_tokens_are_short_the_answer_is_and_nobody_is_asked(firm):
    hq = firm.hq
    await hq.do("mission.create", title="Flight tracker", token_budget=12_000, deliverables=["file:report.md"])
    await hq.do("mission.assign", ref="flight-tracker", to="forge")

    await firm.work()

    asked = [body["max_tokens"] for body in firm.provider.bodies]
    assert all(1_000 <= most < 8_192 for most in asked), asked
    assert (await hq.do("approval.list"))["items"] == []
