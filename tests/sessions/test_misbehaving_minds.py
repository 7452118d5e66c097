"""Many sessions whose minds err, hang, talk nonsense, loop, run into quotas or spend too much: each ends as it must."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from hq.minds.mind import MindBusy, MindDown, MindRefused, MindRequest
from hq.sessions import mind_call
from tests.support.paying import Payroll, Priced, route, rows
from tests.support.play import Told

DONE = '<task-complete reason="done"/>'
LOOK = ("hq_task", {"action": "list"})
KINDS = ("good", "down", "refused", "hangs", "garbage", "silent", "unknown tool", "loops", "quota", "spends")


class Hanging:
    name = "hanging"

    async def answer(self, ask: MindRequest, *, on_text: Any = None) -> Any:
        await asyncio.Event().wait()


class Ward:
    """Each session gets the mind that its message names."""

    name = "ward"

    def __init__(self, clock: Any) -> None:
        self.minds = {
            "good": Told([LOOK, DONE]),
            "down": Told([MindDown("no answer")]),
            "refused": Told([MindRefused("unknown model")]),
            "hangs": Hanging(),
            "garbage": Told(["\u0000}{ <tool> \ud800 nonsense", "]]]]"]),
            "silent": Told([[]]),
            "unknown tool": Told([(f"hq_no_such_{n}", {"action": str(n)}) for n in range(9)]),
            "loops": Told([LOOK]),
            "quota": Told([MindBusy("quota", clock.now() + timedelta(hours=1))]),
            "spends": Told([("hq_task", {"action": "list", "limit": n + 1}) for n in range(20)]),
        }

    async def answer(self, ask: MindRequest, *, on_text: Any = None) -> Any:
        told = str(ask.messages[0])
        kind = next(kind for kind in KINDS if f"please be {kind}." in told)
        return await Priced(self.minds[kind], Decimal("0.08") if kind == "spends" else Decimal("0.001")).answer(ask)


@pytest.mark.parametrize("each", [pytest.param(3, marks=pytest.mark.slow), pytest.param(10, marks=pytest.mark.long)])
async def test_each_ends_in_the_right_state(own_hq, clock, monkeypatch, each):
    monkeypatch.setattr(mind_call, "PATIENCE", 0.05)
    pay, hq = Payroll(own_hq), own_hq
    await hq.do("agent.create", name="scout", role="Scout")
    await hq.do("agent.create", name="spender", role="Spender", daily_usd_hard=5, tokens_per_run_cap=1_500)
    sent = {}
    for number in range(each * len(KINDS)):
        kind = KINDS[number % len(KINDS)]
        sent[await pay.send("spender" if kind == "spends" else "scout", f"please be {kind}.")] = kind
    runner = pay.runner(Ward(clock))

    for _ in range(60):
        while await runner.run_once():
            pass
        if not await rows(hq, "select 1 from ops.sessions where state in ('queued', 'running') limit 1"):
            clock.advance(seconds=30)
            await route(hq)

    seen = Counter((kind, pay.ended[session].state, pay.ended[session].exit_code) for session, kind in sent.items())
    assert seen == {
        ("good", "done", 0): each,
        ("down", "failed", 2): each,
        ("refused", "failed", 2): each,
        ("hangs", "failed", 2): each,
        ("garbage", "failed", 2): each,
        ("silent", "failed", 2): each,
        ("unknown tool", "failed", 2): each,
        ("loops", "failed", 2): each,
        ("quota", "waiting", 0): each,
        ("spends", "waiting", 0): each,
    }
    incidents = Counter(
        row[0] for row in await rows(hq, "select props ->> 'kind' from graph.nodes where type = 'agent_incident'")
    )
    assert incidents == {"error_rate": 4 * each, "stop_integrity": each, "loop": 2 * each}
    assert await rows(hq, "select 1 from ops.llm_reservations") == []
    ((spent, reserved),) = await rows(hq, "select total_usd, reserved_usd from ops.meters where scope = 'tenant'")
    assert reserved == 0 and spent == (await rows(hq, "select sum(cost_usd) from ops.llm_call_log"))[0][0]
