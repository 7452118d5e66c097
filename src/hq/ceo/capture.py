"""Capture of settings, skills and hires as memories: what the founder decided by doing it, the CEO knows without being
told.

It follows the ledger behind the announcer, so each call counts once, also after a downtime, and no model is asked. What is remembered
is what holds now; so a call that is taken back is followed like any other. How it came about is in the ledger.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hq.ceo.rows import CapturableCallRow, CompanySettingsRow
from hq.database.queries import beside
from hq.door.access import HOUSE
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.graph.records import Stored
from hq.graph.types import Node
from hq.graph.view import EdgeFilter, NodeFilter
from hq.guard.budgets import amount
from hq.guard.stops import FIELDS
from hq.guard.types import Budget
from hq.ids import event_name
from hq.jobs.job import Every, Job, JobResult, Topic, found_by
from hq.jobs.run import JobRun
from hq.memory.known_facts import Held, hold
from hq.org.agent import Agent
from hq.skills.types import Skill

SQL = beside(__file__)
PERIODS = {"run": "a session", "hour": "an hour", "day": "a day", "month": "a month", "total": "in all"}
ON_COMPANY = ("budget", "tenant/month")
"""The budget that the onboarding sets."""


async def _company(tx: Tx, call: CapturableCallRow) -> list[Held]:
    return await _settings(tx, call.input or {})


async def _settings(tx: Tx, named: Mapping[str, Any]) -> list[Held]:
    """Those settings of the company that were named."""
    now = await tx.the_one(SQL["settings"], into=CompanySettingsRow)
    says = {
        "name": f"The company is called {now.name}.",
        "risk_tolerance": f"The company's risk tolerance is {now.risk_tolerance}.",
        "time_zone": f"The company's time zone is {now.time_zone}.",
    }
    return [Held(f"setting:{name}", said, ["setting", name]) for name, said in says.items() if named.get(name)]


async def _quiet(tx: Tx, call: CapturableCallRow) -> list[Held]:
    now = await tx.the_one(SQL["settings"], into=CompanySettingsRow)
    hours = f"{now.quiet_from:%H:%M}-{now.quiet_to:%H:%M}" if now.quiet_from else "off"
    return [Held("setting:quiet_hours", f"The quiet hours are {hours}.", ["setting", "quiet hours"])]


async def _minds(tx: Tx, call: CapturableCallRow) -> list[Held]:
    names = (await tx.the_one(SQL["settings"], into=CompanySettingsRow)).minds
    says = f"The model that answers is {', then '.join(names)}." if names else "No model is set; the script answers."
    return [Held("setting:mind", says, ["setting", "model"])]


async def _budget(tx: Tx, call: CapturableCallRow) -> list[Held]:
    return [await _limit(tx, budget) for budget in await _targets(tx, call, Budget)]


async def _limit(tx: Tx, budget: Stored[Budget]) -> Held:
    props = budget.props
    on = (await tx.targets([budget.id], ["limits"])).get((budget.id, "limits"))
    whose = (await tx.get(on)).title if on else "the company"
    limits = [amount(value, name) for name, field in FIELDS.items() if (value := getattr(props, field)) is not None]
    binds = props.status == "active" and budget.archived_at is None and limits
    most = f"at most {' and '.join(limits)}" if binds else "unlimited"
    says = f"The budget of {whose} is {most} {PERIODS[props.period]}."
    return Held(f"budget:{budget.slug}", says, ["setting", "budget"], gone=budget.archived_at is not None)


async def _skill(tx: Tx, call: CapturableCallRow) -> list[Held]:
    return [await _ability(tx, skill) for skill in await _targets(tx, call, Skill)]


async def _ability(tx: Tx, skill: Stored[Skill]) -> Held:
    on = skill.props.status == "enabled" and skill.archived_at is None
    having = NodeFilter(types=[Agent.type], related=[EdgeFilter("has_skill", skill.id)], limit=100)
    agents = sorted(agent.title for agent in await tx.find(having)) if on else []
    says = f"The skill {skill.slug} is {'enabled' if on else 'disabled'}"
    if agents:
        says += f"; {', '.join(agents)} can use it"
    return Held(f"skill:{skill.slug}", f"{says}.", ["skill", skill.slug], gone=skill.archived_at is not None)


async def _agent(tx: Tx, call: CapturableCallRow) -> list[Held]:
    return [_hired(agent) for agent in await _targets(tx, call, Agent)]


def _hired(agent: Stored[Agent]) -> Held:
    gone = agent.archived_at is not None or agent.over
    name = agent.title[:1].upper() + agent.title[1:]
    says = f"{name} no longer works here." if gone else f"{name} was hired as {agent.props.role}."
    return Held(f"agent:{agent.slug}", says, ["hire", agent.slug], gone=gone)


async def _onboarded(tx: Tx, call: CapturableCallRow) -> list[Held]:
    """The answers were set by the verbs that own them, inside of one call."""
    given = call.input or {}
    held = await _settings(tx, {"name": given.get("company"), "risk_tolerance": given.get("risk")})
    if given.get("budget"):
        held += [await _limit(tx, budget) for budget in await tx.find(NodeFilter(external=ON_COMPANY))]
    return held + (await _minds(tx, call) if given.get("provider") else [])


async def _targets(tx: Tx, call: CapturableCallRow, kind: type[Node]) -> list[Stored[Any]]:
    """What the call was about, also where that is gone by now."""
    return await tx.find(NodeFilter(ids=[call.target_id], types=[kind.type], archived=True)) if call.target_id else []


FOLLOWED: dict[str, Callable[[Tx, Any], Awaitable[list[Held]]]] = {
    "tenant.set": _company,
    "ceo.quiet": _quiet,
    "mind.set": _minds,
    "mind.remove": _minds,
    "budget.set": _budget,
    "budget.raise": _budget,
    **dict.fromkeys(("skill.enable", "skill.disable", "skill.grant", "skill.revoke"), _skill),
    **dict.fromkeys(("agent.create", "agent.hire", "agent.succeed", "agent.archive", "agent.restore"), _agent),
    "onboard.answer": _onboarded,
}
"""What holds after which call."""
UNDO = "action.undo"


class MemoryCaptureArgs(Args):
    """Nothing to choose: it goes on where it was."""


class Captured(Result):
    memories: int
    """How many were news."""


@verb("memory.capture", "write", for_=HOUSE, internal=True)
async def capture(tx: Tx, args: MemoryCaptureArgs) -> Captured:
    """Remember what the calls since the last time have settled."""
    calls = await tx.rows(SQL["to_capture"], {"verbs": [*FOLLOWED, UNDO]}, into=CapturableCallRow)
    news = 0
    for call in calls:
        if says := FOLLOWED.get(call.meant):
            for held in await says(tx, call):
                news += await hold(tx, held, event_name(call.id))
    if calls:
        await tx.conn.execute(SQL["captured"], {"upto": calls[-1].seq, "now": tx.now})
    if news:
        tx.emit("memory.captured", memories=news)
    return Captured(memories=news)


async def capture_settled(run: JobRun) -> JobResult | None:
    news = (await run.must("memory.capture", {}))["memories"]
    return JobResult(f"remembered {news}", news) if news else None


VERBS = (capture,)
JOBS = (
    Job(
        name="capture",
        says="remembers settings, skills and hires",
        on=(Topic("*", pause=5.0), Every(60)),
        due=found_by("select * from ops.with_settled(%(verbs)s)", verbs=[*FOLLOWED, UNDO]),
        work=capture_settled,
    ),
)
