"""The command tree of seed 003 §1.3, verb by verb: what it does, and what it does only when told twice."""

from __future__ import annotations

import pytest


async def test_an_organisation_gets_a_slug_that_stays_and_a_directory_of_its_own(hq, tmp_path):
    made = await hq.do("org.create", name="Kent Ventures", purpose="economy")
    await hq.do("org.update", org="Kent Ventures", name="Clark Ventures")

    assert made["slug"] == "economy-kent-ventures-1"
    assert [org["name"] for org in (await hq.do("org.list"))["items"]] == ["Clark Ventures"]
    assert list(tmp_path.glob("companies/*/data/organisations/economy-kent-ventures-1/intent.md"))


async def test_a_name_that_several_have_is_not_enough(hq):
    for purpose in ("one", "two"):
        await hq.do("org.create", name="Twin", purpose=purpose)

    refused = await hq.call("org.tree", org="Twin")

    assert "say one-twin-1, two-twin-2" in refused.error["message"]
    assert (await hq.do("org.tree", org="two-twin-2"))["slug"] == "two-twin-2"


async def test_an_archived_organisation_comes_back_by_update(hq, team):
    assert (await hq.do("org.archive"))["status"] == "archived"
    assert (await hq.call("org.archive")).error["code"] == "conflict"
    assert (await hq.do("org.update", status="active"))["status"] == "active"


async def test_status_counts_seats_and_agents(hq, team):
    await hq.do("agent.hire", name="Forge", position_id=5)

    status = await hq.do("org.status")

    assert (status["positions"], status["filled"], status["vacant"], status["agents"]) == (6, 4, 2, 1)


async def test_the_tree_is_drawn(hq, team):
    assert (await hq.do("org.tree"))["tree"].splitlines() == [
        "Development (software-development)",
        "├── Principal Architect [architect]: Robbo",
        "│   └── Project Manager [pm]: Gavin",
        "│       ├── Senior Developer [developer]: vacant",
        "│       ├── Developer [developer]: vacant",
        "│       └── QA Lead [qa]: vacant",
        "└── AR Director [ar-director, cross-cutting]: Paula",
    ]


async def test_whoami_is_a_card_of_all_seats(hq, team):
    await hq.do("org.create", template="economy")
    await hq.do("org.assign", position_id=10, persona_slug="pm-gavin-3")

    card = await hq.do("org.whoami", persona_slug="pm-gavin-3")

    assert [seat["title"] for seat in card["positions"]] == ["Project Manager", "Trader"]
    assert card["positions"][0]["escalation_path"] == ["Principal Architect", "founder"]
    assert card["positions"][1]["intent"]["optimise_for"] == [
        "Revenue after cost and risk",
        "Evidence before conviction",
    ]
    assert card["positions"][1]["peers"] == ["Researcher (vacant)"]


async def test_a_role_is_there_once_and_takes_its_personas_along_when_renamed(hq, team):
    assert (await hq.call("role.create", name="PM")).error["code"] == "conflict"

    await hq.do("role.update", role="pm", name="lead")

    assert (await hq.do("persona.show", slug="pm-gavin-3"))["role"] == "lead"
    assert (await team.seat("Project Manager"))["role"] == "lead"


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({"title": "developer", "role": "developer"}, "there is already a seat 'Developer'"),
        ({"title": "New", "role": "wizard"}, "there is no role 'wizard'"),
        ({"title": "New"}, "say which role"),
        ({"title": "New", "role": "qa", "reports_to": "Nobody"}, "has no seat 'Nobody'"),
        ({"title": "  ", "role": "qa"}, "title"),
    ],
)
async def test_a_seat_that_would_not_fit_is_refused(hq, team, args, says):
    refused = await hq.call("position.create", **args)

    assert says in refused.error["message"]


async def test_no_command_makes_a_circle(hq, team):
    reporting = await hq.call("position.update", position_id=1, reports_to="QA Lead")
    escalating = await hq.call("position.update", position_id=1, escalates_to="AR Director")

    assert "is a circle" in reporting.error["message"]
    assert "is a circle" in escalating.error["message"]


async def test_two_changes_at_once_cannot_make_a_circle_together(hq, team):
    import asyncio

    both = await asyncio.gather(
        hq.call("position.update", position_id=4, reports_to="Developer"),
        hq.call("position.update", position_id=5, reports_to="Senior Developer"),
    )

    assert sorted(each.ok for each in both) == [False, True]


async def test_a_seat_with_reports_goes_only_with_reparent(hq, team):
    blast = await hq.do("position.remove", position_id=3, preview=True)
    refused = await hq.call("position.remove", position_id=3, unassign=True)
    filled = await hq.call("position.remove", position_id=3, reparent=True)

    assert blast["reports"] == ["Senior Developer", "Developer", "QA Lead"] and blast["persona_slug"] == "pm-gavin-3"
    assert "--reparent" in refused.error["hint"] and "--unassign" in filled.error["hint"]

    await hq.do("position.remove", position_id=3, reparent=True, unassign=True)

    developer = await team.seat("Developer")
    assert (developer["reports_to"], developer["escalates_to"]) == ("Principal Architect", "Principal Architect")
    assert [p["slug"] for p in (await hq.do("org.available_personas"))["items"]] == ["pm-gavin-3"]


async def test_removing_a_seat_is_undone_whole(hq, team):
    before = await team.document()
    done = await hq.call("position.remove", position_id=3, reparent=True, unassign=True)

    await hq.do("action.undo", id=str(done.action_id))

    assert await team.document() == before


async def test_a_held_seat_is_given_to_another_only_with_reassign(hq, team):
    refused = await hq.call("org.assign", position_id=1, persona_slug="pm-gavin-3")
    assert "--reassign" in refused.error["hint"]

    await hq.do("org.assign", position_id=1, persona_slug="pm-gavin-3", reassign=True, _reason="Robbo retires")

    history = (await hq.do("org.assignments", include_history=True, persona_slug="architect-robbo-1"))["items"]
    assert [(row["status"], row["note"]) for row in history] == [("ended", "Robbo retires")]
    assert [s["title"] for s in (await hq.do("org.vacancies"))["items"]] == ["Senior Developer", "Developer", "QA Lead"]


async def test_an_assignment_made_before_a_seat_was_removed_is_still_told(hq, team):
    await hq.do("position.remove", position_id=2, unassign=True)

    history = (await hq.do("org.assignments", include_history=True))["items"]

    assert [(row["title"], row["status"]) for row in history][1] == ("AR Director", "ended")


async def test_a_persona_in_a_seat_is_archived_only_with_unassign(hq, team):
    refused = await hq.call("persona.archive", slug="pm-gavin-3")
    sneaking = await hq.call("persona.update", slug="pm-gavin-3", status="archived")
    assert "--unassign" in refused.error["hint"] and "--unassign" in sneaking.error["hint"]

    await hq.do("persona.archive", slug="pm-gavin-3", unassign=True)

    assert "is archived" in (await hq.call("org.assign", position_id=3, persona_slug="pm-gavin-3")).error["message"]
    await hq.do("persona.update", slug="pm-gavin-3", status="active")
    await hq.do("org.assign", position_id=3, persona_slug="pm-gavin-3")


async def test_a_personas_words_are_files(hq, team, tmp_path):
    await hq.do("persona.write_skill", slug="pm-gavin-3", body="# Gavin\n\nPlans backwards.")
    await hq.do("persona.append_experience", slug="pm-gavin-3", body="- Ask early")
    await hq.do("persona.append_experience", slug="pm-gavin-3", body="- Ask again")

    folder = next(tmp_path.glob("companies/*/data/personas/pm-gavin-3"))
    assert (folder / "skill.md").read_text() == "# Gavin\n\nPlans backwards.\n"
    assert (folder / "experience.md").read_text().endswith("\n- Ask early\n\n- Ask again\n")
    assert (await hq.do("persona.skill", slug="pm-gavin-3"))["text"].endswith("Plans backwards.\n")


async def test_files_that_were_lost_read_as_they_began(hq, team, tmp_path):
    folder = next(tmp_path.glob("companies/*/data/personas/pm-gavin-3"))
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()

    assert "# Gavin" in (await hq.do("persona.skill", slug="pm-gavin-3"))["text"]
    await hq.do("persona.append_experience", slug="pm-gavin-3", body="- Keep copies")
    assert (folder / "experience.md").read_text() == "# What Gavin has learned\n\n- Keep copies\n"


async def test_fit_is_evidence_side_by_side(hq, team):
    fit = await hq.do("org.assess_fit", position_id=5, persona_slug="pm-gavin-3")

    assert fit["position"]["role_description"] == "Implementation, code quality, testing"
    assert (fit["same_role"], fit["vacant"]) == (False, True)
    assert "# Gavin" in fit["skill"] and fit["intent"]["never_sacrifice"][0] == "Quality for speed"
    assert fit["persona"]["seats_held"] == ["Gavin as Project Manager (active)"]


async def test_personas_and_roles_are_the_companys_everything_else_an_organisations(hq, team):
    await hq.do("org.create", name="Other", purpose="marketing")

    assert (await hq.do("position.list", org="Other"))["items"] == []
    assert (await hq.do("position.create", org="Other", title="Developer", role="developer"))["position_id"] == 7
    refused = await hq.call("position.update", position_id=7, reports_to="Project Manager")
    assert "Other has no seat 'Project Manager'" in refused.error["message"]


async def test_another_company_sees_none_of_it(hq, team):
    elsewhere = await hq.tenant()

    assert (await hq.do("org.list", _token=elsewhere))["items"] == []
    assert (await hq.call("org.export", org=team.slug, _token=elsewhere)).error["code"] == "not_found"
    assert (await hq.call("persona.skill", slug="pm-gavin-3", _token=elsewhere)).error["code"] == "not_found"


@pytest.mark.parametrize("kind", ["solo-founder", "software-team", "economy"])
async def test_a_template_is_a_whole_organisation(hq, kind):
    made = await hq.do("org.create", template=kind, name="Mine")
    document = (await hq.do("org.export", org=made["slug"]))["document"]
    checked = await hq.do("org.validate", document=document)

    assert made["name"] == "Mine" and checked == {"valid": True, "faults": [], "warnings": []}
