"""`intent.md`: prose that people edit, lists that agents are told, a history in the graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from hq.org.intent import parse, rewritten
from hq.org.prompt import identity_sections, place_of, seat_sections
from hq.org.types import OrgIntent

PROSE = """# Why we are here

We build things that last.

## Optimise for

These come first:

- Quality
- Delivery that is
  small and tested

## Our history

- Founded in a kitchen

## Never sacrifice
1. Security for convenience
"""


@pytest.fixture
def file(team, tmp_path) -> Path:
    return next(tmp_path.glob(f"companies/*/data/organisations/{team.slug}/intent.md"))


def test_lists_are_read_under_their_headings_and_nothing_else():
    found = parse(PROSE)

    assert found.optimise_for == ["Quality", "Delivery that is small and tested"]
    assert found.never_sacrifice == ["Security for convenience"]
    assert found.protect == found.constraints == []


def test_new_lists_leave_the_prose():
    text = rewritten(PROSE, OrgIntent(optimise_for=["Speed"], constraints=["Tested"]))

    assert parse(text) == OrgIntent(optimise_for=["Speed"], constraints=["Tested"])
    for kept in ("We build things that last.", "These come first:", "- Founded in a kitchen"):
        assert kept in text
    assert "Security" not in text


async def test_a_written_intent_is_in_the_file_and_in_the_graph(hq, team, file):
    await hq.do("org_intent.write", body=PROSE)

    assert file.read_text() == PROSE
    assert (await hq.do("org_intent.read"))["intent"]["optimise_for"][0] == "Quality"


async def test_what_somebody_writes_into_the_file_counts_and_can_be_recorded(hq, team, file, clock):
    then = clock.now().isoformat()
    clock.advance(hours=1)
    file.write_text(PROSE)

    assert (await hq.do("org.status"))["intent"].startswith("edited")
    assert '"Founded in a kitchen"' not in await team.document()
    assert '- "Quality"\n' in await team.document()

    await hq.do("org_intent.sync")

    assert (await hq.do("org.status"))["intent"] == "recorded"
    assert "Code quality and robustness" in (await hq.do("org_intent.read", _at=then))["text"]


async def test_an_import_changes_the_lists_and_keeps_the_prose(hq, team, file):
    await hq.do("org_intent.write", body=PROSE)

    await hq.do("org.import", document="organisation: {organisation_id: 1, intent: {protect: [Sleep]}}")

    assert parse(file.read_text()) == OrgIntent(
        optimise_for=["Quality", "Delivery that is small and tested"],
        protect=["Sleep"],
        never_sacrifice=["Security for convenience"],
    )
    assert "We build things that last." in file.read_text()


async def test_a_write_that_never_reached_the_disk_is_made_up_for(hq, team, file):
    before = file.read_text()
    await hq.do("org_intent.write", body=PROSE)
    file.write_text(before)  # as if the process had died between the commit and the file

    assert (await hq.do("org_intent.read"))["text"] == PROSE


async def test_after_an_undo_the_file_no_longer_counts(hq, team):
    before = await team.document()
    done = await hq.call("org_intent.write", body=PROSE)

    await hq.do("action.undo", id=str(done.action_id))

    assert await team.document() == before


async def test_every_agent_of_an_organisation_is_told_its_intent_and_its_place(hq, team):
    await hq.do("agent.hire", name="Forge", position_id=5)

    section = await told(hq, "forge")

    assert (
        "Your seat is Developer of Development. You report to Project Manager (vacant, so chief, the CEO)." in section
    )
    assert "- Never sacrifice: Quality for speed; Security for convenience." in section


async def test_an_agent_of_no_organisation_is_told_of_no_seat(hq):
    await hq.do("org.create", template="solo-founder")
    await hq.do("agent.hire", name="Forge", org="Office", title="Helper", role="helper")
    await hq.do("graph.unlink", source="forge", edge="in_organisation", target="general-office-1")
    await hq.do("position.remove", position_id=5, unassign=True)

    section = await told(hq, "forge")
    assert "You report to chief, the CEO." in section and "Your seat" not in section and "holds to" not in section


async def told(hq, agent: str) -> str:
    """What the function for the agents' context gives, in a transaction of the door's."""
    from hq.door.tx import Call

    call = Call("tenant.show", {}, hq.token)
    async with hq.door.opened(hq.door.registry.get("tenant.show"), call) as tx:
        found = await tx.get(agent)
        place = await place_of(tx, found)
        told = [*await identity_sections(tx, found, place), *await seat_sections(tx, found, place)]
        return "\n\n".join(text for _, text in told)
