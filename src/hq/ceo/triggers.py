"""Triggers: what the CEO notices by itself (004, trigger types). One declaration each: when, the events it is about, whether
it comes again, the facts and the rule. Its query, which finds the occurrences, is in triggers.sql under the same name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic

from hq.asks.ask import Ask
from hq.asks.types import ASKS, Approval
from hq.ceo import ask_rules, rules
from hq.ceo.actions import Action
from hq.ceo.facts import (
    AskFacts,
    AwayMindFacts,
    BacklogFacts,
    BudgetFacts,
    DecidedFacts,
    F,
    Facts,
    FounderFacts,
    JobFacts,
    LeftMissionFacts,
    MessageFacts,
    MissionFacts,
    OverloadFacts,
    ScheduleFacts,
    SkillFacts,
)
from hq.ceo.occurrence import Seen

DAY, WEEK = timedelta(days=1), timedelta(weeks=1)


@dataclass(frozen=True, kw_only=True)
class Trigger(Generic[F]):
    name: str
    when: str
    """What is so when the CEO notices it."""
    does: str
    """What the rule does about it."""
    facts: type[F]
    """What its query tells of an occurrence."""
    rule: Callable[[Seen[F]], Sequence[Action]]
    """Gets all occurrences at once, so that many things become one message."""
    topics: tuple[str, ...] = ()
    """Events it is about: its query has those that nobody heard yet, as `heard`."""
    again: timedelta | None = None
    """After how long the same is noticed once more, if it still is so."""
    most: int | None = None
    """How often at most, where it comes again."""
    weighed: bool = False
    """Whether there is something to weigh, for a mind; otherwise the rule is as good as any thought, and free."""


def stale_topics(asks: Iterable[type[Ask]]) -> tuple[str, ...]:
    """Events that one of these has waited long: whoever is asked was reminded, or told that it is urgent."""
    return tuple(f"{ask.type}.{became}" for ask in asks for became in ("nudged", "escalated"))


def decide(seen: Seen[Any]) -> Sequence[Action]:
    """The actions for all of it by the rules, one trigger after the other, in the order in which they were noticed."""
    triggers = dict.fromkeys(each.trigger for each in seen)
    return [
        action
        for name in triggers
        for action in BY_NAME[name].rule([each for each in seen if each.trigger == name])
    ]  # fmt: skip


TRIGGERS: tuple[Trigger[Any], ...] = (
    Trigger(
        name="founder_message",
        when="nobody took your message up for two minutes, or the answer broke off",
        does="says so",
        facts=MessageFacts,
        rule=rules.founder_message,
    ),
    Trigger(
        name="task_done",
        when="a mission was handed in, is done, or has failed (not its parts)",
        does="reports with cost and evidence",
        topics=("mission.done", "mission.failed", "mission.submitted"),
        facts=MissionFacts,
        rule=rules.task_done,  # whoever gave it out is woken by the same event: a second mind would only say it again
    ),
    Trigger(
        name="approval_waiting",
        when="somebody has waited ten minutes for your yes, or stands at the limit of a mission or a run",
        does="asks for your attention",
        facts=AskFacts,
        rule=ask_rules.waits,
    ),
    Trigger(
        name="approval_resolved",
        when="you decided, or nobody did for three days",
        does="nothing; says so where the call then failed, or has run out",
        topics=("approval.done", "approval.failed", "approval.rejected", "approval.expired"),
        facts=AskFacts,
        rule=ask_rules.resolved,
    ),
    Trigger(
        name="backlog",
        when="a mission has lain in the backlog for ten minutes and somebody is idle, or its agent gave it back, or its deadline "
        "passed: then at once (an agent that gave it out has ten minutes first), six times in all, and six times once it is overdue",
        does="gives it out, never to who gave it back, and says so; says where nobody can do it, with the reason",
        again=DAY,
        most=3,
        facts=BacklogFacts,
        rule=rules.backlog,
        weighed=True,
    ),
    Trigger(
        name="overload",
        when="no agents, or more than 80 % of them busy and three missions waiting",
        does="proposes a hire; once a week, and at once where the staff has changed or twice as much waits",
        again=WEEK,
        facts=OverloadFacts,
        rule=rules.overload,
        weighed=True,
    ),
    Trigger(
        name="missing_skill",
        when="a mission names a skill that is off, was never enabled, or that its agent does not have",
        does="asks for it: one yes enables it, and gives it to who has the mission",
        again=WEEK,
        facts=SkillFacts,
        rule=rules.missing_skill,
        weighed=True,
    ),
    Trigger(
        name="budget",
        when="a soft or a hard limit is reached, once per limit and period",
        does="warns, with ways out",
        topics=("budget.warned", "budget.exceeded"),
        facts=BudgetFacts,
        rule=rules.budget,
    ),
    Trigger(
        name="approval_stale",
        when="an approval has waited 4 and 24 hours; 48, when it is urgent",
        does="reminds you",
        topics=stale_topics([Approval]),
        facts=AskFacts,
        rule=ask_rules.waits,
    ),
    Trigger(
        name="silence",
        when="nothing happened for a day and nothing waits; once, until something has happened",
        does="checks in",
        facts=Facts,
        rule=rules.silence,
    ),
    Trigger(
        name="schedule_done",
        when="what was [scheduled](../how-to/schedules.md) came back",
        does="tells you, as its schedule says",
        topics=("session.closed", "schedule.failed"),
        facts=ScheduleFacts,
        rule=rules.schedule_done,
    ),
    Trigger(
        name="job_failed",
        when="a [job](../how-to/jobs.md) begins to fail; once, until it has worked in between",
        does="says which and why",
        topics=("job.failed",),
        facts=JobFacts,
        rule=rules.job_failed,
    ),
    Trigger(
        name="mind_away",
        when="a model has not answered for two minutes, or is out of quota, and somebody waits for it; once, until it has answered",
        does="says who waits and until when, with ways on: try now, or let another answer",
        facts=AwayMindFacts,
        rule=rules.mind_away,
    ),
    Trigger(
        name="mission_left",
        when="an agent ended without handing its mission in, and nothing else goes on for it",
        does="says what is missing, with ways on",
        topics=("session.closed",),
        facts=LeftMissionFacts,
        rule=rules.mission_left,
    ),
    Trigger(
        name="founder_asked",
        when="a question went up past everybody; or in a mission that you gave, its agent asks for other terms, a yes to its "
        "plan, or help",
        does="puts [the ask](../how-to/asks.md) before you, with its answers as buttons; `ask_stale` reminds",
        facts=FounderFacts,
        rule=ask_rules.founder_asked,
    ),
    Trigger(
        name="decided_alone",
        when="what an agent asked was answered by the CEO, or by another above it, as your risk tolerance allows; or what it does about a late "
        "mission or one that fails again and again",
        does="tells you what and by what, with the other answers as buttons",
        topics=("escalation.resolved", "question.answered"),
        facts=DecidedFacts,
        rule=ask_rules.decided_alone,
    ),
    Trigger(
        name="ask_stale",
        when="an ask that is no approval has waited 4 and 24 hours; 48, when it is urgent",
        does="reminds you",
        topics=stale_topics(ask for ask in ASKS if ask is not Approval),
        facts=AskFacts,
        rule=ask_rules.ask_stale,
    ),
    Trigger(
        name="founder_written",
        when="an agent wrote to you, and nobody read it",
        does="says so",
        again=DAY,
        most=3,
        facts=FounderFacts,
        rule=ask_rules.founder_written,
    ),
)
BY_NAME = {trigger.name: trigger for trigger in TRIGGERS}
