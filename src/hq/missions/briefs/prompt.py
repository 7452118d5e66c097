"""Step 8 of a brief: what the agent is told, word for word. Pinned by golden tests; a change here is a change of behaviour."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.missions.types import Brief, Mission
from hq.missions.work_start import workspace_of
from hq.money import money
from hq.org.agent import Agent
from hq.skills.types import Skill

RULES = (
    "Stay within your approved tools. `tools_request` asks for one you lack.",
    "Stay within budget. If you're approaching the limit, pause and report.",
    "If you encounter something unexpected, escalate before proceeding (escalation_raise).",
    "When done, hand in with mission_submit. The system checks every deliverable itself; nothing else closes a mission.",
)
ALONE = "Do NOT attempt to delegate. Work solo."
TOGETHER = (
    "You may delegate subtasks to approved collaborators (mission_delegate). You are responsible for the final "
    "deliverable."
)
ASKING = "You may ask for help (mission_delegate); each request waits for your commander's word."
ASKING_OTHERS = (
    "You may ask for help (mission_delegate): those you always work with begin at once, for others your commander's word is "
    "waited for."
)
OPENED = (
    "\nAn app is opened by what mission_submit's `start` says, a Procfile's `web:`, or app.py, main.py or server.py. It listens on HOST and\n"
    "PORT of its environment and keeps its data in DATA_DIR; a page is an index.html. Name no address of it in the outcome."
)
DOCUMENT = re.compile(r"file:(?!\S*readme)\S+\.(md|txt|csv|tsv|pdf|docx?|xlsx?|png|jpe?g)", re.IGNORECASE)
READS_WHOLE = (
    "\nYou read the files of {whole} there as well, as they were handed over; what you write is your own copy."
)
FIRST = (
    "Begin with mission_accept, or decline with a reason, or counter with other terms. Work of three or more steps "
    "starts with a stated plan (mission_plan). Keep what you learn with mission_note."
)


@dataclass(frozen=True)
class Addressee:
    """Who a prompt is for, and what is around it."""

    name: str
    role: str
    organisation: str
    ceo: str
    commander: str
    workspace: str | None = None
    whole: str | None = None
    """The mission that this one is a part of."""
    skills: Sequence[str] = ()
    """Of what was approved, the skills with their commands. Tools it is shown by themselves, under the names they are called by."""
    collaborators: Sequence[str] = ()


def render(brief: Brief, mission: str, to: Addressee, note: str = "") -> str:
    limits = brief.constraints
    priced = f" ({money(limits.cost_limit)})" if limits.cost_limit is not None else ""
    budget = f"max {limits.token_budget:,} tokens{priced}" if limits.token_budget is not None else _only(priced)
    deadline = limits.deadline.isoformat() if limits.deadline else "none specified"
    sections = [
        f"You are {to.name}, {_a(to.role)} at {to.organisation}.\n{_reports(to)}",
        f"MISSION BRIEF ({mission}):\n{brief.objective}",
        _part("CONTEXT", _lines(brief.context, brief.org_context, brief.prior_work)),
        _part("FOUNDER PREFERENCES", _lines(brief.founder_prefs)),
        "CONSTRAINTS:\n"
        + "\n".join(
            [
                f"- Budget: {budget}",
                f"- Deadline: {deadline}",
                f"- Quality bar: {limits.quality_notes or 'the deliverables, checked'}",
                *(f"- {each}" for each in limits.other),
            ]
        ),
        "DELIVERABLES:\n"
        + ("\n".join(f"- {each}" for each in brief.deliverables) or "- the outcome, accepted by a person"),
        _part("AVAILABLE SKILLS", "\n".join(to.skills)),
        _part("AVAILABLE COLLABORATORS", "\n".join(to.collaborators)),
        "RULES:\n" + "\n".join(f"{n}. {rule}" for n, rule in enumerate((*RULES, _delegating(brief)), 1)),
    ]
    if to.workspace:
        sections.insert(6, f"WORKSPACE:\n{to.workspace}; you have a working tree of your own there. What is in it when you hand "
                           "in is what is checked." + (READS_WHOLE.format(whole=to.whole) if to.whole else "")
                           + (OPENED if _may_be_app(brief) else ""))  # fmt: skip
    return "\n\n".join([*filter(None, sections), note or FIRST])


def _may_be_app(brief: Brief) -> bool:
    """Whether it may be something that runs; where all files that are to be brought are documents, it is not."""
    files = [each for each in brief.deliverables if each.startswith(("file:", "command:", "changed:", "url:"))]
    return not files or not all(map(DOCUMENT.fullmatch, files))


def _part(title: str, text: str) -> str:
    """What is empty is not told."""
    return f"{title}:\n{text}" if text else ""


def _reports(to: Addressee) -> str:
    by = f"{to.ceo}, the CEO" if to.commander == to.ceo else to.commander
    return f"This mission comes from {by}: your commander, to whom you report on it."


def _a(role: str) -> str:
    return f"{'an' if role[:1].lower() in 'aeiou' else 'a'} {role}"


def _only(priced: str) -> str:
    return f"max{priced.replace('(', '').replace(')', '')}" if priced else "none set"


def _delegating(brief: Brief) -> str:
    if brief.delegation_rules == "request_approval":
        return ASKING_OTHERS if brief.agents_approved else ASKING
    if not brief.agents_approved:
        return ALONE
    limit = brief.delegation_budget
    return TOGETHER if limit is None else f"{TOGETHER} They may use {limit:,} tokens in all."


def _lines(*texts: str | None) -> str:
    return "\n".join(text for text in texts if text)


async def prompt_of(
    tx: Tx, mission: Stored[Mission], brief: Stored[Brief], agent: Stored[Agent], note: str = ""
) -> str:
    """What it asks for is the mission's as it is now; with a note of why somebody goes on with what was begun."""
    constraints = brief.props.constraints.model_copy(update={"other": criteria_of(mission.props)})
    now = {
        "objective": objective_of(mission.props),
        "deliverables": mission.props.deliverables,
        "constraints": constraints,
    }
    props = brief.props.model_copy(update=now)
    return render(props, mission.slug, await addressee(tx, mission, props, agent), note)


def objective_of(mission: Mission) -> str:
    return f"{mission.title}\n{mission.description}" if mission.description else mission.title


def criteria_of(mission: Mission) -> list[str]:
    return [*mission.acceptance_criteria, *(point.line for point in mission.decided)]


async def addressee(tx: Tx, mission: Stored[Mission], brief: Brief, agent: Stored[Agent]) -> Addressee:
    ends = await tx.targets([mission.id], ["commanded_by", "parent_mission"])
    commander, whole = ends.get((mission.id, "commanded_by")), ends.get((mission.id, "parent_mission"))
    agents = await tx.find(NodeFilter(types=[Agent.type], limit=500))
    ceos = [each for each in agents if each.props.kind == "ceo" and not each.over]
    ceo = ceos[0].props.name if ceos else "the founder"
    giver = await tx.get(commander) if commander else None
    workspace = await workspace_of(tx, mission)
    company = await tx.the_scalar("select name from ops.tenants where id = ops.tenant()", of=str)
    return Addressee(
        name=agent.props.name,
        role=agent.props.role,
        organisation=company,
        ceo=ceo,
        commander=giver.title if giver else ceo,
        workspace=workspace.slug if workspace else None,
        whole=(await tx.get(whole)).slug if whole else None,
        skills=[
            told for name in dict.fromkeys((*brief.tools_approved, *brief.skills)) if (told := await _skill(tx, name))
        ],
        collaborators=await _collaborators(tx, brief),
    )


async def _skill(tx: Tx, name: str) -> str:
    skill = await tx.look_up(name)
    if skill is None or not isinstance(skill.props, Skill):
        return ""
    commands = "; ".join(f"{each.name} — {each.description}" for each in skill.props.commands)
    return f"- {skill.props.title}: {skill.props.description}" + (f"\n  Commands: {commands}" if commands else "")


async def _collaborators(tx: Tx, brief: Brief) -> list[str]:
    if "*" in brief.agents_approved:
        return ["- anybody who works here (agent_list)"]
    agents = [await tx.get(slug, Agent) for slug in brief.agents_approved]
    return [
        f"- {each.props.name} ({each.props.role}): {each.props.description or 'ask what it can do'}\n"
        f"  To request their help: mission_delegate, to {each.slug}."
        for each in agents
    ]
