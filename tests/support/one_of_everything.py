"""A company with one of everything, for each owner: what the table of who may is made on.

CEO and operator as shipped; `lead` above `report` and beside `peer`; `director` in the seat that directs their organisation;
`outsider` in another one; `resting`, whom the founder paused, and `halted`, whom the founder stopped for a reason. Its sessions are
claimed as a worker claims them, of all companies alike: it wants a database of its own, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from hq.agents.granted_verbs import sources
from hq.door.tx import Call
from hq.door.verb import Registry
from hq.engine.house import House
from hq.engine.sessions.leases import Leases
from hq.ids import event_name
from hq.org.agent import Agent
from hq.org.types import Handoff
from tests.support.company import Hq

SEATS = {
    "lead": "Project Manager",
    "report": "Developer",
    "peer": "QA Lead",
    "resting": "Senior Developer",
    "director": "AR Director",
}
EMPLOYED = ("ceo", "lead", "report", "peer", "outsider")
ALL = ["read", "write", "effect", "sql"]
TASKS = "## 1. Backend\n- [ ] 1.1 Serve\n"
CODED = {
    "title": "Build",
    "prompt": "Build it",
    "cli": "chat",
    "conversation": "c",
    "session": "mine",
    "status": "waiting",
}


@dataclass
class Firm:
    hq: Hq
    organisation: str = ""
    """That of `lead`, `report` and `peer`."""
    elsewhere: str = ""
    tokens: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, UUID] = field(default_factory=dict)
    """Of principals that call within one."""
    things: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By owner, then by noun: what the noun's verbs are called on."""
    asks: dict[str, str] = field(default_factory=dict)
    """One that is open, by its kind."""
    scopes: dict[str, frozenset[str]] = field(default_factory=dict)
    """What each token holds."""
    borders: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)
    """Of agents whose files say so: what they own, and what they never do."""
    given: dict[str, frozenset[str]] = field(default_factory=dict)
    """By principal, of agents that do not lead and of their workers: the verbs that the agent is given."""
    seen: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """By owner: a session on the record, the call that wrote it, and words in that."""

    @property
    def registry(self) -> Registry:
        return self.hq.door.registry


async def founded(hq: Hq) -> Firm:
    firm = Firm(hq)
    await hq.do("agent.load")
    firm.organisation = (await hq.do("org.create", template="software-team"))["slug"]
    firm.elsewhere = (await hq.do("org.create", name="Elsewhere", purpose="Else"))["slug"]
    for name, title in SEATS.items():
        seat = await hq.do("position.show", org=firm.organisation, title=title)
        await hq.do("agent.hire", name=name, position_id=seat["position_id"])
    await hq.do("agent.create", name="outsider", role="Elsewhere")
    await hq.do("graph.link", source="outsider", edge="in_organisation", target=firm.elsewhere)
    await hq.do("agent.create", name="halted", role="Halted")
    await _tokens(firm)
    firm.things = {
        "report": await _of_report(firm),
        "founder": await _of_founder(firm),
        "paused": await _paused(firm),
        "outsider": await _of_outsider(firm),
        "stopped": {"agent": "halted"},
        "house": {"job": "forget-runs"},
    }
    await hq.do("agent.update", ref="halted", status="quarantined")
    await _within_sessions(firm)
    for owner, agent, words in (("report", "report", "zebrafish"), ("founder", "ceo", "quokka")):
        firm.seen[owner] = await _on_record(firm, agent, firm.things[owner]["session"], words)
        firm.things[owner]["action"] = firm.seen[owner][1]
    await _asked(firm)
    for agent in ("chief", "operator"):
        props = (await hq.do("agent.show", ref=agent))["props"]
        firm.borders[agent] = (props.get("owns", []), props.get("never", []))
    await _given(firm)
    return firm


async def _given(firm: Firm) -> None:
    names = {name: name for name in ("lead", "director", "report", "peer", "outsider")}
    look = Call("task.list", {}, firm.hq.token)
    async with firm.hq.door.opened(firm.registry.get("task.list"), look) as tx:
        for principal, name in (names | {"worker": "report", "paused": "resting"}).items():
            agent = (await tx.get(name, Agent)).props
            found = sources(firm.registry, agent, "", directs=principal == "director")
            firm.given[principal] = frozenset(verb for verb, _ in found)


async def _tokens(firm: Firm) -> None:
    hq = firm.hq
    firm.tokens["founder"] = hq.token
    for principal, agent in (("ceo", "chief"), ("operator", "operator")):
        firm.tokens[principal] = await hq.agent(agent)
    for name in ("lead", "director", "report", "peer", "outsider"):
        firm.tokens[name] = await hq.agent(name)
    for name in EMPLOYED:
        await hq.do("mission.create", title=f"Of {name}", _token=firm.tokens[name])
    firm.tokens["worker"] = (await hq.do("auth.token", worker="report", scopes=ALL[:3]))["token"]
    firm.tokens["service"] = (await hq.do("auth.token", service="intake", scopes=ALL[:3]))["token"]
    tenant = (await hq.do("auth.whoami"))["tenant_id"]
    firm.tokens["house"] = await hq.door.services[House]._key(UUID(tenant), None)
    firm.tokens["program"] = await hq.agent("desk", scopes=ALL[:3])
    firm.tokens["paused"] = (await hq.do("auth.token", worker="resting", scopes=ALL[:3]))["token"]


async def _named(firm: Firm, agent: str, *scopes: str) -> str:
    """A token that names what its agent is not given."""
    return await firm.hq.agent(agent, scopes=[*ALL, *scopes])


async def _within_sessions(firm: Firm) -> None:
    """`session` is `report` at work on its mission; `project` the agent of a project at work on that."""
    hq = firm.hq
    work = await hq.do("project.run", project="site", task="look", background=True)
    claimed = {each.id: each for each in await Leases(hq.door.pool, hq.clock).claim(40)}
    home = UUID((await hq.do("auth.whoami"))["tenant_id"])
    assert {each.tenant_id for each in claimed.values()} == {home}, "it wants a database of its own: `own_hq`"
    for principal, session in (("session", firm.things["report"]["session"]), ("project", work["session"])):
        firm.tokens[principal] = claimed[UUID(session)].token
        firm.sessions[principal] = UUID(session)
    begun = Call("task.create", {}, hq.token)
    async with hq.door.opened(
        firm.registry.get("task.create"), begun
    ) as tx:  # a session hands off once it has a journal
        made = Handoff(reason="context", from_session=firm.things["report"]["session"])
        firm.things["report"]["handoff"] = (await tx.create(made)).slug


async def _on_record(firm: Firm, agent: str, session: str, words: str) -> tuple[str, str, str]:
    """A session that was closed: what was said in it is its agent's and theirs who lead it."""
    left = {"summary": words, "handover": words, "memories": [{"body": words}]}
    as_session = {"_token": firm.tokens[agent], "_session_id": UUID(session)}
    outcome = await firm.hq.call("session.finalise", session=session, **left, **as_session)
    return outcome.data["slug"], event_name(outcome.action_id), words


async def _paused(firm: Firm) -> dict[str, str]:
    """What the founder put to rest."""
    hq = firm.hq
    await hq.do("agent.pause", agent="resting")
    await hq.do("mission.create", title="Put off", _token=firm.tokens["ceo"])
    await hq.do("mission.assign", ref="put-off", to="report", _token=firm.tokens["ceo"])
    await hq.do("mission.pause", ref="put-off", why="wait")
    schedule = await hq.do("schedule.add", task="wait", when="every day at 9", agent="report")
    await hq.do("schedule.pause", ref=schedule["slug"])
    job = f"schedule:{schedule['slug']}"
    return {"agent": "resting", "mission": "put-off", "schedule": schedule["slug"], "job": job}


async def _of_report(firm: Firm) -> dict[str, Any]:
    hq, token, named = firm.hq, firm.tokens["report"], await _named(firm, "report", "write:worker", "write:contact")
    await hq.do("mission.create", title="Ship")
    await hq.do("mission.assign", ref="ship", to="report")
    (space,) = (await hq.do("workspace.list"))["items"]
    session = (await hq.do("session.list", agent="report"))["items"][0]["session"]
    raised = await hq.call("escalation.raise", summary="Stuck", mission="ship", _token=token)
    schedule = await hq.do("schedule.add", task="look", when="every day at 7", agent="report")
    seat = await hq.do("position.show", org=firm.organisation, title=SEATS["report"])
    await hq.do("project.create", name="Site", organisation=firm.organisation)
    await hq.do("workspace.begin", ref=space["slug"], session="mine", _token=token)
    await hq.do("mission.import", document=TASKS, spec_ref="plan.md", _token=token)
    return {
        "organisation": firm.organisation,
        "agent": "report",
        "session": session,
        "mission": "ship",
        "workspace": space["slug"],
        "escalation": raised.data["slug"],
        "schedule": schedule["slug"],
        "memory": (await hq.do("memory.add", content="Ship on Friday", _token=token))["slug"],
        "worker": (await hq.do("worker.spawn", task="count", _token=named))["worker"],
        "message": (await hq.do("agent.send", agent="report", text="hello"))["message"],
        "person": (await hq.do("contact.create", name="Bruno", _token=named))["slug"],
        "job": f"schedule:{schedule['slug']}",
        "persona": seat["persona_slug"],
        "seat": seat["position_id"],
        "chart_document": await _exported(firm, firm.organisation),
        "project": "site",
        "task": (await hq.do("task.create", title="Paint", project="site", owner="report"))["slug"],
        "feature": (await hq.do("feature.create", title="Form", project="site"))["slug"],
        "tree": "mine",
        "imported": "plan.md",
        **await _said(firm, await _named(firm, "report", "write:document", "write:memo", "write:decision")),
        "objective": await _objective(firm, "Ship more", organisation=firm.organisation),
        "code_run": await _coded(firm, space["slug"], token, "agent:report"),
        "skill": "disk-health",
    }


async def _of_founder(firm: Firm) -> dict[str, Any]:
    """What is the founder's own; and of what only agents have, the CEO's."""
    hq, chief = firm.hq, firm.tokens["ceo"]
    people = (await hq.do("contact.list"))["items"]
    await hq.do("mission.create", title="Later")
    await hq.do("workspace.create", name="attic")
    await hq.do("workspace.begin", ref="attic", session="upstairs")
    said = await hq.do("chat.say", text="hello")
    run = await hq.do("run.start", task="look around")
    schedule = await hq.do("schedule.add", task="brief me", when="every day at 8")
    await hq.do("project.create", name="House")
    asked = await hq.call("agent.ask", agent="founder", text="Blue or green?", _token=chief)
    return {
        "person": people[-1]["slug"],  # the first there was is the founder's own
        "agent": "chief",
        "session": said["session"],
        "mission": "later",
        "workspace": "attic",
        "run": str(run["run_id"]),
        "memory": (await hq.do("memory.add", content="The founder likes tea"))["slug"],
        "schedule": schedule["slug"],
        "worker": (await hq.do("worker.spawn", task="count more", _token=chief))["worker"],
        "message": (await hq.do("agent.send", agent="chief", text="hi", _token=firm.tokens["lead"]))["message"],
        "asked": (asked.data["waits_for"][0] if isinstance(asked.data["waits_for"], list) else asked.data["waits_for"]),
        "job": "beat:chief:1",
        "project": "house",
        "task": (await hq.do("task.create", title="Sweep", project="house"))["slug"],
        "feature": (await hq.do("feature.create", title="Door", project="house"))["slug"],
        "tree": "upstairs",
        **await _said(firm, hq.token),
        "objective": await _objective(firm, "Rest more"),
        "code_run": await _coded(firm, "attic", hq.token, "founder"),
    }


async def _of_outsider(firm: Firm) -> dict[str, Any]:
    """What another organisation's agent has."""
    hq, token, named = firm.hq, firm.tokens["outsider"], await _named(firm, "outsider", "write:worker")
    await hq.do("mission.create", title="Abroad")
    await hq.do("mission.assign", ref="abroad", to="outsider")
    schedule = await hq.do("schedule.add", task="wave", when="every day at 6", agent="outsider")
    return {
        "organisation": firm.elsewhere,
        "chart_document": await _exported(firm, firm.elsewhere),
        "agent": "outsider",
        "session": (await hq.do("session.list", agent="outsider"))["items"][0]["session"],
        "mission": "abroad",
        "workspace": "abroad-files",
        "schedule": schedule["slug"],
        "job": f"schedule:{schedule['slug']}",
        "memory": (await hq.do("memory.add", content="Closed on Monday", _token=token))["slug"],
        "worker": (await hq.do("worker.spawn", task="count there", _token=named))["worker"],
        "code_run": await _coded(firm, "abroad-files", token, "agent:outsider"),
        "objective": await _objective(firm, "Sail more", organisation=firm.elsewhere),
        "project": (await hq.do("project.create", name="Wharf", organisation=firm.elsewhere))["slug"],
    }


async def _said(firm: Firm, token: str) -> dict[str, str]:
    """What somebody says in their own name."""
    make = partial(firm.hq.do, _token=token)
    return {
        "document": (await make("document.create", title="Offer", kind="proposal"))["slug"],
        "memo": (await make("memo.create", title="Week", content_md="Quiet."))["slug"],
        "decision": (await make("decision.create", title="Tabs"))["slug"],
        "event": (await make("event.create", kind="milestone", summary="First"))["slug"],
    }


async def _objective(firm: Firm, text: str, **of: str) -> str:
    return (await firm.hq.do("objective.create", current_text=text, **of))["slug"]


async def _exported(firm: Firm, organisation: str) -> str:
    return (await firm.hq.do("org.export", org=organisation))["document"]


async def _coded(firm: Firm, workspace: str, token: str, requester: str) -> str:
    """A coding run that waits for somebody's yes."""
    begun = {"workspace": workspace, "props": CODED | {"requester": requester}}
    return (await firm.hq.do("code.begin", **begun, _token=token, _inside=True))["slug"]


async def _asked(firm: Firm) -> None:
    """One ask of each kind."""
    hq, report, chief = firm.hq, firm.tokens["report"], firm.tokens["ceo"]
    named = await _named(firm, "report", "write:entity", "write:role", "write:code")
    for name in ("Acme", "Acme Inc"):
        await hq.do("entity.create", name=name)
    await hq.call("entity.merge", loser="acme-inc", into="acme", _token=named)
    await hq.call("role.create", name="cook", _token=named)
    run = await _coded(firm, firm.things["report"]["workspace"], report, "agent:report")
    wants = {"tool": "Bash", "says": "Bash: rm README.md", "fingerprint": "rm"}
    await hq.do("code.settle", run=run, props={"status": "waiting", "wants": wants}, _token=report, _inside=True)
    await hq.call("code.allow", ref=run, _token=named)
    change = {"verb": "memo.create", "args": {"title": "M", "content_md": "x"}}
    await hq.do("proposal.propose", kind="tweak", change=change, _token=report)
    options = [{"key": "a", "label": "The Weekly"}, {"key": "b", "label": "Field Notes"}]
    await hq.do("review.create", question_text="Which name?", options=options, _token=report)
    hire = {"key": "hire", "label": "Hire", "verb": "agent.create", "args": {"name": "quill", "role": "Writer"}}
    buttons = [hire, {"key": "no", "label": "Not now"}]
    await hq.do("card.send", kind="hire", title="I would hire a writer", buttons=buttons)
    for title in ("Countered", "Delegated", "Planned"):
        await hq.do("mission.create", title=title, deliverables=["file:a.md", "file:b.md", "file:c.md"], _token=chief)
        await hq.do("mission.assign", ref=title.lower(), to="report", _token=chief)
    await hq.call("mission.counter", ref="countered", note="It takes longer.", token_budget=5000, _token=report)
    await hq.do("mission.accept", ref="delegated", _token=report)
    await hq.do("agent.create", name="handy", role="Researcher")
    help_ = {"ref": "delegated", "title": "Research the bakeries", "to": "handy", "reason": "Many."}
    await hq.call("mission.delegate", **help_, _token=report)
    await hq.do("tenant.set", risk_tolerance="cautious")
    await hq.do("mission.accept", ref="planned", _token=report)
    await hq.call("mission.plan", ref="planned", steps=["Look", "Compare", "Write"], _token=report)
    await hq.do("tenant.set", risk_tolerance="balanced")
    for item in (await hq.do("ask.list", to="all", limit=200))["items"]:
        firm.asks.setdefault(item["kind"], item["slug"])
