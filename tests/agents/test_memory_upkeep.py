"""The memory tender: decayed memories are put away, the best 200 stay, MEMORY.md is written from them."""

from __future__ import annotations

from datetime import UTC, datetime

from hq.agents.files.folder import CAPS
from hq.minds.tokens import estimate

SNAPSHOT = '{{"summary": "x", "handover": "", "memories": [{}]}}'  # what a session leaves


async def remember(house, stage, *memories: str, agent: str = "chief") -> None:
    """Memories come from sessions, in twenties."""
    for start in range(0, len(memories), 20):
        left = SNAPSHOT.format(", ".join(memories[start : start + 20]))
        await house.hq.do("agent.send", agent=agent, text="remember")
        lines = lambda ask, left=left: left if "Leave a snapshot" in str(ask.messages[-1]) else DONE  # noqa: E731
        await stage(house, lines, remembers=True).run_once()


DONE = '<task-complete reason="done"/>'


def memory(body: str, kind: str = "fact", salience: float = 0.5) -> str:
    return f'{{"kind": "{kind}", "body": "{body}", "salience": {salience}}}'


async def test_what_nobody_confirmed_in_time_is_put_away(house, stage):
    await remember(house, stage, memory("A fact"), memory("A pattern", "pattern"), memory("Never", "anti_pattern"))
    house.hq.clock.advance(days=31)

    tended = await house.hq.do("memory.tend", agent="chief")

    assert (tended["archived"], tended["active"]) == (1, 2)
    text = (house.folder / "chief" / "MEMORY.md").read_text()
    assert "A fact" not in text and "- [pattern] A pattern" in text and "- [anti_pattern] Never" in text
    house.hq.clock.advance(days=400)
    assert (await house.hq.do("memory.tend", agent="chief"))["active"] == 1


async def test_tending_again_changes_nothing(house, stage):
    await remember(house, stage, memory("A fact"), memory("Another"))
    await house.hq.do("memory.tend", agent="chief")
    before = (house.folder / "chief" / "MEMORY.md").read_text()

    again = await house.hq.do("memory.tend", agent="chief")

    assert (again["archived"], again["promoted"], again["active"]) == (0, 0, 2)
    assert (house.folder / "chief" / "MEMORY.md").read_text() == before


async def test_the_pool_is_kept_at_two_hundred_and_the_file_within_its_tokens(house, stage):
    await remember(house, stage, *(memory(f"Thing {n} {'x' * 60}", salience=n / 300) for n in range(220)))

    tended = await house.hq.do("memory.tend", agent="chief")

    assert (tended["archived"], tended["active"]) == (20, 200)
    text = (house.folder / "chief" / "MEMORY.md").read_text()
    assert "Thing 219" in text.splitlines()[4] and estimate(text) <= CAPS["MEMORY.md"]


async def test_a_line_written_by_hand_is_remembered_before_the_file_is_written_anew(house):
    (house.folder / "chief" / "MEMORY.md").write_text("# Memory\n\n- Ana prefers to be called in the morning\n")

    tended = await house.hq.do("memory.tend", agent="chief")

    assert tended["promoted"] == 1
    assert "- [fact] Ana prefers to be called in the morning" in (house.folder / "chief" / "MEMORY.md").read_text()
    assert (await house.hq.do("memory.tend", agent="chief"))["promoted"] == 0


async def test_it_is_done_on_sundays_once(house, stage):
    await remember(house, stage, memory("A fact"))
    await house.tend.run_once()
    house.hq.clock.set(datetime(2026, 2, 8, 3, 59, tzinfo=UTC))
    assert await house.tend.run_once() == 1  # the Sundays before were missed: once
    house.hq.clock.set(datetime(2026, 2, 8, 4, 0, tzinfo=UTC))
    await house.tend.run_once()

    rows = (await house.hq.do("action.list", verb="memory.tend"))["items"]
    assert len(rows) == 4  # two agents, twice
    duty = next(row for row in (await house.hq.do("duty.list"))["items"] if row["duty"] == "tend-memory")
    assert duty["last"] == "2026-02-08T04:00:00+00:00" and duty["did"] == "1 memories put away"
