"""Taking back what was done: exactly, unless somebody built on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest

from hq.app import registry
from hq.channels.ssh.verbs import EXAMPLE_KEY
from hq.clock import FakeClock

EXACT = sorted(v.name for v in registry() if v.undo == "exact")


async def graph(hq) -> str:
    """Everything the graph shows now, without the columns that say when and by which call it was last touched."""
    mine = (await hq.do("auth.whoami"))["tenant_id"]
    async with await psycopg.AsyncConnection.connect(hq.address.app_url) as conn:
        await conn.execute("select set_config('hq.tenant', %s, false)", [mine])
        nodes = await (
            await conn.execute(
                "select slug, type, title, status, priority, archived_at, jsonb_strip_nulls(props), tags, owner_id,"
                " external_id, valid_to, confidence, taint from graph.nodes where archived_at is null order by slug"
            )
        ).fetchall()
        edges = await (
            await conn.execute(
                "select e.type, f.slug, t.slug, e.props, e.valid_to, e.confidence from graph.edges e"
                " join graph.nodes f on f.id = e.from_id join graph.nodes t on t.id = e.to_id"
                " where e.live and f.archived_at is null and t.archived_at is null order by 1, 2, 3"
            )
        ).fetchall()
    return json.dumps([nodes, edges], default=str, indent=1)


@pytest.fixture(scope="module")
def clock() -> FakeClock:
    """One for all tests here: time goes on in the company that they share."""
    clock = FakeClock()
    clock.advance(hours=1)
    return clock


@pytest.fixture(scope="module")
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("undo")


@pytest.fixture(scope="module")
def lasting() -> dict[str, Any]:
    return {}


@pytest.fixture
async def same_world(hq, tmp_path, lasting):
    """A company for all calls that are taken back: they leave it as it was, or a test has failed."""
    if not lasting:
        lasting.update(token=hq.token, world=await furnished(hq, tmp_path))
    hq.token = lasting["token"]
    return lasting["world"]


@pytest.fixture
async def world(hq, tmp_path):
    return await furnished(hq, tmp_path)


async def furnished(hq, tmp_path) -> dict[str, str]:
    """Enough of a company that every verb has something to act on."""
    mine = (await hq.do("tenant.show"))["slug"]
    await hq.do("entity.create", name="Acme", email="a@acme.example")
    await hq.do("entity.create", name="Acme Inc", phone="1", tags=["dup"])
    await hq.do("entity.create", name="Old", slug="old-entity")
    await hq.do("entity.archive", ref="old-entity")
    for noun, args in {
        "contact": {"name": "Ana", "entity": "acme-inc"},
        "engagement": {"name": "Deal", "entity": "acme-inc"},
        "project": {"name": "Site"},
        "feature": {"title": "Form", "project": "site"},
        "task": {"title": "Call", "project": "site"},
        "event": {"kind": "milestone", "summary": "Kick-off", "about": "acme-inc"},
        "document": {"title": "Offer"},
        "decision": {"title": "Go", "status": "accepted"},
        "memo": {"title": "Week", "content_md": "x"},
        "conversation": {"title": "Talk"},
        "producer": {"name": "email:sales", "kind": "conversation_channel"},
        "agent": {"name": "scout", "role": "Scout"},
    }.items():
        made = await hq.do(f"{noun}.create", **args)
        gone = await hq.do(f"{noun}.create", **{**args, "slug": f"old-{noun}"})
        await hq.do(f"{noun}.archive", ref=gone["slug"])
        assert made["slug"]
    await hq.do("review.create", question_text="Which?", options=[{"key": "a", "label": "A"}])
    await hq.do("interaction.log", channel="email", subject="Hello")
    await hq.do("interaction.log", channel="email", slug="old-interaction")
    await hq.do("interaction.archive", ref="old-interaction")
    await hq.do("decision.create", title="Stop", slug="stop")
    await hq.do("graph.link", source="site", edge="depends_on", target="call")
    await hq.do("fact.assert", subject="Ana", relation="city", value="Lisbon")
    await hq.do("proposal.propose", kind="tweak")
    await hq.do("grant.add", actor="agent:chief", verb="task.create")
    for name in ("nowhere", "old-connector"):
        await hq.do("connector.add", kind="mcp", name=name, command="no-such-program")
    await hq.do("connector.remove", name="old-connector")
    incident = await hq.do("incident.raise", agent="scout", kind="loop", summary="Circles")
    await hq.do("budget.set", on="company", usd_hard=10)
    org = await hq.do("org.create", template="software-team")
    await hq.do("agent.hire", name="Forge", position_id=5)
    intent = next(tmp_path.glob(f"companies/{mine}/data/organisations/{org['slug']}/intent.md"))
    intent.write_text("## Protect\n\n- What was edited by hand\n")
    await hq.do("workspace.create", name="app1")
    await hq.do("ssh.allow", **CALLS["ssh.allow"] | {"name": "cube"})
    await hq.do("http.allow", name="workshop", url="https://workshop.example/api")
    await hq.do("skill.import", **skill("haiku"))
    await hq.do("skill.import", **skill("ode"))
    await hq.do("skill.enable", skill="haiku")
    for name in ("sre", "ops"):
        await hq.hired(name)
    await hq.do("skill.grant", skill="haiku", agent="ops")
    for noun, title in {"mission": {"title": "Launch"}, "objective": {"current_text": "More"}}.items():
        await hq.do(f"{noun}.create", **title)
        await hq.do(f"{noun}.create", **title, slug=f"old-{noun}")
        await hq.do(f"{noun}.archive", ref=f"old-{noun}")
    memories = [
        await hq.do("memory.add", content=said) for said in ("Ana answers on Mondays.", "Invoices go out late.")
    ]
    return {
        "memory": memories[0]["slug"],
        "other_memory": memories[1]["slug"],
        "mission": "launch",
        "objective": "more",
        "reader": await hq.agent("reader", scopes=["read"]),
        "entity": "acme",
        "contact": "ana",
        "engagement": "deal",
        "project": "site",
        "feature": "form",
        "task": "call",
        "event": "kick-off",
        "document": "offer",
        "decision": "go",
        "memo": "week",
        "conversation": "talk",
        "producer": "email-sales",
        "review": "which",
        "interaction": "hello",
        "agent": "scout",
        "agent_incident": incident["slug"],
        "proposal": "tweak",
        "workspace": "app1",
        "ssh": "cube",
        "http": "workshop",
        "grant": (await hq.do("grant.list"))["items"][0]["slug"],
    }


def skill(name: str) -> dict:
    page = f"---\nname: {name}\ndescription: Write a {name}.\n---\nWords.\n"
    return {"name": name, "files": [{"path": "SKILL.md", "content": page}]}


CALLS = {
    "http.allow": {"name": "new-site", "url": "https://new.example"},
    "skill.disable": {"skill": "haiku"},
    "skill.enable": {"skill": "ode"},
    "skill.grant": {"skill": "haiku", "agent": "sre"},
    "skill.import": skill("limerick"),
    "skill.revoke": {"skill": "haiku", "agent": "ops"},
    "ssh.allow": {
        "name": "new-host",
        "address": "cube.example",
        "user": "ops",
        "key": "ssh/cube",
        "host_key": [EXAMPLE_KEY],
    },
    "agent.hire": {"name": "Anvil", "title": "Smith", "role": "smith"},
    "agent.succeed": {"agent": "forge", "by": "Anvil"},
    "expense.spend": {"amount": 5, "description": "x"},
    "org.archive": {},
    "org.assign": {"position_id": 1, "persona_slug": "pm-gavin-3", "reassign": True},
    "org.create": {"template": "economy"},
    "org.import": {
        "document": "organisation: {organisation_id: 1}\npositions: [{title: X, role: pm}, {position_id: 5, level: 7}]"
    },
    "org.measure": {"value": 5},
    "org.unassign": {"position_id": 1},
    "org.update": {"description": "new"},
    "org_intent.sync": {},
    "org_intent.write": {"body": "## Protect\n\n- Sleep"},
    "persona.archive": {"slug": "pm-gavin-3", "unassign": True},
    "persona.create": {"name": "new", "role": "pm"},
    "persona.update": {"slug": "pm-gavin-3", "name": "new", "role": "qa"},
    "position.create": {"title": "new", "role": "pm", "reports_to": "Developer"},
    "position.remove": {"position_id": 3, "reparent": True, "unassign": True},
    "position.update": {"position_id": 5, "title": "new", "reports_to": "founder", "role": "qa"},
    "role.create": {"name": "new"},
    "role.update": {"role": "pm", "name": "new"},
    "mission.create": {"title": "new", "deliverables": ["file:a"], "depends_on": ["call"]},
    "mission.import": {"document": "# T\n## 1. A\n- [x] 1.1 B\n- [ ] 1.2 C\n"},
    "mission.note": {"ref": "launch", "content": "new"},
    "mission.revise": {"ref": "launch", "deliverables": ["file:b"], "token_budget": 5},
    "mission.update": {"ref": "launch", "title": "new", "tags": ["t"], "depends_on": ["call"]},
    "objective.create": {"current_text": "new"},
    "objective.measure": {"ref": "more", "value": 5},
    "entity.merge": {"loser": "acme-inc", "into": "acme"},
    "engagement.stage": {"ref": "deal", "to": "proposal"},
    "task.assign": {"ref": "call", "to": "ana"},
    "decision.supersede": {"ref": "go", "by": "stop"},
    "graph.link": {"source": "site", "edge": "depends_on", "target": "form"},
    "graph.unlink": {"source": "site", "edge": "depends_on", "target": "call"},
    "fact.assert": {"subject": "Ana", "relation": "city", "value": "Porto"},
    "fact.retract": {"subject": "Ana", "relation": "city"},
    "review.resolve": {"ref": "which", "choice": "a"},
    "review.dismiss": {"ref": "which", "_reason": "moot"},
    "proposal.propose": {"kind": "new"},
    "grant.add": {"actor": "agent:x", "verb": "memo.*"},
    "connector.add": {"kind": "mcp", "name": "new-connector", "command": "no-such-program"},
    "connector.remove": {"name": "nowhere"},
    "interaction.log": {"channel": "note", "subject": "new", "to": ["ana"]},
    "producer.create": {"name": "x", "kind": "project"},
    "event.create": {"kind": "action", "summary": "new"},
    "agent.create": {"name": "new", "role": "Scout"},
    "budget.set": {"on": "scout", "usd_hard": 5},
    "budget.raise": {"on": "company", "usd": 20},
    "memo.create": {"title": "new", "content_md": "x"},
    "memory.add": {"content": "The office has a cat."},
    "review.create": {"question_text": "new"},
    "workspace.set": {"ref": "app1", "network": False},
}
UPDATES = {
    "objective": {"current_text": "new"},
    "event": {"summary": "new"},
    "interaction": {"subject": "new", "cc": ["ana"]},
    "review": {"question_text": "new"},
    "agent_incident": {"status": "acknowledged"},
}


def arguments(verb: str, world: dict[str, str]) -> dict:
    noun, _, action = verb.partition(".")
    if verb in CALLS:
        return CALLS[verb]
    if verb == "memory.curate":
        return {"ref": world["memory"], "for_": ["ops"]}
    if verb == "ask.snooze":
        return {"ask": world["review"]}
    if verb == "memory.replace":
        return {"old": world["memory"], "new": world["other_memory"]}
    if verb == "tools.request":
        return {"tool": "hq_task", "why": "to help", "_token": world["reader"]}
    title = "title" if noun in ("task", "feature", "document", "decision", "memo", "conversation") else "name"
    match action:
        case "create":
            return {title: f"new-{noun}"}  # what was taken back keeps its name
        case "update":
            return {"ref": world[noun], "tags": ["t"], "confidence": 0.5, **UPDATES.get(noun, {title: "new"})}
        case "restore":
            return {"ref": "old" if noun == "proposal" else f"old-{noun}"}
    return {"ref": world[noun]}


@pytest.mark.slow
@pytest.mark.parametrize("noun", sorted({v.partition(".")[0] for v in EXACT if v != "action.undo"}))
async def test_undo_after_do_gives_back_the_same_graph(hq, same_world, clock, noun):
    for verb in (v for v in EXACT if v.startswith(noun + ".")):
        clock.advance(minutes=1)
        before = await graph(hq)
        done = await hq.call(verb, **arguments(verb, same_world))
        assert done.ok, (verb, done.error)
        assert await graph(hq) != before, verb

        clock.advance(minutes=1)
        undone = await hq.call("action.undo", id=str(done.action_id))

        assert undone.ok, (verb, undone.error)
        assert await graph(hq) == before, verb


async def test_an_undo_can_be_undone(hq, world, clock):
    clock.advance(minutes=1)
    done = await hq.call("project.update", ref="site", priority="focus")
    after = await graph(hq)
    undone = await hq.call("action.undo", id=str(done.action_id))

    assert (await hq.call("action.undo", id=str(undone.action_id))).ok

    assert await graph(hq) == after


async def test_to_take_an_undo_back_one_must_be_allowed_the_thing_itself(hq, world):
    done = await hq.call("project.update", ref="site", priority="focus")
    undone = await hq.call("action.undo", id=str(done.action_id))
    chief = await hq.agent("chief", scopes=["read", "action.undo"])
    await hq.do("grant.add", actor="agent:chief", verb="action.undo")

    again = await hq.call("action.undo", id=str(undone.action_id), _token=chief)

    assert again.error["code"] == "forbidden" and "project.update" in again.error["message"]


async def test_a_later_write_on_the_same_thing_blocks_undo_and_says_so(hq, world):
    done = await hq.call("project.update", ref="site", priority="focus")
    await hq.do("project.update", ref="site", priority="now")

    outcome = await hq.call("action.undo", id=str(done.action_id))

    assert outcome.error["code"] == "blocked"
    assert "priority" in outcome.error["message"] and "project.update" in outcome.error["message"]


async def test_a_later_write_on_something_else_does_not_block_undo(hq, world):
    done = await hq.call("project.update", ref="site", priority="focus")
    await hq.do("project.update", ref="site", repo_url="https://example.com")

    assert (await hq.call("action.undo", id=str(done.action_id))).ok

    props = (await hq.do("project.show", ref="site"))["props"]
    assert (props["priority"], props["repo_url"]) == ("backlog", "https://example.com")


async def test_a_later_read_only_warns(hq, world):
    done = await hq.call("project.update", ref="site", priority="focus")
    await hq.do("project.show", ref="site")

    preview = await hq.do("action.undo", id=str(done.action_id), preview=True)

    assert preview["possible"] and "read once" in preview["warnings"][0]
    assert (await hq.do("project.show", ref="site"))["props"]["priority"] == "focus"


async def test_making_something_others_link_to_cannot_be_undone(hq, world):
    made = await hq.call("contact.create", name="Bo")
    await hq.do("task.assign", ref="call", to="bo")

    outcome = await hq.call("action.undo", id=str(made.action_id))

    assert outcome.error["code"] == "blocked"


async def test_nothing_is_taken_back_twice(hq, world):
    done = await hq.call("project.update", ref="site", priority="focus")
    await hq.do("action.undo", id=str(done.action_id))

    outcome = await hq.call("action.undo", id=str(done.action_id))

    assert "already taken back" in outcome.error["message"]


async def test_a_token_is_taken_back_by_revoking_it(hq):
    issued = await hq.call("auth.token", device="phone")

    undone = await hq.call("action.undo", id=str(issued.action_id))

    assert undone.ok and undone.data["done"]
    assert (await hq.call("task.list", _token=issued.data["token"])).error["code"] == "unauthenticated"


async def test_a_preview_is_a_read_that_nothing_stops(hq, world):
    done = await hq.call("project.update", ref="site", priority="focus")
    await hq.do("freeze.set")

    preview = await hq.call("action.undo", id=str(done.action_id), preview=True, _token=await hq.agent())

    assert preview.ok and preview.data["possible"]
