"""The rule of who may: its pure part, that every verb declares, and that no room decides it a second time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args
from uuid import uuid4

import pytest

import hq
from hq.app import owners, registry
from hq.door.access import NEAREST_FIRST, Touch, Who, check_for, reach, reaches, who_is
from hq.door.caller import Caller
from hq.door.verb import Args, Result, verb
from hq.errors import Refused

SOURCE = Path(hq.__file__).parent
CHECKS = re.compile(r"caller\.(human|kind|house)\b|\bcheck_reach\(tx")
LEFT = {
    "agents/control.py": 1,  # who thaws what the guard froze
    "agents/handoff/verbs.py": 1,
    "agents/hire.py": 2,
    "agents/permissions.py": 1,
    "skills/risk.py": 1,
    "agents/subagents/verbs.py": 2,
    "agents/subagents/scope.py": 1,
    "agents/thread.py": 3,
    "asks/authority.py": 2,  # who may answer an ask is decided there, of each ask
    "asks/desk.py": 1,
    "asks/verbs.py": 2,
    "connectors/verbs.py": 2,
    "guard/freeze.py": 1,
    "memory/verbs.py": 3,
    "org/authority.py": 6,
    "org/decisions.py": 2,
    "org/yaml_verbs.py": 1,
    "org/intent_verbs.py": 2,
    "org/organisations.py": 1,
    "org/positions.py": 2,
    "org/position_removal.py": 1,
    "org/assignment.py": 3,
    "sql/verbs.py": 1,
    "missions/delegation/verbs.py": 1,
    "missions/escalation/verbs.py": 2,
    "messages/inbox.py": 2,
    "messages/post.py": 3,
    "messages/verbs.py": 3,
    "missions/completion.py": 1,
    "missions/guarding.py": 1,
    "missions/openspec_import.py": 1,
    "missions/parties.py": 2,
    "tools/verbs.py": 1,
    "coding/verbs.py": 1,
    "coding/run.py": 1,
    "workspace/session_tree.py": 2,
    "workspace/verbs/tree_verbs.py": 1,
}
"""Rooms that still look at who calls. Some only say it differently to a person; those that refuse are to go."""
HANDLERS = {
    "asks/proposals.py": 1,
    "jobs/run.py": 1,  # of a job, not of a verb
    "missions/escalation/verbs.py": 1,
}
"""Verbs' handlers that are still called past the door."""


def caller(kind: Any, role: Any = None) -> Caller:
    actor = {"founder": "user:ana", "house": "service:hq"}.get(kind, f"{kind}:scout")
    return Caller(
        uuid4(), uuid4(), uuid4(), kind, actor, frozenset(("read", "write")), None, None, "balanced", False, role
    )


def test_who_reaches_far_reaches_near():
    for n, near in enumerate(NEAREST_FIRST):
        assert [reaches(far, near) for far in NEAREST_FIRST] == [m >= n for m in range(len(NEAREST_FIRST))]


@pytest.mark.parametrize(
    ("kind", "role", "in_session", "is_"),
    [
        ("founder", None, False, {"founder"}),
        ("device", None, False, {"founder"}),
        ("agent", None, False, {"agent"}),
        ("agent", "ceo", True, {"agent", "ceo", "session"}),
        ("worker", "ceo", True, {"worker", "session"}),
        ("service", None, False, {"service"}),
        ("house", None, False, {"house"}),
    ],
)
def test_what_a_caller_is(kind, role, in_session, is_):
    assert who_is(caller(kind, role), in_session=in_session) == is_


def test_a_worker_reaches_no_further_than_any_agent():
    touch = Touch("ref", "mission", agent="own", ceo="tenant", operator="led")

    assert reach(touch, caller("agent", "ceo")) == "tenant" and reach(touch, caller("agent", "operator")) == "led"
    assert reach(touch, caller("agent")) == reach(touch, caller("worker", "ceo")) == "own"


def test_a_verb_that_names_nobody_is_no_verb():
    async def nothing(tx: Any, args: Args) -> Result:
        """Nothing."""
        return Result()

    with pytest.raises(TypeError, match="for_"):
        verb("nothing.do", "write")(nothing)  # type: ignore[call-arg]


def test_every_declaration_can_be_asked():
    for each in registry():
        assert set(each.for_) <= set(get_args(Who)), each.name
        for touch in each.touches:
            assert touch.noun in owners() and touch.arg in each.args.model_fields, each.name


def test_what_only_the_founder_holds_is_for_the_founder_alone():
    """Permissions are given under a scope that no credential of an agent, a worker or a service can hold."""
    for each in registry():
        if each.scope in ("founder", "install") and each.for_:
            assert each.for_ == ("founder",), each.name
    for name in ("approval.approve", "approval.reject", "proposal.accept", "grant.add", "connector.approve"):
        assert registry().get(name).scope == "founder"


def test_who_is_turned_away_hears_whom_to_ask():
    with pytest.raises(Refused) as refused:
        check_for(caller("agent"), registry().get("card.send"), in_session=True)

    assert refused.value.details["ask"] == "ceo"


def test_no_room_decides_again_who_may():
    assert _found(CHECKS) == LEFT, "fewer is better: take the line out; more belongs into the declaration"


def test_handlers_are_called_by_the_door():
    assert _found(re.compile(r"\.handler\(")) == HANDLERS


def _found(pattern: re.Pattern[str]) -> dict[str, int]:
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith("door/") and (
            many := len([1 for line in path.read_text().splitlines() if pattern.search(line)])
        ):
            found[name] = many
    return found


AS: dict[str, set[Who]] = {
    "founder": {"founder"},
    "ceo": {"agent", "ceo"},
    "operator": {"agent", "operator"},
    **{each: {"agent"} for each in ("lead", "report", "peer", "outsider")},
    "worker": {"worker"},
    "service": {"service"},
    "house": {"house"},
}


def test_the_pinned_table_is_what_the_declarations_say():
    """Whom a verb is not for is turned away; whoever else is, is so by whose it is or by what it lacks."""
    head, *lines = [line.split("\t") for line in Path(__file__).with_name("who_may.tsv").read_text().splitlines()]
    assert {line[0] for line in lines} == set(registry().verbs)

    for name, _, *answers in lines:
        declared = registry().get(name)
        for principal, answer in zip(head[2:], answers, strict=True):
            if not AS[principal] & set(declared.for_):
                assert answer == "no", (name, principal)
