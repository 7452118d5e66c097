"""The catalogue: every kind of thing and link the seeds name is declared once, completely and consistently."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

from hq.app import catalogue
from hq.graph.types import Node, choices
from hq.memory import types as memory
from hq.rooms import rooms

NODES = tuple(node for room in rooms() for node in room.types)
EDGES = tuple(edge for room in rooms() for edge in room.edges)
CATALOGUE = catalogue()

NODE_TYPES = {
    "seed 002 §9": """
        entity contact engagement project feature task deliverable interaction conversation quote invoice payment
        expense intent expectation turn_state document memo kb_article decision risk open_question producer event
        agent_run agent_session agent_handover_memo memory_entry reasoning_trace agent_incident review playbook
        proposal triage_decision alert shopify_order""",
    "seed 002 §39": "success_example",
    "seed 000": """
        org_memory conversation_summary mission mission_memory brief delegation agent skill workspace question""",
    "seed 003": "organisation role position persona position_assignment handoff objective escalation",
    "seeds 001 and 004": "schedule approval grant budget",
}
EDGE_TYPES = {
    "provenance and participation": "produced_by authored_by from to cc has_participant touched",
    "containment": "part_of has_feature has_task belongs_to",
    "relationships": "about mentions owned_by works_for reports_to",
    "commercial": "fulfills covers proposes billed_to for_work settles charged_to",
    "dependencies": """
        blocked_by blocks depends_on related_to supersedes superseded_by duplicates duplicate_of spawned_from""",
    "intent and expectation": "extracted_from addressed_to fulfilled_by spawned owed_by owed_to",
    "agent and learning": "input_to decided validated_by applied_by resolved_by linked_trace",
    "DACI": "driven_by accountable consulted informed",
    "seed 000": "has_skill collaborates_with assigned_to parent_mission parent_brief child_brief",
    "seed 003": "escalates_to has_role in_organisation fills held_by",
}
LINKS = """
    document authored_by agent_run, memo authored_by contact, interaction from contact, agent_run touched task,
    interaction part_of conversation, agent_run part_of conversation, event part_of conversation,
    agent_session part_of conversation, agent_handover_memo part_of agent_session, project has_feature feature,
    feature has_task task, project has_task task, task belongs_to feature, interaction about entity,
    event about project, memo about engagement, intent about feature, expectation about engagement,
    memory_entry about project, org_memory about entity, decision about mission, risk about task,
    document mentions kb_article, project owned_by entity, contact owned_by entity, contact works_for entity,
    contact reports_to contact, project fulfills engagement, engagement covers entity, quote proposes engagement,
    invoice billed_to entity, invoice for_work feature, payment settles invoice, expense charged_to engagement,
    intent extracted_from interaction, intent addressed_to contact, intent fulfilled_by document,
    expectation fulfilled_by task, mission fulfilled_by deliverable, intent spawned task, event spawned task,
    interaction spawned task, expectation spawned_from intent, expectation owed_by contact, expectation owed_to entity,
    expectation supersedes expectation, reasoning_trace input_to interaction, reasoning_trace decided task,
    memory_entry validated_by reasoning_trace, memory_entry superseded_by memory_entry, playbook applied_by agent_run,
    review resolved_by contact, review resolved_by agent_run, agent_incident linked_trace reasoning_trace,
    task driven_by agent, task driven_by contact, task accountable contact, task consulted agent, task informed contact,
    mission assigned_to agent, brief for_mission mission, agent embodies persona,
    position reports_to position, position escalates_to position, position_assignment held_by persona,
    agent collaborates_with agent, task produced_by producer"""
COLUMNS = """
    id type slug number tags owner producer confidence taint created_at updated_at archived_at archived
    external_source external_id valid_from valid_to sequence embedding redaction"""
ARGUMENTS = "external tag since archived limit after ref clear at json text"


def listed(groups: dict[str, str]) -> list[str]:
    return [word for words in groups.values() for word in words.split()]


def models_in(model: type[BaseModel]) -> set[type[BaseModel]]:
    """The model and every model inside its fields."""
    found, waiting = set(), [model]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found.add(one)
        for info in one.model_fields.values():
            parts = [info.annotation]
            while parts:
                part = parts.pop()
                if isinstance(part, type) and issubclass(part, BaseModel):
                    waiting.append(part)
                parts += getattr(part, "__args__", ())
    return found


every_node = pytest.mark.parametrize("node", NODES, ids=lambda node: node.type)
every_schema = pytest.mark.parametrize("name, schema", list(CATALOGUE.schemas()), ids=lambda value: str(value)[:40])


@pytest.mark.parametrize("name", listed(NODE_TYPES))
def test_every_node_type_of_the_seeds_is_declared(name: str) -> None:
    assert name in CATALOGUE.nodes


@pytest.mark.parametrize("name", listed(EDGE_TYPES))
def test_every_edge_type_of_the_seeds_is_declared(name: str) -> None:
    assert name in CATALOGUE.edges


@pytest.mark.parametrize("link", [link.strip() for link in LINKS.split(",")])
def test_every_link_of_the_seeds_is_allowed(link: str) -> None:
    source, edge, target = link.split()
    assert CATALOGUE.edges[edge].joins(source, target)


@every_schema
def test_every_schema_is_valid_and_flat(name: str, schema: dict) -> None:
    Draft202012Validator.check_schema(schema)
    assert "$ref" not in json.dumps(schema) and "$defs" not in schema


@every_node
def test_every_class_and_field_says_what_it_is(node: type[Node]) -> None:
    for model in models_in(node):
        assert model.__doc__ and model.__doc__ != BaseModel.__doc__
        undescribed = [name for name, info in model.model_fields.items() if not info.description]
        assert not undescribed, f"{model.__name__} does not describe {undescribed}"


def test_edge_properties_say_what_they_are() -> None:
    for edge in CATALOGUE.edges.values():
        assert edge.meaning.endswith(".")
        for info in edge.props.model_fields.values() if edge.props else ():
            assert info.description


@every_node
def test_every_state_is_reached_from_the_first_which_is_where_a_thing_starts(node: type[Node]) -> None:
    states = node.states()
    if not states:
        return
    reached, waiting = set(), [states[0]]
    while waiting:
        state = waiting.pop()
        if state not in reached:
            reached.add(state)
            waiting += node.moves[state]

    assert reached == set(states)
    info = node.model_fields[node.state_field]
    assert info.is_required() or info.default == states[0]


@every_node
def test_a_thing_is_named_by_a_text(node: type[Node]) -> None:
    shown = node.model_json_schema()["properties"][node.title_field]
    assert shown.get("type") == "string", "a title may be blank, never missing"


@every_node
def test_what_a_type_points_at_among_its_fields_is_there(node: type[Node]) -> None:
    pointed = {*node.columns, *filter(None, (node.occurred, node.slug_prefix))}
    assert pointed <= set(node.model_fields)
    assert len(node.columns) <= 4 and node.title_field not in node.columns


@every_node
def test_no_field_hides_a_column_of_the_store_or_a_word_of_the_declaration(node: type[Node]) -> None:
    assert not set(COLUMNS.split()) & set(node.model_fields)
    assert not set(ARGUMENTS.split()) & {*node.model_fields, *node.relations}, "every noun's verbs take these already"
    assert not set(Node.__class_vars__) & set(node.model_fields)


@every_node
def test_relations_use_edges_this_type_has_and_names_no_field_has(node: type[Node]) -> None:
    assert not set(node.relations) & set(node.model_fields)
    for name, relation in node.relations.items():
        ends = CATALOGUE.edges[relation.edge].ends
        usable = any(node.type in targets for targets in ends.values()) if relation.inward else node.type in ends
        assert usable, f"{node.type}.{name}"


def test_an_edge_means_the_same_in_every_room() -> None:
    said = defaultdict(set)
    for edge in EDGES:
        said[edge.name].add((edge.meaning, edge.inverse, edge.props))

    assert {name: words for name, words in said.items() if len(words) > 1} == {}


def test_a_task_has_exactly_one_driver_and_one_accountable_person() -> None:
    assert {edge.name for edge in CATALOGUE.required_from("task")} == {"driven_by", "accountable"}
    assert {CATALOGUE.edges[name].cardinality for name in ("consulted", "informed")} == {"many"}


def test_only_these_things_cannot_be_without_a_link() -> None:
    required = {node.type: {edge.name for edge in CATALOGUE.required_from(node.type)} for node in NODES}
    assert {kind: names for kind, names in required.items() if names} == {
        "task": {"driven_by", "accountable"},
        "turn_state": {"turn_of"},
        "position_assignment": {"fills", "held_by"},
    }


@every_node
def test_what_is_required_can_be_given_as_an_argument(node: type[Node]) -> None:
    given = {relation.edge for relation in node.relations.values()}
    assert {edge.name for edge in CATALOGUE.required_from(node.type)} <= given


def test_the_organisation_is_numbered_and_its_slugs_begin_as_the_seed_says() -> None:
    numbered = {node.type: node.slug_prefix for node in NODES if node.numbered}
    assert numbered == {
        "organisation": "purpose",
        "role": None,
        "position": None,
        "persona": "role",
        "position_assignment": None,
    }


@pytest.mark.parametrize(
    "kind, field, values",
    [
        ("mission", "status", "backlog planning assigned in_progress review done failed taken_back paused"),
        ("mission", "priority", "low medium high critical"),
        ("project", "priority", "focus now next backlog"),
        ("engagement", "stage", "discovery proposal contract delivery partner declined"),
        ("feature", "complexity", "S M L XL"),
        ("expectation", "status", "open overdue resolved abandoned superseded"),
        ("turn_state", "state", "theirs ours third_party blocked closed"),
        ("producer", "kind", "conversation_channel agent_session project external_system internal_worker"),
        ("memory_entry", "kind", "fact pattern preference anti_pattern watch_item"),
        ("org_memory", "category", "decision preference fact lesson_learned context"),
        ("mission_memory", "kind", "note decision blocker finding question"),
        ("brief", "delegation_rules", "pre_approved request_approval autonomous"),
        ("approval", "status", "pending approved rejected expired cancelled done failed"),
        ("grant", "status", "active revoked expired used"),
        ("review", "status", "open deferred resolved dismissed expired"),
        ("proposal", "status", "pending accepted rejected applied rolled_back expired withdrawn"),
        ("event", "kind", "milestone development action state_change"),
        ("organisation", "status", "active dormant archived"),
    ],
)
def test_choices_are_the_words_of_the_seeds(kind: str, field: str, values: str) -> None:
    assert choices(CATALOGUE.nodes[kind], field) == tuple(values.split())


def test_all_fifteen_intents_of_the_seed_are_there() -> None:
    assert len(choices(CATALOGUE.node("intent"), "kind")) == 15


@pytest.mark.parametrize(
    "kind, days", [("fact", 30), ("pattern", 90), ("preference", 180), ("anti_pattern", None), ("watch_item", 30)]
)
def test_a_memory_decays_by_its_kind_unless_it_says_otherwise(kind: memory.MemoryKind, days: int | None) -> None:
    assert memory.MemoryEntry(kind=kind, body_md="x").decay_after_days == days
    assert memory.MemoryEntry(kind=kind, body_md="x", decay_after_days=7).decay_after_days == 7
    assert memory.MemoryEntry(kind=kind, body_md="x", decay_after_days=None).decay_after_days is None


@pytest.mark.parametrize(
    "model, props",
    [
        (memory.MemoryEntry, {"kind": "fact", "body_md": "x" * 501}),
        (memory.MemoryEntry, {"kind": "fact", "body_md": "x", "salience": 1.1}),
        (CATALOGUE.node("playbook"), {"title": "Reply", "body_md": "x" * 4097}),
        (CATALOGUE.node("task"), {"title": "  "}),
        (CATALOGUE.node("task"), {"title": "Call", "due": "0026-11-15T09:00:00Z"}),
        (CATALOGUE.node("grant"), {"actor": "agent:chief", "verb": "*", "granted_by": "founder"}),
        (CATALOGUE.node("organisation"), {"name": "Development"}),
    ],
)
def test_what_the_seeds_do_not_allow_is_refused(model: type[Node], props: dict) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(props)
