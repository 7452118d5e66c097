"""Links by hand: what agents draw says what they know, and never gives anybody a right."""

from __future__ import annotations

import pytest

from hq.app import catalogue, registry
from hq.door.gate import RISK
from hq.door.nouns import nouns
from hq.graph.catalogue import Catalogue
from hq.graph.types import ANY, Edge, Node
from tests.door.access_reads import conferring, deciding

ALWAYS_ASKED = {gate for gate, by_tolerance in RISK.items() if set(by_tolerance.values()) == {"ask"}}


def for_programs(verb) -> bool:
    return not {"ceo", "operator", "agent", "worker", "project", "session", "service"}.isdisjoint(verb.for_)


def test_no_link_from_which_a_right_follows_is_drawn_by_hand():
    known = catalogue()

    assert [
        f"{edge} of {source}: {rule}" for (edge, source), rule in conferring().items() if known.by_hand(edge, source)
    ] == []


def test_the_links_from_which_rights_follow_are_found_in_the_rules():
    """Were the search for them blind, the test above would find nothing to say."""
    assert conferring().keys() >= {
        ("for_mission", "workspace"),
        ("for_mission", "proposal"),
        ("in_workspace", "code_run"),
        ("parent_mission", "mission"),
        ("assigned_to", "mission"),
        ("assigned_to", "schedule"),
        ("commanded_by", "mission"),
        ("requested_by", "escalation"),
        ("addressed_to", "escalation"),
        ("embodies", "agent"),
        ("in_organisation", "agent"),
        ("in_organisation", "position"),
        ("reports_to", "position"),
        ("has_role", "position"),
        ("fills", "position_assignment"),
        ("held_by", "position_assignment"),
        ("has_skill", "agent"),
        ("has_task", "project"),
        ("limits", "budget"),
    }
    assert {("agent", "kind"), ("agent", "owns"), ("agent", "never"), ("skill", "mandatory")} <= deciding().keys()


def test_a_kind_of_link_of_which_nobody_said_so_is_not_drawn_by_hand():
    class Note(Node):
        type = "note"
        name: str

    class Person(Node):
        type = "person"
        name: str

    known = Catalogue(
        [Note, Person],
        [
            Edge("tells", "What it tells.", {"note": ("person",)}),
            Edge("knows", "Whom one knows.", {"person": ("person",)}, by_hand=True),
            Edge("knows", "Whom one knows.", {"note": ("person",)}),
            Edge("near", "What is near.", {ANY: (ANY,)}, by_hand=True),
        ],
    )

    assert not known.by_hand("tells", "note") and not known.by_hand("knows", "note")
    assert known.by_hand("knows", "person") and known.by_hand("near", "note")


def test_no_verb_made_from_a_type_writes_what_a_right_follows_from_unless_it_is_asked_about():
    """`create` and `update` of a noun write any field; those on which a rule rests are kept from them, or a person is asked."""
    open_ = [
        f"{verb.name} --{field}: {rule}"
        for (type_, field), rule in deciding().items()
        for verb in registry()
        if verb.noun == type_ and verb.handler.__module__ == nouns.__module__ and verb.kind == "write"
        if field in verb.args.model_fields and for_programs(verb) and verb.gate not in ALWAYS_ASKED
    ]

    assert open_ == []


@pytest.fixture
async def firm(hq):
    """Ann has a mission with its workspace, and a schedule, and works in an organisation; bob has a mission of his own."""
    await hq.do("agent.load")
    await hq.do("org.create", name="Works", purpose="Work")
    for name in ("ann", "bob"):
        await hq.do(
            "agent.create",
            name=name,
            role="Developer",
            tools=["entity", "contact", "memo", "engagement", "interaction", "skill", "project", "feature"],
        )
        await hq.do("mission.create", title=f"Of {name}")
        await hq.do("mission.assign", ref=f"of-{name}", to=name)
    await hq.do("schedule.add", task="look", name="Look", when="every day at 7", agent="ann")
    return hq


LINKS = [
    ("workspace", "for_mission", "of-bob"),
    ("look", "assigned_to", "bob"),
    ("bob", "in_organisation", "works"),
    ("ann", "in_organisation", "works"),
    ("of-ann", "depends_on", "of-bob"),
    ("of-ann", "in_organisation", "works"),
    ("bob", "collaborates_with", "ann"),
    ("bob", "has_skill", "disk-health"),
]


@pytest.fixture
async def ends(firm) -> dict[str, str]:
    """What the names above stand for, where they are made up."""
    spaces = (await firm.do("workspace.list"))["items"]
    work = (await firm.do("org.list"))["items"]
    return {
        "workspace": next(each["slug"] for each in spaces if "ann" in each["slug"]),
        "works": next(each["slug"] for each in work if each["name"] == "Works"),
    }


@pytest.mark.parametrize("who", ["bob", "operator", "worker"])
async def test_nobody_gets_a_right_by_drawing_or_cutting_a_link(firm, ends, who):
    worker = (await firm.do("auth.token", worker="bob", scopes=["read", "write"]))["token"]
    token = worker if who == "worker" else await firm.agent(who)

    for source, edge, target in LINKS:
        for verb in ("graph.link", "graph.unlink"):
            link = {"source": ends.get(source, source), "edge": edge, "target": ends.get(target, target)}
            refused = await firm.call(verb, **link, _token=token)

            assert refused.error and refused.error["code"] == "cross_scope_violation", (verb, link, refused)
            assert edge in refused.error["message"] and "--help" in refused.error["message"]
            assert refused.error["details"]["ask"] == "founder"


async def test_another_s_workspace_is_not_merged_by_drawing_it_to_one_s_own_mission(firm, ends):
    bob, space = await firm.agent("bob"), ends["workspace"]

    await firm.call("graph.link", source=space, edge="for_mission", target="of-bob", _token=bob)
    merged = await firm.call("workspace.merge", ref=space, _token=bob)

    assert merged.error["code"] == "cross_scope_violation" and "of-ann" in merged.error["message"]


async def test_another_s_mission_is_not_given_other_files_and_nobody_s_skill_is_taken(firm):
    bob = await firm.agent("bob")

    space = await firm.call("workspace.create", name="trap", mission="of-ann", _token=bob)
    skill = await firm.call("skill.revoke", skill="disk-health", agent="ann", _token=bob)

    assert [each.error["code"] for each in (space, skill)] == ["cross_scope_violation"] * 2
    assert (await firm.call("workspace.create", name="own", mission="of-bob", _token=bob)).ok


async def test_another_s_schedule_is_not_ended_by_taking_it_over(firm):
    bob = await firm.agent("bob")

    await firm.call("graph.link", source="look", edge="assigned_to", target="bob", _token=bob)
    removed = await firm.call("schedule.remove", ref="look", _token=bob)

    assert removed.error["code"] == "cross_scope_violation"
    assert (await firm.do("schedule.show", ref="look"))["props"]["status"] == "active"


async def test_no_agent_moves_into_an_organisation_by_a_link(firm, ends):
    bob = await firm.agent("bob")

    await firm.call("graph.link", source="bob", edge="in_organisation", target=ends["works"], _token=bob)
    exported = await firm.call("org.export", org=ends["works"], _token=bob)

    assert exported.error["code"] == "cross_scope_violation"


async def test_what_people_linked_no_agent_takes_back(firm, ends):
    joined = await firm.call("graph.link", source="bob", edge="in_organisation", target=ends["works"])

    undone = await firm.call("action.undo", id=str(joined.action_id), _token=await firm.agent("ann"))

    assert undone.error["code"] == "not_found", undone.error
    assert any(link["edge"] == "in_organisation" for link in (await firm.do("graph.links", ref="bob"))["items"])


async def test_people_link_what_they_did_before(firm, ends):
    for verb in ("graph.link", "graph.unlink"):
        await firm.do(verb, source="bob", edge="in_organisation", target=ends["works"])
        await firm.do(verb, source="of-ann", edge="depends_on", target="of-bob")


async def test_agents_link_what_they_know(firm):
    bob = await firm.agent("bob")
    await firm.do("entity.create", name="Acme", _token=bob)
    await firm.do("contact.create", name="Ana", entity="acme", _token=bob)
    await firm.do("contact.create", name="Bo", manager="ana", _token=bob)
    await firm.do("memo.create", title="Week", content_md="x", about="acme", _token=bob)
    await firm.do("project.create", name="Site", entity="acme", _token=bob)
    await firm.do("task.create", title="Call", project="site", owner="bob", _token=bob)
    await firm.do("review.create", question_text="Which?", about="acme", _token=bob)

    for source, edge, target in [
        ("week", "related_to", "acme"),
        ("week", "mentions", "ana"),
        ("week", "about", "site"),
        ("call", "related_to", "of-ann"),
        ("call", "depends_on", "site"),
        ("call", "spawned_from", "week"),
        ("bo", "reports_to", "ana"),
        ("site", "led_by", "bob"),
        ("of-bob", "blocked_by", "call"),
    ]:
        for verb in ("graph.link", "graph.unlink"):
            outcome = await firm.call(verb, source=source, edge=edge, target=target, _token=bob)
            assert outcome.ok, (edge, outcome.error)


async def test_a_link_that_there_is_not_is_still_told_apart_from_one_that_one_may_not_draw(firm):
    bob = await firm.agent("bob")
    await firm.do("memo.create", title="Week", content_md="x", _token=bob)

    unknown = await firm.call("graph.link", source="week", edge="mention", target="bob", _token=bob)
    unlike = await firm.call("graph.link", source="week", edge="assigned_to", target="bob", _token=bob)

    assert "did you mean" in unknown.error["message"]
    assert unlike.error["code"] == "invalid" and "does not join a memo" in unlike.error["message"]


async def test_what_a_review_was_settled_by_is_not_said_when_it_is_made(firm):
    """An argument that draws such a link is asked about, as the rest of what goes too far."""
    bob = await firm.agent("bob")

    outcome = await firm.call("review.create", question_text="Which?", resolved_by="bob", _token=bob)

    assert outcome.error["code"] == "waiting" and (await firm.do("review.list"))["items"] == []
