"""Triggers of an escalation: an agent says it is stuck or unsure, a deadline passes, or the evidence fails three
times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hq.asks.types import Escalation, Option
from hq.door.tx import Tx
from hq.door.verb import Gate
from hq.graph.records import Stored
from hq.graph.slugs import slugify
from hq.graph.store import NewLink
from hq.graph.view import NodeFilter
from hq.memory.discretion import founder_decides
from hq.minds.prompt_data import marked, one_line, quoted
from hq.missions.escalation.route import EscalationStop, next_above
from hq.missions.notice import tell
from hq.missions.parties import Parties
from hq.missions.types import Mission
from hq.org.agent import Agent

SOURCE = "escalation"
FAILURES = 3
ASKED = ("self_report", "low_confidence")
"""What an agent asks; the rest the house raises, and it decides nothing for the founder."""
EscalationTrigger = Literal["self_report", "deadline", "repeated_failure", "low_confidence"]


async def raise_escalation(
    tx: Tx,
    agent: Stored[Agent],
    mission: Stored[Mission] | None,
    trigger: EscalationTrigger,
    summary: str,
    context: str | None = None,
    *,
    options: Sequence[str] = (),
    risk: Gate = "internal",
    once: str | None = None,
) -> Stored[Escalation] | None:
    """Lay something before who stands above; what by the risk table nobody but the founder decides, before the founder. What
    the house finds is raised once for each `once`."""
    if once and await tx.find(NodeFilter(types=[Escalation.type], external=(SOURCE, once), archived=True, limit=1)):
        return None
    asks = trigger in ASKED and founder_decides(tx, risk, tx.taint)
    stop = EscalationStop(await tx.founder(), ()) if asks else await next_above(tx, agent)
    links = [NewLink("requested_by", agent)]
    if mission is not None:
        links.append(NewLink("for_mission", mission))
    if stop.to is not None:
        links.append(NewLink("addressed_to", stop.to))
    made = await tx.create(
        Escalation(
            summary=summary[:500],
            trigger=trigger,
            context_md=context,
            risk=risk,
            hops=len(stop.passed),
            options=[Option(key=slugify(label)[:60], label=label) for label in dict.fromkeys(options)],
        ),
        links=links,
        external=(SOURCE, once) if once else None,
    )
    tx.emit("escalation.raised", id=str(made.id), slug=made.slug, trigger=trigger, to=stop.to.slug if stop.to else None)
    if mission is not None and stop.agent is not None:
        await tell(tx, stop.agent.id, made, news(agent, made), asked(tx, agent, made, mission), mission.id)
    elif stop.agent is not None:
        await tell(tx, stop.agent.id, made, news(agent, made), asked(tx, agent, made, None), made.id)
    return made


def news(agent: Stored[Agent], escalation: Stored[Escalation]) -> str:
    """In a line. What the house found nobody said."""
    props = escalation.props
    return props.summary if props.trigger not in ASKED else f"{agent.slug} escalates: {props.summary}"


def asked(tx: Tx, agent: Stored[Agent], escalation: Stored[Escalation], mission: Stored[Mission] | None) -> str:
    """What whoever is asked gets to read."""
    props = escalation.props
    found = props.trigger not in ASKED
    who = "The house noticed" if found else f"{agent.slug} cannot resolve this alone"
    lines = [f"{who} ({props.trigger.replace('_', ' ')}): {one_line(props.summary)}"]
    if mission is not None:
        lines.append(f"{agent.slug if found else 'It'} works on {mission.slug}: {one_line(mission.props.title)}")
    if props.context_md:
        lines.append(marked(props.context_md))
    if props.options:
        lines.append("It could be: " + ", or ".join(quoted(option.label) for option in props.options))
    lines.append(
        f"Answer with escalation_resolve, {escalation.slug}{_going_by(tx, escalation)}; what you cannot answer either, pass on with "
        "escalation_pass_on."
    )
    return "\n".join(lines)


def _going_by(tx: Tx, escalation: Stored[Escalation]) -> str:
    """What whoever answers has to go by, and that the founder hears of it."""
    props = escalation.props
    if props.trigger not in ASKED:
        return ""
    if founder_decides(tx, props.risk, escalation.taint, known=False):
        return ", where something remembered decides it: name that with because (memory_search); the founder is told"
    return ", and name with because what remembered you go by, if anything; the founder is told"


async def after_failures(tx: Tx, who: Parties, mission: Stored[Mission]) -> None:
    """The third time that evidence is missing, and every third time after."""
    failed = mission.props.failed_checks
    if failed % FAILURES or who.assignee is None:
        return
    agent = await tx.get(who.assignee, Agent)
    summary = f"{mission.slug} was handed in {failed} times without its evidence"
    once = f"failures:{mission.id}:{failed}"
    await raise_escalation(tx, agent, mission, "repeated_failure", summary, mission.props.status_reason, once=once)
