"""An OpenSpec task list becomes missions; imported again it changes those it made."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hq.errors import Refused
from hq.missions.openspec_import import read
from tests.support.heart import Heart

TASKS = """# Tasks: Add login

Some prose that is nobody's task.

## 1. Backend
- [x] 1.1 Create the table
- [ ] 1.2 Write the API
  - with pagination
## 2. Frontend
- [ ] 2.1 Build the form
"""


async def missions(hq) -> dict[str, str]:
    return {row["title"]: row["status"] for row in (await hq.do("mission.list"))["items"]}


async def test_sections_and_tasks_become_nested_missions(firm, hq):
    made = await hq.do("mission.import", document=TASKS, spec_ref="changes/add-login", in_order=True)

    assert (made["created"], made["updated"], made["closed"]) == (6, 0, 1)
    tree = await hq.do("mission.tree", ref="add-login")
    assert [row["title"].strip() for row in tree["items"]][:3] == ["Add login", "Backend", "Frontend"]
    assert tree["states"] == {"backlog": 3, "paused": 2, "done": 1}
    api = (await hq.do("mission.show", ref="write-the-api"))["props"]
    assert api["description"] == "- with pagination" and api["spec_ref"] == "changes/add-login 1.2"
    links = (await hq.do("mission.show", ref="frontend"))["links"]
    assert [link["slug"] for link in links if link["edge"] == "depends_on"] == ["backend"]


async def test_imported_again_it_changes_what_it_made_and_makes_what_is_new(firm, hq):
    await hq.do("mission.import", document=TASKS, spec_ref="changes/add-login")
    changed = TASKS.replace("Build the form", "Build two forms") + "- [ ] 2.2 Test them\n"

    again = await hq.do("mission.import", document=changed, spec_ref="changes/add-login")

    assert (again["created"], again["updated"]) == (1, 1)
    assert "Build two forms" in await missions(hq) and "Build the form" not in await missions(hq)


async def test_a_tick_that_no_person_brings_proves_nothing(firm, hq):
    made = await hq.do("mission.import", document=TASKS, _token=await firm.token("forge"))

    assert made["ticked"] == ["create-the-table"] and (await missions(hq))["Create the table"] == "paused"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- [ ] 1.1 Early", "line 1: a task before the first section"),
        ("## 1. A\n- [y] 1.1 B", "line 2: a task looks like"),
        ("## 1. A\n- [ ] 1.1 B\n- [ ] 1.1 C", "line 3: 1.1 was used in line 2"),
        ("## 1. A\njust words", "there is no task in it"),
    ],
)
async def test_what_is_wrong_is_said_with_its_line_and_nothing_is_made(firm, hq, text, says):
    refused = await hq.call("mission.import", document=text)

    assert refused.error["code"] == "invalid" and says in refused.error["message"]
    assert await missions(hq) == {}


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet=st.sampled_from("#-*[] x.12\nab\t"), max_size=200))
def test_any_text_is_read_or_refused(text):
    try:
        found = read(text)
    except Refused as error:
        assert error.message
    else:
        assert any(section.tasks for section in found.sections)


async def test_a_section_is_done_with_its_last_task_and_the_list_then_waits_for_a_yes(firm, hq):
    text = "# Login\n\n## 1. Form\n\n- [ ] 1.1 Build the form\n- [x] 1.2 Choose colours\n"
    await hq.do("mission.import", document=text)
    await hq.do("mission.assign", ref="build-the-form", to="forge")
    await hq.do("mission.accept", ref="build-the-form")
    await hq.do("mission.submit", ref="build-the-form", outcome="Built.")
    assert await firm.status("form") == "backlog"

    await hq.do("mission.sign_off", ref="build-the-form")

    assert (await firm.status("form"), await firm.status("login")) == ("done", "review")
    assert (await hq.do("mission.sign_off", ref="login"))["status"] == "done"


WEB = "# Web app\n\n## 1. Backend\n- [ ] 1.1 Write the web API in React\n- [ ] 1.2 Write tests\n"


async def test_an_imported_list_does_not_start_by_itself_and_is_asked_about_once(own_firm):
    hq, heart = own_firm.hq, Heart(own_firm.hq)
    await hq.do("agent.load")
    await hq.do("mission.import", document=WEB)

    for _ in range(3):
        await heart.beat(hours=1)

    assert set((await missions(hq)).values()) == {"paused", "backlog"}
    (ask,) = (await hq.do("ask.list"))["items"]
    (card,) = [card for card in await heart.cards() if card["ask"] == ask["slug"]]
    assert "Web app" in card["title"] and next(each["label"] for each in card["buttons"]) == "Start it"


async def test_a_yes_starts_what_was_imported(own_firm):
    hq, heart = own_firm.hq, Heart(own_firm.hq)
    await hq.do("agent.load")
    await hq.do("mission.import", document=WEB)
    (ask,) = (await hq.do("ask.list"))["items"]

    await hq.do("ask.answer", ask=ask["slug"], option="yes")
    await heart.beat(hours=1)

    assert (await missions(hq))["Write the web API in React"] == "assigned"


async def test_what_a_person_imported_no_agent_starts(firm, hq):
    await hq.do("mission.import", document=WEB)
    chief = await firm.token("chief")
    (ask,) = (await hq.do("ask.list"))["items"]

    tried = [
        await hq.call("mission.resume", ref="web-app", _token=chief),
        await hq.call("mission.assign", ref="write-tests", to="forge", _token=chief),
        await hq.call("mission.assign", ref="backend", to="forge", _token=chief),
        await hq.call("ask.answer", ask=ask["slug"], option="yes", _token=chief),
    ]

    assert [each.error["code"] for each in tried] == ["cross_scope_violation"] * 3 + ["forbidden"]
    assert (await missions(hq))["Write tests"] == "paused"


async def test_who_imported_starts_one_or_all_and_then_nobody_is_asked_any_more(firm, hq):
    forge = await firm.token("forge")
    await hq.do("mission.import", document=WEB, _token=forge)
    await hq.do("mission.assign", ref="write-tests", to="forge", _token=forge)
    assert len((await hq.do("ask.list"))["items"]) == 1

    await hq.do("mission.resume", ref="web-app", _token=forge)

    assert (await missions(hq))["Write the web API in React"] == "backlog"
    assert (await hq.do("ask.list"))["items"] == []


async def test_what_is_imported_later_is_asked_about_with_what_still_rests(firm, hq):
    whole = await firm.mission("The shop")
    await hq.do("mission.import", document=WEB, parent=whole)
    await hq.do("mission.import", document=WEB + "- [ ] 1.3 Write the manual\n", parent=whole)
    (ask,) = (await hq.do("ask.list"))["items"]

    await hq.do("ask.answer", ask=ask["slug"], option="yes")

    assert set((await missions(hq)).values()) == {"backlog"}
    assert (await hq.do("proposal.show", ref=ask["slug"]))["props"]["status"] == "applied"


async def test_a_part_of_what_rests_is_not_given_out(own_firm):
    hq, heart = own_firm.hq, Heart(own_firm.hq)
    await hq.do("agent.load")
    whole = await own_firm.mission("The shop")
    part = await own_firm.mission("Write the web app in React", parent=whole)
    await hq.do("mission.pause", ref=whole, why="not yet")

    await heart.beat(hours=1)

    assert await own_firm.status(part) == "backlog"


async def test_a_persona_without_a_seat_is_given_nothing_by_itself(firm, hq):
    await hq.do("org.create", name="Shop", purpose="Sells bread.")
    await hq.do("role.create", name="baker")
    hired = await hq.do("agent.hire", name="Ada", role="baker", title="Baker", about="Bakes sourdough bread.")
    bread = await firm.mission("Bake sourdough bread")
    before = (await hq.do("mission.brief", ref=bread))["agent"]
    await hq.do("org.unassign", position_id=hired["position_id"])

    refused = await hq.call("mission.assign", ref=bread)

    assert before and refused.error["code"] == "conflict" and before not in refused.error["message"]
