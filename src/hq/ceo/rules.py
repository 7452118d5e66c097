"""Rules for what the CEO noticed, where nobody has to think about it, or nobody can: the same every time.

A trigger has one rule. It gets all occurrences of that trigger at once, so that many things become one message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import JsonValue

from hq.asks.quotation import quoted
from hq.ceo.actions import Action, AssignAction, SendCard
from hq.ceo.ask_rules import APPROVALS, NOTED
from hq.ceo.card_parts import Button, CardFact
from hq.ceo.facts import (
    AwayMindFacts,
    BacklogFacts,
    BudgetFacts,
    Facts,
    JobFacts,
    LeftMissionFacts,
    MessageFacts,
    MissionFacts,
    OverloadFacts,
    ScheduleFacts,
    SkillFacts,
)
from hq.ceo.occurrence import Seen
from hq.ceo.quiet_hours import Severity
from hq.door.outcome import Outcome
from hq.json_types import CallArgs
from hq.missions.life import OPEN
from hq.money import spent_text

NAMES = ("scout", "forge", "quill", "atlas", "ember", "north", "sage", "wren")
SEVERITY = re.compile(r"^\s*severity:\s*(info|warning|critical)\b", re.I | re.M)
URGENCY = ("critical", "high", "medium", "low")
GO_ON = "Please go on where you stopped."


def founder_message(seen: Seen[MessageFacts]) -> Sequence[Action]:
    why = seen[-1].facts.why or "no reason given"
    return [
        SendCard(
            kind="alert",
            severity="warning",
            title="I could not answer you",
            text=f"Your message lies here and nobody is working on it: {why}.",
            buttons=[Button(key="go_on", label="Go on", verb="chat.say", args={"text": GO_ON}, main=True), NOTED],
        )
    ]


def task_done(seen: Seen[MissionFacts]) -> Sequence[Action]:
    return [_report(each.facts, each.severity) for each in seen]


def _report(facts: MissionFacts, severity: Severity) -> SendCard:
    title, status = _as_name(facts.title), facts.status
    again: dict[str, JsonValue] = {"ref": facts.mission}
    match status:
        case "review":
            whose = f"for {facts.signs}'s sign-off, or yours" if facts.signs else "for your word"
            says, buttons = f"{title} is done, and waits {whose}", [
                Button(key="accept", label="Accept", verb="mission.sign_off", args=again, main=True),
                Button(key="redo", label="Redo", verb="chat.say", args={"text": f"Have {facts.mission} done again."}),
            ]  # fmt: skip
        case "failed" if facts.called_off:
            says, buttons = f"{title} was called off", [NOTED]
        case "failed":
            says, buttons = f"{title} has failed", [
                Button(key="again", label="Try again", verb="mission.assign", args=again, main=True),
                NOTED,
            ]  # fmt: skip
        case _:
            says, buttons = f"{title} is done", [NOTED]
    told = facts.why if status == "failed" else facts.outcome
    return SendCard(
        kind="report",
        severity=severity,
        title=says,
        text=told or "",
        facts=_numbers(facts),
        buttons=buttons,
        about=facts.mission,
        open_while=[status],
    )


def _as_name(title: str) -> str:
    """A title that ends like a sentence does not run into what is said of it."""
    return f"“{title}”" if title[-1:] in ".…!?" else title


def _numbers(facts: MissionFacts) -> list[CardFact]:
    found = [CardFact(name="by", value=facts.agent)] if facts.agent else []
    if facts.signed:
        found.append(CardFact(name="signed off by", value=facts.signed.partition(":")[2] or facts.signed))
    elif facts.status == "done" and facts.evidence:
        found.append(CardFact(name="checked by", value="the house"))
    cost = spent_text(
        facts.cost_usd, facts.tokens, cached=facts.cached, unpriced=facts.unpriced, estimated=facts.estimated
    )
    found.append(CardFact(name="cost", value=cost))
    if facts.parts:
        found.append(CardFact(name="parts", value=str(facts.parts)))
    for each in facts.evidence[:10]:
        seen = f" ({each['seen']})" if each.get("seen") else ""
        found.append(CardFact(name=each["deliverable"][:60], value=f"{each['status']}{seen}"[:1000]))
    return [*found, CardFact(name="files", value=facts.files[:1000])] if facts.files else found


def backlog(seen: Seen[BacklogFacts]) -> Sequence[Action]:
    """What is overdue first, then the most urgent: whoever fits best is still free then."""
    urgent = sorted(seen, key=lambda each: (not each.facts.overdue, URGENCY.index(each.facts.priority or "medium")))
    return [AssignAction(mission=each.facts.mission) for each in urgent]


def given_out(given: Sequence[Outcome]) -> SendCard:
    """The first of the four patterns of 004: I have ideas, I am going to work on them."""
    many = "a mission" if len(given) == 1 else f"{len(given)} missions"
    return SendCard(
        kind="mission",
        title=f"I went through the backlog and gave out {many}",
        text="Work has begun; I may come back for approvals.",
        facts=[
            CardFact(name=each.data["slug"][:60], value=f"{each.data['agent']}: {each.data['why']}"[:1000])
            for each in given[:20]
        ],
        buttons=[NOTED],
    )


def could_not_give_out(left: Sequence[tuple[str, str]]) -> SendCard:
    """Somebody is idle, and still nobody can do it."""
    missions = ", ".join(mission for mission, _ in left[:3])
    talk: dict[str, JsonValue] = {"text": f"Whom should we hire for {missions}?"}
    return SendCard(
        kind="hire",
        title=f"I could not give out {missions}",
        facts=[CardFact(name=mission[:60], value=why[:1000] or "-") for mission, why in left[:20]],
        buttons=[Button(key="talk", label="Talk about hiring", verb="chat.say", args=talk, main=True), NOTED],
    )


def overload(seen: Seen[OverloadFacts]) -> Sequence[Action]:
    facts = seen[-1].facts
    taken = facts.taken or []
    name = next((name for name in NAMES if name not in taken), f"helper-{len(taken) + 1}")
    why = (
        f"all {facts.agents} agents are busy and {facts.backlog} missions wait"
        if facts.agents
        else f"{facts.backlog} missions wait and nobody is there to do them"
    )
    hire: dict[str, JsonValue] = {
        "name": name,
        "role": "Generalist",
        "about": "Takes on what nobody else has time for.",
    }
    return [
        SendCard(
            kind="hire",
            title=f"I would hire somebody: {why}",
            facts=[
                CardFact(name="name", value=name),
                CardFact(name="role", value="Generalist"),
                CardFact(name="waiting", value="; ".join(facts.titles or [])[:1000] or "-"),
            ],
            buttons=[
                Button(key="approve", label="Hire", verb="agent.hire", args=hire, main=True),
                Button(key="modify", label="Change it", verb="chat.say", args={"text": "Let us talk about whom to hire."}),
                Button(key="decline", label="Not now"),
            ],
        )
    ]  # fmt: skip


def missing_skill(seen: Seen[SkillFacts]) -> Sequence[Action]:
    return [
        SendCard(
            kind="skill",
            title=f"{each.facts.for_} would need the skill {each.facts.title}, {_lacking(each.facts)}",
            text=each.facts.says or "",
            buttons=[
                _enabling(each.facts),
                Button(key="later", label="Later"),
            ],
            about=each.facts.skill if each.facts.state == "disabled" else None,
            open_while=["disabled"] if each.facts.state == "disabled" else None,
        )
        for each in seen
    ]  # fmt: skip


def _lacking(facts: SkillFacts) -> str:
    return f"which {facts.agent} does not have" if facts.state == "enabled" else "which is off"


def _enabling(facts: SkillFacts) -> Button:
    """One yes is enough: who has the mission may use it from then on, and goes on with it."""
    if facts.agent is None:
        return Button(key="enable", label="Enable", verb="skill.enable", args={"skill": facts.skill}, main=True)
    given: CallArgs = {"skill": facts.skill, "agent": facts.agent}
    label = f"Give it to {facts.agent}" if facts.state == "enabled" else f"Enable, for {facts.agent}"
    return Button(key="enable", label=label, verb="skill.grant", args=given, main=True)


def budget(seen: Seen[BudgetFacts]) -> Sequence[Action]:
    return [_stopped(each.facts) if each.facts.reached else _nearly(each.facts) for each in seen]


def _nearly(facts: BudgetFacts) -> SendCard:
    on, hard = facts.on, facts.hard
    working = facts.working or []
    buttons = [Button(key="continue", label="Continue", main=True)]
    mission = on if facts.period == "total" else None
    pause = on if on != "company" else working[0] if len(working) == 1 else None
    if mission:
        halt: CallArgs = {"ref": mission, "why": "It came near its limit, and the founder paused it."}
        buttons.append(Button(key="pause", label=f"Pause {mission}", verb="mission.pause", args=halt))
    elif pause:
        buttons.append(Button(key="pause", label=f"Pause {pause}", verb="agent.pause", args={"agent": pause}))
    if hard:
        more = {"on": on, "period": facts.period, facts.measure: round(hard * 1.5) if hard >= 10 else hard * 1.5}
        buttons.append(Button(key="increase", label="Increase by half", verb="budget.raise", args=more))
    return SendCard(
        kind="budget",
        severity="warning",
        title=f"Heads up: {facts.says}",
        facts=[CardFact(name="at work", value=", ".join(working) or "nobody")],
        buttons=buttons,
        about=mission,
        open_while=list(OPEN) if mission else None,
    )


def _stopped(facts: BudgetFacts) -> SendCard:
    go_on = (
        [Button(key="go_on", label="Raise it and go on", verb="budget.raise", args=facts.raise_to, main=True)]
        if (facts.raise_to)
        else [APPROVALS]
    )
    return SendCard(
        kind="alert",
        severity="critical",
        title=f"{facts.on} has used up its budget for this {facts.period}",
        text="Work there stands still until the limit is raised, or the period is over.",
        buttons=[*go_on, NOTED],
    )


def silence(seen: Seen[Facts]) -> Sequence[Action]:
    return [
        SendCard(
            kind="attention",
            title="It has been quiet for a day. Shall we plan what comes next?",
            buttons=[
                Button(key="next", label="What comes next?", verb="chat.say", args={"text": "What should we do next?"}),
                Button(key="fine", label="All is well"),
            ],
        )
    ]


def schedule_done(seen: Seen[ScheduleFacts]) -> Sequence[Action]:
    return [card for each in seen if (card := _came_back(each.facts))]


def _came_back(facts: ScheduleFacts) -> SendCard | None:
    """What a scheduled run brought, where its schedule wants it told."""
    text = facts.text or ""
    severity = severity_of(text, failed=facts.state == "failed")
    wanted = {"always": True, "warnings": severity != "info"}.get(facts.notify or "warnings", False)
    if not wanted:
        return None
    ended = facts.why if facts.state == "failed" else None
    return SendCard(
        kind="alert" if severity != "info" else "report",
        severity=severity,
        title=facts.schedule
        if not ended and severity == "info"
        else f"{facts.schedule}: {'failed' if ended else severity}",
        text=ended or SEVERITY.sub("", text).strip()[:8000],
        facts=[CardFact(name="by", value=facts.agent)],
        buttons=[NOTED],
    )


def mind_away(seen: Seen[AwayMindFacts]) -> Sequence[Action]:
    """However many providers there are: what waits, waits for any of them."""
    facts = seen[-1].facts
    stand_in = [
        Button(key=f"use-{n}", label=f"Let {name} answer", verb="mind.stand_in", args={"name": name})
        for n, name in enumerate(facts.others[:2], 1)
    ]
    if not facts.scripted:
        stand_in.append(Button(key="script", label="Let the script answer", verb="mind.stand_in"))
    return [
        SendCard(
            kind="alert",
            severity="warning",
            title="No model answers just now, and work waits for it",
            text=f"{facts.why}. Nothing is lost: it is tried again and again, and goes on by itself. Whoever stands in answers only until then; `hq mind set` names another model.",
            facts=[
                CardFact(name="waiting", value=", ".join(facts.waiting) or "-"),
                CardFact(name="since", value=f"{facts.since} UTC"),
            ],
            buttons=[Button(key="retry", label="Try again now", verb="mind.retry", main=True), *stand_in, NOTED],
        )
    ]


def job_failed(seen: Seen[JobFacts]) -> Sequence[Action]:
    return [
        SendCard(
            kind="alert",
            severity="warning",
            title=f"{each.facts.job} does not work: what runs by itself failed",
            text=f"{each.facts.error or 'It failed.'} It is tried again; `hq job show {each.facts.job}` has its runs.",
            buttons=[NOTED],
        )
        for each in seen
    ]


def severity_of(text: str, *, failed: bool) -> Severity:
    """As the run itself says it, on a line of its own; one that failed is at least a warning."""
    said = SEVERITY.search(text)
    found = said.group(1).lower() if said else "info"
    if found == "critical":
        return "critical"
    return "warning" if failed or found == "warning" else "info"


def mission_left(seen: Seen[LeftMissionFacts]) -> Sequence[Action]:
    """Whoever stops without handing in has not finished, whatever was said last."""
    return [_left(each.facts) for each in seen]


def _left(facts: LeftMissionFacts) -> SendCard:
    mission, agent = facts.mission, facts.agent
    why = f" It says there: {quoted(facts.why, 1500)}" if facts.why else ""
    go_on = f"Go on with {mission}: it is not handed in.{why}"
    return SendCard(
        kind="mission",
        severity="warning",
        title=f"{agent} stopped, and {facts.title} is not done",
        text=facts.why
        or f"Nothing was handed in.{f' It ended with: {quoted(facts.ended, 600)}' if facts.ended else ''}",
        facts=[
            CardFact(name="stopped", value=(facts.ended or "no reason given")[:1000]),
            *([CardFact(name="parts", value=facts.progress)] if facts.progress else []),
            *(CardFact(name=each["deliverable"][:60], value=str(each["status"])[:1000]) for each in facts.evidence[:5]),
        ],
        buttons=[
            Button(
                key="go_on",
                label="Go on",
                verb="mission.resume",
                args={"ref": mission, "note": go_on[:2000]},
                main=True,
            ),
            Button(
                key="fail", label="Give it up", verb="mission.fail", args={"ref": mission, "why": "It was left lying."}
            ),
            Button(key="later", label="Later"),
        ],
        about=mission,
        open_while=[facts.status],
    )
