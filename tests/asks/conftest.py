"""One ask of each kind, made the way it comes to be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.company import Hq
from tests.support.company_of_everything import firm, firm_template
from tests.support.play import play, stage

__all__ = ["firm", "firm_template", "play", "stage"]


@dataclass(frozen=True)
class Made:
    """An ask that waits for the founder, and how it is answered."""

    slug: str
    type: str
    answer: dict[str, Any]
    counts: str
    """What the answer is told as."""
    asker: str | None = None
    """The token of who asked."""


async def slug_of(hq: Hq, kind: str) -> str:
    (item,) = (await hq.do("ask.list", kind=kind))["items"]
    return item["slug"]


async def approval(hq: Hq) -> Made:
    token = await hq.agent("operator")
    for name in ("Acme", "Acme Inc"):
        await hq.do("entity.create", name=name)
    waits = await hq.call("entity.merge", loser="acme-inc", into="acme", _token=token)
    return Made(waits.data["approval"], "approval", {"option": "yes"}, "yes", token)


async def org_change(hq: Hq) -> Made:
    await hq.do("org.create", template="software-team")
    waits = await hq.call("role.create", name="cook", _token=(token := await hq.agent("operator")))
    return Made(waits.data["approval"], "approval", {"option": "yes"}, "yes", token)


async def proposal(hq: Hq) -> Made:
    change = {"verb": "memo.create", "args": {"title": "M", "content_md": "x"}}
    made = await hq.do("proposal.propose", kind="tweak", change=change)
    return Made(made["slug"], "proposal", {"option": "yes"}, "yes")


async def review(hq: Hq) -> Made:
    options = [{"key": "a", "label": "The Weekly"}, {"key": "b", "label": "Field Notes"}]
    made = await hq.do("review.create", question_text="Which name?", options=options)
    return Made(made["slug"], "review", {"option": "b"}, "b")


async def mission(hq: Hq, **more: Any) -> tuple[str, str]:
    """A mission of the founder's, and the token of who does it."""
    scout = await hq.hired("scout")
    slug = (await hq.do("mission.create", title="Research the market", **more))["slug"]
    await hq.do("mission.assign", ref=slug, to="scout")
    return slug, scout


async def escalation(hq: Hq) -> Made:
    chief = await hq.hired("chief") if not await _known(hq, "chief") else await hq.agent("chief")
    await hq.do("mission.create", title="Lead")
    await hq.do("mission.assign", ref="lead", to="chief")
    asked = await hq.call(
        "escalation.raise", summary="Which one?", mission="lead", options=["Red", "Blue"], _token=chief
    )
    return Made(asked.data["slug"], "escalation", {"option": "blue"}, "blue", chief)


async def _known(hq: Hq, slug: str) -> bool:
    return (await hq.call("agent.show", ref=slug)).ok


async def question(hq: Hq) -> Made:
    token = await hq.agent("operator")
    await hq.call("agent.ask", agent="founder", text="Blue or green?", _token=token)
    return Made(await slug_of(hq, "message"), "question", {"text": "Green."}, "Green.", token)


async def plan(hq: Hq) -> Made:
    await hq.do("tenant.set", risk_tolerance="cautious")
    slug, scout = await mission(hq, deliverables=["file:a.md", "file:b.md", "file:c.md"])
    await hq.do("mission.accept", ref=slug, _token=scout)
    await hq.call("mission.plan", ref=slug, steps=["Look", "Compare", "Write"], _token=scout)
    return Made(await slug_of(hq, "plan"), "proposal", {"option": "yes"}, "yes", scout)


async def terms(hq: Hq) -> Made:
    slug, scout = await mission(hq)
    await hq.call("mission.counter", ref=slug, note="It takes longer.", token_budget=5000, _token=scout)
    return Made(await slug_of(hq, "terms"), "proposal", {"option": "yes"}, "yes", scout)


async def delegation(hq: Hq) -> Made:
    slug, scout = await mission(hq)
    await hq.do("agent.create", name="atlas", role="Researcher")
    await hq.do("mission.accept", ref=slug, _token=scout)
    help_ = {"ref": slug, "title": "Research the bakeries", "to": "atlas", "reason": "There are many."}
    await hq.call("mission.delegate", **help_, _token=scout)
    return Made(await slug_of(hq, "delegation"), "proposal", {"option": "yes"}, "yes", scout)


async def card(hq: Hq) -> Made:
    buttons = [
        {"key": "hire", "label": "Hire", "verb": "agent.create", "args": {"name": "quill", "role": "Writer"}},
        {"key": "no", "label": "Not now"},
    ]
    await hq.do("card.send", kind="hire", title="I would hire a writer", buttons=buttons)
    return Made(await slug_of(hq, "card"), "question", {"option": "hire"}, "hire")


KINDS: dict[str, Callable[[Hq], Awaitable[Made]]] = {
    "approval": approval,
    "org_change": org_change,
    "proposal": proposal,
    "review": review,
    "escalation": escalation,
    "question": question,
    "plan": plan,
    "terms": terms,
    "delegation": delegation,
    "card": card,
}


@pytest.fixture(params=list(KINDS))
async def made(hq: Hq, request: pytest.FixtureRequest) -> Made:
    await hq.do("agent.load")
    return await KINDS[request.param](hq)
