"""Every read, asked again about an earlier moment, answers as it did then; or says that it has no view of the past."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from typing import Any

import pytest

from hq.app import open_door, registry
from hq.clock import FakeClock
from hq.door.outcome import Outcome
from tests.support.company import Hq

NOT_STORED = {
    "artifact.grep": "is what a tool gave back, which never changes",
    "artifact.list": "is what tools gave back so far",
    "artifact.read": "is what a tool gave back, which never changes",
    "mission.brief": "is what would be put together now",
    "mission.tree": "is how far things have come and what they cost by now",
    "objective.report": "is what was done and what it cost by now",
    "agent.attach": "is how things are going now",
    "agent.check": "is what is on the disk now",
    "subagent.list": "is what is on the disk now",
    "agent.presence": "is how things are going now",
    "agent.roster": "is who is there now",
    "agent.status": "is how things are going now",
    "beat.list": "is how things are going now",
    "duty.list": "is how things are going now",
    "job.list": "is how things are going now",
    "job.runs": "is how things are going now",
    "job.show": "is how things are going now",
    "auth.whoami": "is about the credential that asks",
    "file.glob": "is the working tree as it is now",
    "file.grep": "is the working tree as it is now",
    "file.read": "is the working tree as it is now",
    "ledger.verify": "is a proof of the whole chain",
    "mind.list": "is how minds are set now",
    "mind.record": "is a journal, which never changes",
    "org.assess_fit": "is a persona's files as they are now",
    "persona.experience": "is a file as it is now",
    "persona.skill": "is a file as it is now",
    "schema.export": "is the program's, not the company's",
    "schema.list": "is the program's, not the company's",
    "schema.show": "is the program's, not the company's",
    "skill.export": "is the company's and the program's, as they are now",
    "skill.list": "is the company's and the program's, as they are now",
    "skill.show": "is the company's and the program's, as they are now",
    "sql.schema": "is the program's, not the company's",
    "tools.export": "is the program's, for the credential that asks",
    "tools.list": "is the program's, for the credential that asks",
    "vault.list": "keeps no old versions of a secret",
    "webhook.deliveries": "is how things are going now",
    "webhook.list": "is how things are going now",
    "webhook.show": "is how things are going now",
    "connector.show": "is what the other server says now",
    "budget.list": "is what is spent now; the limits themselves are nodes with a history",
    "budget.show": "is what is spent now; the limits themselves are nodes with a history",
    "cost.calls": "is a log, which never changes",
    "cost.show": "is kept by day, and asked for by day",
    "ceo.brief": "is what happened since a moment, and what is open now",
    "ceo.noticed": "is a log, which only grows",
    "ceo.prompt": "is what a mind would be asked now",
    "schedule.due": "is when things start from now on",
    "schedule.next": "is when things start from now on",
    "chat.route": "is about words that were not said yet",
    "chat.status": "is what is going on now",
    "onboard.show": "is what comes next",
    "run.list": "is the ledger, which never changes",
    "run.show": "is a journal, which never changes",
    "context.show": "is what a session would be told now",
    "context.tell": "is what a session is told now",
    "client.list": "is what is going on now",
    "client.show": "is a journal, which never changes",
    "client.input": "is a journal, which never changes",
    "mission.changes": "is the files as they are now",
    "mission.fetch_file": "is the files as they are now",
    "mission.files": "is the files as they are now",
    "mission.read_file": "is the files as they are now",
    "preview.list": "is what is running now",
    "preview.log": "is what is running now",
    "tools.help": "is the program's, for the credential that asks",
    "session.diff": "is a journal, which never changes",
    "thread.show": "is what is going on now",
    "worker.grep": "is a journal, which never changes",
    "worker.list": "is what is going on now",
    "worker.metadata": "is what is going on now",
    "worker.read": "is a journal, which never changes",
    "code.steps": "is a log, which only grows",
    "workspace.trees": "is what is being worked on now",
}
ONLY_NOW = {"mission.show": {"now"}}
"""What a read tells of the present beside what is stored; left out where it is asked about the past."""
# Made like every other noun's; to have one, another server, an agent at work or a program is needed (tests/connectors,
# tests/agents/test_handoff.py and tests/coding have one).
NEEDS_MORE = ("connector.history", "handoff.history", "handoff.show", "code_run.history", "code_run.show")


READS = sorted(verb.name for verb in registry() if verb.kind == "read" and verb.name not in NEEDS_MORE)
STORED = [verb for verb in READS if verb not in NOT_STORED]


async def one_of_everything(hq, clock) -> dict[str, str]:
    """Under known slugs; those that are made up on the way are returned by noun."""
    for noun, args in {
        "entity": {"name": "Acme", "email": "a@acme.example"},
        "contact": {"name": "Ana", "email": "ana@acme.example"},
        "engagement": {"name": "Deal"},
        "project": {"name": "Site"},
        "feature": {"title": "Form"},
        "task": {"title": "Call"},
        "event": {"kind": "action", "summary": "Launch"},
        "document": {"title": "Offer"},
        "decision": {"title": "Postgres"},
        "memo": {"title": "Week", "content_md": "Quiet"},
        "conversation": {"title": "Chat"},
        "producer": {"name": "mail", "kind": "project"},
        "review": {"question_text": "Merge?"},
        "agent": {"name": "Scout", "role": "Scout"},
    }.items():
        await hq.do(f"{noun}.create", slug=f"the-{noun}", **args)
    await hq.do("interaction.log", channel="note", direction="internal", subject="Hello", slug="the-interaction")
    await hq.do("fact.assert", subject="Ana", relation="employer", value="Acme")
    await hq.do("memory.add", content="The memory")
    await hq.do("workspace.create", name="the-workspace")
    await hq.do("schedule.add", name="The schedule", task="Look.", when="every day", agent="the-agent")
    at_work = await begin_work(hq)
    agent = await hq.agent("chief", scopes=["read", "write"])
    await hq.do("entity.create", slug="the-other", name="Acme Inc")
    parked = await hq.call("entity.merge", loser="the-other", into="the-entity", _token=agent)
    await hq.do("org.create", template="software-team")
    await hq.do("expense.spend", amount=5, description="The expense")
    wished = await hq.call("role.create", name="cook", _token=agent)
    made = {
        "wish": wished.data["approval"],
        "approval": parked.data["approval"],
        "proposal": (await hq.do("proposal.propose", kind="tweak", about="the-project"))["slug"],
        "grant": (await hq.do("grant.add", actor="agent:chief", verb="task.create"))["slug"],
        **at_work,
        "agent_incident": (await hq.do("incident.raise", agent="the-agent", kind="loop", summary="Circles"))["slug"],
    }
    made["session"] = (await hq.do("agent.send", agent="the-agent", text="Look around"))["session"]
    made |= await begin_talk(hq, agent)
    linked = await hq.call("graph.link", source="the-task", edge="related_to", target="the-entity")
    await hq.do("freeze.set", scope="project:the-project")
    clock.advance(hours=1)
    return made | {"action": str(linked.action_id)}


async def begin_talk(hq, chief: str) -> dict[str, str]:
    """Something said, a card with a button, and a question to the founder."""
    await hq.do("agent.create", name="chief", role="CEO", kind="ceo")
    await hq.do("ceo.quiet", hours="off")
    await hq.do("chat.say", text="Good morning")
    yes = {"key": "yes", "label": "Yes"}
    card = await hq.do("card.send", kind="choice", title="Shall I?", buttons=[yes], _token=chief)
    asked = await hq.call("agent.ask", agent="founder", text="Blue or green?", _token=chief)
    assert asked.error["code"] == "waiting", asked.error
    return {"card": card["id"], "question": (await hq.do("agent.inbox"))["items"][0]["message"]}


async def finish_talk(hq, company: dict[str, str]) -> None:
    await hq.do("chat.say", text="Good evening")
    await hq.do("card.press", card=company["card"], button="yes")
    await hq.do("agent.reply", message=company["question"], text="Green")


async def begin_work(hq) -> dict[str, str]:
    """A mission that asked for help, kept a note, showed evidence and escalated."""
    await hq.do("objective.create", slug="the-objective", current_text="More")
    await hq.do("mission.create", slug="the-mission", title="Scout the market", deliverables=["file:a"])
    assigned = await hq.do("mission.assign", ref="the-mission", to="the-agent")
    await hq.do("mission.accept", ref="the-mission")
    await hq.do("agent.create", name="Helper", role="Market scout")
    help_ = await hq.call("mission.delegate", ref="the-mission", title="Scout a market", to="helper", reason="time")
    raised = await hq.call("escalation.raise", mission="the-mission", summary="Which market?")
    note = await hq.do("mission.note", ref="the-mission", content="Small")
    await hq.do("mission.check", ref="the-mission")
    return {
        "brief": assigned["brief"],
        "delegation": help_.data["slug"],
        "escalation": raised.data["slug"],
        "mission_memory": note["slug"],
        "deliverable": (await hq.do("deliverable.list"))["items"][0]["slug"],
    }


async def finish_work(hq, company: dict[str, str]) -> None:
    await hq.do("delegation.reject", ref=company["delegation"])
    await hq.do("escalation.resolve", ref=company["escalation"], answer="All")
    await hq.do("mission.note", ref="the-mission", content="Large")
    await hq.do("mission.revise", ref="the-mission", deliverables=["file:b"])
    await hq.do("mission.check", ref="the-mission")
    await hq.do("objective.update", ref="the-objective", current_text="Less")
    await hq.do("mission.assign", ref="the-mission", to="helper")
    await hq.do("mission.fail", ref="the-mission", why="no market")


def arguments(verb: str, company: dict[str, str]) -> dict[str, Any]:
    noun = verb.partition(".")[0]
    odd = {
        "action.show": {"id": company.get("action")},
        "agent.can": {"agent": "the-agent", "mission": "the-mission"},
        "ask.show": {"ask": company.get("proposal")},
        "card.show": {"card": company.get("card")},
        "entity.find": {"email": "ana@acme.example"},
        "fact.get": {"subject": "Ana", "relation": "employer"},
        "fact.history": {"ref": "ana-employer"},
        "graph.search": {"query": "the-task", "mode": "slug"},
        "memory.search": {"query": "the-memory"},
        "graph.timeline": {"since": "7d"},
        "org.assess_fit": {"position_id": 1, "persona_slug": "pm-gavin-3"},
        "org.assignments": {"include_history": True},
        "org.validate": {"document": "organisation: {organisation_id: 1}\npositions: [{position_id: 5, role: pm}]"},
        "org.whoami": {"persona_slug": "pm-gavin-3"},
        "persona.experience": {"slug": "pm-gavin-3"},
        "persona.show": {"slug": "pm-gavin-3"},
        "persona.skill": {"slug": "pm-gavin-3"},
        "position.show": {"position_id": 3},
        "producer.health": {},
        "run.show": {"run": 1},
        "schema.show": {"name": "task"},
        "session.replay": {"id": company.get("session")},
        "session.show": {"id": company.get("session")},
        "sql.query": {"query": "select type, slug, title, status, props, tags from nodes where live order by id"},
    }
    if verb in odd:
        return odd[verb]
    if noun in ("org", "org_intent", "position"):
        return {"org": "1"} if "org" in registry().get(verb).args.model_fields else {}
    needed = registry().get(verb).args.model_fields
    if verb in NOT_STORED:
        return {info.alias or name: f"the-{noun}" for name, info in needed.items() if info.is_required()} | (
            {"format": "openai"} if verb == "tools.export" else {}
        )
    ref = company.get(noun, "the-task" if noun == "graph" else f"the-{noun}")
    return {"ref": ref} if "ref" in needed and needed["ref"].is_required() else {}


async def life_goes_on(hq, clock, company: dict[str, str]) -> None:
    """Everything a read could have shown changes."""
    await hq.do("freeze.lift", scope="project:the-project")
    await hq.do("session.stop", id=company["session"])
    await finish_work(hq, company)
    await finish_talk(hq, company)
    for noun in ("entity", "contact", "engagement", "project", "feature", "task", "event", "document", "decision",
                 "memo", "conversation", "producer", "review", "interaction", "agent"):  # fmt: skip
        await hq.do(f"{noun}.update", ref=f"the-{noun}", tags=["changed"], _reason="Later")
        clock.advance(minutes=5)
        if noun != "review":  # what waits for an answer is not put away
            await hq.do(f"{noun}.archive", ref=f"the-{noun}")
    await hq.do("graph.unlink", source="the-task", edge="related_to", target="the-entity")
    await fill_workspace(hq)
    await hq.do("contact.restore", ref="the-contact")
    await hq.do("contact.update", ref="the-contact", email="other@acme.example", name="Anna")
    await hq.do("fact.assert", subject="Ana", relation="employer", value="Initech")
    await hq.do("fact.assert", subject="Ana", relation="city", value="Porto")
    await hq.do("agent_incident.update", ref=company["agent_incident"], status="resolved")
    await hq.do("approval.reject", ref=company["approval"])
    await hq.do("approval.reject", ref=company["wish"])
    await hq.do("org.unassign", position_id=1)
    await hq.do("position.update", position_id=3, title="Lead", reports_to="founder", escalates_to="founder")
    await hq.do("position.remove", position_id=6)
    await hq.do("role.update", role="pm", name="lead")
    await hq.do("persona.update", slug="pm-gavin-3", name="Gav")
    await hq.do("org_intent.write", org="1", body="## Protect\n\n- Sleep")
    await hq.do("agent.hire", name="Forge", position_id=5)
    await hq.do("org.update", org="1", description="Other", status="dormant")
    await hq.do("org.create", template="economy")
    await hq.do("proposal.reject", ref=company["proposal"])
    await hq.do("grant.revoke", ref=company["grant"])
    await hq.do("grant.add", actor="agent:chief", verb="task.update")
    await hq.do("freeze.set", scope="agent:chief")
    await hq.do("auth.revoke", id="agent:chief")
    await hq.agent("other")
    await hq.do("tenant.set", name="Renamed", risk_tolerance="cautious")
    await hq.do("task.create", title="Another")
    await hq.do("memo.create", title="Another memo", content_md="x")
    clock.advance(days=2)


async def fill_workspace(hq) -> None:
    tree = (await hq.do("workspace.begin", ref="the-workspace", session="later"))["path"]
    os.mkdir(f"{tree}/made")
    await hq.do("workspace.save", ref="the-workspace", session="later")
    await hq.do("workspace.merge", ref="the-workspace", session="later")
    await hq.do("workspace.set", ref="the-workspace", network=False)


@dataclass(frozen=True)
class Asked:
    """What a read answered, and what it says after everything changed about the moment of that answer."""

    then: Outcome
    by_sequence: Outcome
    by_time: Outcome


@pytest.fixture(scope="module")
def asked(shared, template, tmp_path_factory) -> dict[str, Asked]:
    """Every read in one company: reads change nothing, and so one life of it is enough for all of them."""

    async def ask() -> dict[str, Asked]:
        clock, vault = FakeClock(), tmp_path_factory.mktemp("past") / "vault.key"
        async with open_door(shared, vault_file=vault, clock=clock, pool_size=4) as door:
            hq = Hq(door, shared, template[1], clock)
            hq.token = await hq.tenant()
            company = await one_of_everything(hq, clock)
            wanted = {verb: arguments(verb, company) for verb in STORED}
            then = {verb: await hq.call(verb, **args) for verb, args in wanted.items()}
            moment = clock.now().isoformat()
            clock.advance(minutes=1)
            await life_goes_on(hq, clock, company)
            return {
                verb: Asked(
                    then[verb],
                    await hq.call(verb, **args, _at=then[verb].sequence),
                    await hq.call(verb, **args, _at=moment),
                )
                for verb, args in wanted.items()
            }

    return asyncio.run(ask())


@pytest.mark.parametrize("verb", STORED)
def test_a_read_about_an_earlier_moment_answers_as_it_did_then(asked, verb):
    told = asked[verb]

    assert told.then.ok, told.then.error
    stored = {name: value for name, value in told.then.data.items() if name not in ONLY_NOW.get(verb, ())}
    stored |= {name: {} for name in ONLY_NOW.get(verb, ())}
    assert plain(told.by_sequence.data) == plain(stored), "by the sequence it returned"
    assert plain(told.by_time.data) == plain(stored), "by the time it was asked"


@pytest.mark.parametrize("verb", NOT_STORED)
async def test_a_read_that_has_no_view_of_the_past_says_so(hq, verb):
    refused = await hq.call(verb, **arguments(verb, {}), _at="1h")

    assert refused.error["code"] == "invalid" and "no view of the past" in refused.error["message"]


async def test_before_the_company_was_founded_no_read_shows_anything(hq, clock):
    company = await one_of_everything(hq, clock)

    for verb in STORED:
        outcome = await hq.call(verb, **arguments(verb, company), _at="2001-01-01")

        shown = (outcome.data or {}).get("items") or (outcome.data or {}).get("value")
        assert not shown and (outcome.ok or outcome.error["code"] == "not_found"), (verb, outcome)


def plain(data: Any) -> str:
    return json.dumps(data, sort_keys=True, indent=1)
