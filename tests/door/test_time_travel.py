"""Every read, asked again about an earlier moment, answers as it did then; or says that it has no view of the past."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from hq.app import registry

NOT_STORED = {
    "artifact.grep": "is what a tool gave back, which never changes",
    "artifact.list": "is what tools gave back so far",
    "artifact.read": "is what a tool gave back, which never changes",
    "agent.attach": "is how things are going now",
    "agent.check": "is what is on the disk now",
    "agent.status": "is how things are going now",
    "beat.list": "is how things are going now",
    "duty.list": "is how things are going now",
    "auth.whoami": "is about the credential that asks",
    "file.glob": "is the working tree as it is now",
    "file.grep": "is the working tree as it is now",
    "file.read": "is the working tree as it is now",
    "ledger.verify": "is a proof of the whole chain",
    "mind.list": "is how minds are set now",
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
    "context.show": "is what a session would be told now",
    "session.diff": "is a journal, which never changes",
    "session.list": "is what is going on now",
    "session.replay": "is a journal, which never changes",
    "session.show": "is what is going on now",
    "thread.show": "is what is going on now",
    "worker.grep": "is a journal, which never changes",
    "worker.list": "is what is going on now",
    "worker.metadata": "is what is going on now",
    "worker.read": "is a journal, which never changes",
    "workspace.trees": "is what is being worked on now",
}
# Made like every other noun's; to have one, another server is needed (tests/connectors has one).
NEEDS_A_SERVER = ("connector.history",)


READS = sorted(verb.name for verb in registry() if verb.kind == "read" and verb.name not in NEEDS_A_SERVER)


@pytest.fixture
async def company(hq, clock):
    """One of everything, under a known slug."""
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
    await hq.do("workspace.create", name="the-workspace")
    agent = await hq.agent("chief", scopes=["read", "write"])
    parked = await hq.call("entity.merge", loser="the-entity", into="the-entity", _token=agent)
    await hq.do("org.create", template="software-team")
    await hq.do("expense.spend", amount=5, description="The expense")
    wished = await hq.call("role.create", name="cook", _token=agent)
    made = {
        "wish": wished.data["approval"],
        "approval": parked.data["approval"],
        "proposal": (await hq.do("proposal.propose", kind="tweak", about="the-project"))["slug"],
        "grant": (await hq.do("grant.add", actor="agent:chief", verb="task.create"))["slug"],
        "agent_incident": (await hq.do("incident.raise", agent="the-agent", kind="loop", summary="Circles"))["slug"],
    }
    linked = await hq.call("graph.link", source="the-task", edge="related_to", target="the-entity")
    await hq.do("freeze.set", scope="project:the-project")
    clock.advance(hours=1)
    return made | {"action": str(linked.action_id)}


def arguments(verb: str, company: dict[str, str]) -> dict[str, Any]:
    noun = verb.partition(".")[0]
    odd = {
        "action.show": {"id": company["action"]},
        "entity.find": {"email": "ana@acme.example"},
        "fact.get": {"subject": "Ana", "relation": "employer"},
        "fact.history": {"ref": "ana-employer"},
        "graph.search": {"query": "the-task", "mode": "slug"},
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
        "schema.show": {"name": "task"},
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
    for noun in ("entity", "contact", "engagement", "project", "feature", "task", "event", "document", "decision",
                 "memo", "conversation", "producer", "review", "interaction", "agent"):  # fmt: skip
        await hq.do(f"{noun}.update", ref=f"the-{noun}", tags=["changed"], _reason="Later")
        clock.advance(minutes=5)
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


@pytest.mark.parametrize("verb", READS)
async def test_a_read_about_an_earlier_moment_answers_as_it_did_then(hq, clock, company, verb):
    args = arguments(verb, company)
    if verb in NOT_STORED:
        refused = await hq.call(verb, **args, _at="1h")
        assert refused.error["code"] == "invalid" and "no view of the past" in refused.error["message"]
        return
    then = await hq.call(verb, **args)
    assert then.ok, then.error
    moment = clock.now().isoformat()
    clock.advance(minutes=1)
    await life_goes_on(hq, clock, company)

    by_sequence = await hq.call(verb, **args, _at=then.sequence)
    by_time = await hq.call(verb, **args, _at=moment)

    assert plain(by_sequence.data) == plain(then.data), "by the sequence it returned"
    assert plain(by_time.data) == plain(then.data), "by the time it was asked"


async def test_before_the_company_was_founded_no_read_shows_anything(hq, company):
    for verb in (verb for verb in READS if verb not in NOT_STORED):
        outcome = await hq.call(verb, **arguments(verb, company), _at="2001-01-01")

        shown = (outcome.data or {}).get("items") or (outcome.data or {}).get("value")
        assert not shown and (outcome.ok or outcome.error["code"] == "not_found"), (verb, outcome)


def plain(data: Any) -> str:
    return json.dumps(data, sort_keys=True, indent=1)
