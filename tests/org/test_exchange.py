"""An organisation as YAML: out, in again, changed, refused; always whole (seed 003 §1.2 and §1.4)."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

SEED = (Path(__file__).parent / "seed.yaml").read_text()


async def test_the_document_of_the_seed_comes_out_as_it_went_in(hq):
    await hq.do("org.import", document=SEED)

    exported = (await hq.do("org.export", org="software-development-development-1"))["document"]

    assert yaml.safe_load(exported) == yaml.safe_load(SEED)


async def test_out_in_and_out_again_gives_the_same_bytes(hq, team):
    document, elsewhere = await team.document(), await hq.tenant()

    await hq.do("org.import", document=document, _token=elsewhere)

    assert (await hq.do("org.export", _token=elsewhere))["document"] == document


async def test_an_export_imported_where_it_came_from_changes_nothing(hq, team):
    done = await hq.do("org.import", document=await team.document())

    assert (done["created"], done["updated"]) == (0, 0)


async def test_a_known_id_updates_and_what_is_not_mentioned_stays(hq, team):
    before = yaml.safe_load(await team.document())
    await hq.do(
        "org.import",
        document="""
organisation: {organisation_id: 1, description: Smaller}
positions:
  - {position_id: 5, title: Builder, level: 4}
""",
    )

    after = yaml.safe_load(await team.document())

    before["organisation"]["description"] = "Smaller"
    before["positions"][4] |= {"title": "Builder", "level": 4}
    assert after == before


async def test_without_an_id_a_seat_is_created(hq, team):
    done = await hq.do(
        "org.import",
        document="""
organisation: {organisation_id: 1}
roles: [{name: writer}]
positions: [{title: Technical Writer, role: writer, reports_to: project manager}]
""",
    )

    assert [change["name"] for change in done["changes"]] == ["writer", "Technical Writer"]
    assert (await team.seat("Technical Writer"))["reports_to"] == "Project Manager"


async def test_a_seat_somebody_else_holds_is_a_conflict_until_forced(hq, team):
    await hq.do("persona.create", name="Ada", role="architect")
    document = """
organisation: {organisation_id: 1}
positions: [{position_id: 1, assignment: {persona_slug: architect-ada-4}}]
"""
    previewed = await hq.do("org.import", document=document, preview=True)
    refused = await hq.call("org.import", document=document)

    assert previewed["conflicts"] == [
        "line 3: Principal Architect is held by architect-robbo-1, the document gives it to architect-ada-4"
    ]
    assert refused.error["code"] == "conflict" and "--force" in refused.error["hint"]
    assert (await team.seat("Principal Architect"))["persona_slug"] == "architect-robbo-1"

    await hq.do("org.import", document=document, force=True)

    history = await hq.do("org.assignments", include_history=True)
    assert (await team.seat("Principal Architect"))["persona_slug"] == "architect-ada-4"
    assert [(row["persona_slug"], row["status"]) for row in history["items"] if row["position_id"] == 1] == [
        ("architect-robbo-1", "ended"),
        ("architect-ada-4", "active"),
    ]


async def test_an_empty_seat_in_the_document_leaves_who_sits_there(hq, team):
    await hq.do(
        "org.import", document="organisation: {organisation_id: 1}\npositions: [{position_id: 1, assignment: null}]"
    )

    assert (await team.seat("Principal Architect"))["persona_slug"] == "architect-robbo-1"


async def test_a_preview_shows_what_would_be_and_does_nothing(hq, team):
    before = await team.document()
    told = await hq.do(
        "org.import",
        document="organisation: {organisation_id: 1, intent: {protect: [Sleep]}}\nroles: [{role_id: 2, name: lead}]",
        preview=True,
    )

    assert [(row["change"], row["type"], row["fields"]) for row in told["changes"]] == [
        ("update", "role", ["name"]),
        ("update", "persona", ["role"]),
        ("update", "intent", ["protect"]),
    ]
    assert await team.document() == before


async def test_one_fault_anywhere_and_nothing_is_imported(hq, team):
    before = await team.document()
    document = before.replace('title: "Developer"', 'title: "Engineer"') + "  - {title: Odd, role: nobody}\n"

    refused = await hq.call("org.import", document=document)

    assert refused.error["code"] == "invalid"
    assert refused.error["message"].startswith(f"line {document.count(chr(10))}: there is no role 'nobody'")
    assert await team.document() == before


TOP = "organisation: {organisation_id: 1}\n"


@pytest.mark.parametrize(
    ("document", "line", "says"),
    [
        (TOP + "positions:\n  - {position_id: 1, reports_to: Developer}", 3, "is a circle"),
        (TOP + "positions:\n  - {position_id: 3, reports_to: Project Manager}", 3, "Project Manager → Project Manager"),
        (TOP + "positions:\n  - {position_id: 1, escalates_to: AR Director}", 3, "is a circle"),
        (TOP + "positions:\n  - position_id: 1\n    escalates_to: Developer", 4, "who reports to it; escalate up"),
        (TOP + "positions:\n  - {position_id: 4, role: wizard}", 3, "there is no role 'wizard'"),
        (TOP + "positions:\n  - {position_id: 4, reports_to: Nobody}", 3, "there is no such seat"),
        (TOP + "positions:\n  - {position_id: 4, reports_to: Project Manger}", 3, "did you mean 'Project Manager'"),
        (TOP + "positions:\n  - {position_id: 4, title: developer}", 3, "there is already a seat"),
        (TOP + "positions:\n  - {title: Developer, role: developer}", 3, "there is already a seat 'Developer'"),
        (TOP + "positions:\n  - {position_id: 4}\n  - {position_id: 4}", 4, "position_id 4 is said twice"),
        (TOP + "positions:\n  - {title: Cook}", 3, "needs a role"),
        (TOP + "positions:\n  - {role: qa}", 3, "needs a title"),
        (TOP + "positions:\n  - titel: Cook", 3, "did you mean 'title'"),
        (TOP + "positions:\n  - agent_state: IDLE", 3, "runtime state, which is never imported"),
        (TOP + "positions:\n  - {position_id: 4, level: high}", 3, "level takes a whole number"),
        (TOP + "positions:\n  - {position_id: 4, is_cross_cutting: maybe}", 3, "takes true or false"),
        (TOP + "positions:\n  - {position_id: 4, authority: {spend_per_session: -1}}", 3, "from 0 on"),
        (TOP + "positions: {}", 2, "positions takes a list"),
        (TOP + "people: []", 2, "has no key 'people'"),
        (TOP + "roles:\n  - {role_id: 1, name: pm}", 3, "role 1 here is 'architect'"),
        (TOP + "roles:\n  - {description: x}", 3, "a new role needs a name"),
        ("organisation: {organisation_id: 1, slug: other-1}", 1, "organisation 1 here is"),
        ("organisation: {organisation_id: 9, name: A, purpose: b, slug: b-a-8}", 1, "does not end with its number"),
        ("organisation: {name: A}", 1, "needs a purpose"),
        ("organisation: {organisation_id: 1, status: asleep}", 1, "takes active, dormant, archived"),
        ("roles: []", 1, "there is no organisation"),
        ("- a", 1, "the document is a table"),
        ("", 0, "must not be empty"),
        ("# nothing", 1, "the document is empty"),
        ("organisation: {a: 1\nroles: []", 2, "not YAML"),
        ("organisation: &a {name: *a}", 1, "anchors and aliases"),
        ("organisation: !!python/object:os.system {}", 1, "the tag"),
        ("organisation: {name: a, name: b}", 1, "name is said twice"),
        ("organisation: {}\n---\nroles: []", 2, "a second document"),
        ("organisation: " + "[" * 100_000, 1, "nested too deep"),
        ("organisation: [" + "a," * 60_000 + "]", 1, "more than 50,000 values"),
        (TOP + "positions:\n  - {position_id: 1, assignment: {persona_id: 1, persona_slug: pm-x-1}}", 3, "persona 1 here is"),
        (TOP + "positions:\n  - {position_id: 4, assignment: {persona_slug: pm-x-1}}", 3, "there is no persona"),
        (TOP + "positions:\n  - {position_id: 4, assignment: {persona_id: 40}}", 3, "needs a persona_name"),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_found_with_its_line(hq, team, document, line, says):
    before = await team.document()
    refused = await hq.call("org.import", document=document)
    checked = await hq.call("org.validate", document=document)

    assert refused.error["code"] == "invalid"
    assert says in refused.error["message"], refused.error["message"]
    if line:
        assert any(said.startswith(f"line {line}: ") for said in refused.error["message"].splitlines())
        assert checked.data["valid"] is False and any(says in fault for fault in checked.data["faults"])
    assert await team.document() == before


async def test_all_faults_are_told_at_once(hq):
    document = "organisation: {name: A}\nroles: [{nam: x}]\npositions: [{level: 0}]"

    checked = await hq.do("org.validate", document=document)

    assert [fault.partition(":")[0] for fault in checked["faults"]] == [
        "line 1",
        "line 2",
        "line 2",
        "line 3",
        "line 3",
    ]


async def test_a_seat_far_from_the_top_that_reports_to_nobody_is_odd_but_can_be(hq):
    document = "organisation: {name: A, purpose: b}\nroles: [{name: r}]\npositions: [{title: T, role: r, level: 3}]"

    checked = await hq.do("org.validate", document=document)

    assert checked["valid"] and "reports to nobody" in checked["warnings"][0]


async def test_another_companys_export_is_not_taken_for_ones_own(hq, team):
    elsewhere = await hq.tenant()
    await hq.do("org.create", template="economy", _token=elsewhere)
    other = (await hq.do("org.export", _token=elsewhere))["document"]
    before = await team.document()

    refused = await hq.call("org.import", document=other)
    done = await hq.do("org.import", document=other, as_new=True)

    assert "organisation 1 here is software-development-development-1" in refused.error["message"]
    assert done["slug"] == "economy-economy-2"
    assert await team.document() == before


async def test_a_removed_seat_comes_back_by_its_id(hq, team):
    document = await team.document()
    await hq.do("position.remove", position_id=3, reparent=True, unassign=True)

    await hq.do("org.import", document=document)

    seat = await team.seat("Project Manager")
    assert (seat["position_id"], seat["persona_slug"], len(seat["direct_reports"])) == (3, "pm-gavin-3", 3)


async def test_an_import_is_taken_back_as_one(hq, team):
    before = await team.document()
    done = await hq.call("org.import", document=before.replace("Incremental", "Daily").replace('"QA Lead"', '"Tester"'))
    assert await team.document() != before

    await hq.do("action.undo", id=str(done.action_id))

    assert await team.document() == before


async def test_the_past_can_be_exported(hq, team, clock):
    before, then = await team.document(), clock.now().isoformat()
    clock.advance(days=1)
    await hq.do("org.unassign", position_id=1)
    await hq.do("position.update", position_id=5, title="Builder", reports_to="founder")
    await hq.do("org_intent.write", body="## Protect\n\n- Sleep")

    assert await team.document(_at=then) == before
    assert await team.document() != before
