"""An OpenSpec task list becomes missions; imported again it changes those it made."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hq.errors import Refused
from hq.missions.openspec_import import read

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
    assert tree["states"] == {"backlog": 5, "done": 1}
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

    assert made["ticked"] == ["create-the-table"] and (await missions(hq))["Create the table"] == "backlog"


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
