"""Which tool was meant by a name that there is not."""

from __future__ import annotations

import pytest

from hq.door.tool_call import nearest_tool

KNOWN = ["mission_show", "mission_list", "mission_create", "agent_list", "task_update", "memory_search"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("count_missions", "mission_list"),
        ("get_all_agents", "agent_list"),
        ("mission_view", "mission_show"),
        ("mission_status", "mission_show"),
        ("mission_look", "mission_show"),
        ("new_mission", "mission_create"),
        ("edit_task", "task_update"),
        ("mission_crate", "mission_create"),
        ("memory_serch", "memory_search"),
    ],
)
def test_a_tool_is_found_by_its_noun_and_what_it_does(name: str, meant: str) -> None:
    assert nearest_tool(name, KNOWN) == f"; did you mean {meant!r}?"


def test_nothing_near_says_nothing() -> None:
    assert nearest_tool("frobnicate", KNOWN) == ""
