"""`hq mission brief`: what an agent would be given, and with --explain why: every step with what it chose and left out."""

from __future__ import annotations

from typing import Any, TypedDict

from pydantic import Field

from hq.door.access import EVERYONE, at_home
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.json_types import Props
from hq.missions.briefs.steps import Assembled, Rules, Wishes, assemble
from hq.missions.parties import parties
from hq.org.agent import AgentRef


class BriefContentArgs(Args):
    """What goes into a brief beside what the mission says."""

    to: AgentRef | None = None
    """The agent; left out, the one that fits best."""
    note: str = Field("", max_length=10_000)
    """What the agent should know that the mission does not say."""
    quality: str | None = Field(None, max_length=2000)
    """What is good enough."""
    collaborators: list[str] = Field(default_factory=list, max_length=50)
    """Agents it may call on; * means all."""
    skills: list[str] = Field(default_factory=list, max_length=20)
    """Skills it needs, and has for as long as it works on this; where one is off, whoever decides is asked once."""
    delegation: Rules = "request_approval"
    """Whether it may delegate to them at will, asks each time, or builds its own team."""
    delegation_budget: int | None = Field(None, ge=0)
    """Tokens it may spend on helpers."""
    escalation_threshold: int | None = Field(None, ge=0)
    """Tokens above which a piece of delegated work needs a word first."""

    def wishes(self) -> Wishes:
        return Wishes(
            self.to,
            self.note,
            self.quality,
            self.collaborators,
            self.delegation,
            self.delegation_budget,
            self.escalation_threshold,
            self.skills,
        )


class MissionBriefArgs(BriefContentArgs):
    """Which brief."""

    ref: Ref = first()
    """Slug of the mission."""
    explain: bool = False
    """Show every step: who was considered, what was chosen and why, what the risk table asks."""


class BriefStep(TypedDict):
    """A step of assembling a brief, and what it found."""

    step: int
    does: str
    found: Any


class BriefShown(Result):
    mission: str
    agent: str | None = None
    """Who would get it; nobody means that somebody has to be hired."""
    why: str
    brief: Props = Field(default_factory=dict)
    prompt: str | None = None
    """What the agent would be told, word for word."""
    steps: AsJson[list[BriefStep] | None] = None


@verb(
    "mission.brief",
    "read",
    shows=("to",),
    for_=EVERYONE,
    touches=at_home(),
    past=False,
    target="ref",
    examples=[{"ref": "flight-tracker"}, {"ref": "flight-tracker", "explain": True}],
    text="hq.missions.brief_text:brief",
)
async def brief(tx: Tx, args: MissionBriefArgs) -> BriefShown:
    """Show what an agent would be given for a mission, and with --explain how every part of it was chosen."""
    who = await parties(tx, args.ref)
    made = await assemble(tx, who, args.wishes())
    return BriefShown(
        mission=who.mission.slug,
        agent=made.agent.slug if made.agent else None,
        why=made.why,
        brief=made.brief.model_dump(mode="json", exclude_none=True),
        prompt=made.prompt,
        steps=explained(made) if args.explain else None,
    )


def explained(made: Assembled) -> list[BriefStep]:
    """The eight steps, in their order."""
    found: list[tuple[str, Any]] = [
        ("identify the mission", made.needs),
        (
            "select the agent",
            {
                "chosen": made.agent.slug if made.agent else None,
                "why": made.why,
                "considered": [each.told() for each in made.considered],
            },
        ),
        ("search the company's memory", [each.told() for each in made.memories]),
        ("check the founder's preferences", [each.told() for each in made.preferences]),
        ("review prior missions", [each.told() for each in made.prior]),
        ("assemble the brief", made.brief.model_dump(mode="json", exclude_none=True)),
        ("ask the risk table", [each.told() for each in made.risks]),
        ("write the first message", made.prompt),
    ]
    return [{"step": n, "does": does, "found": what} for n, (does, what) in enumerate(found, 1)]


VERBS = (brief,)
