"""The rule of who may: its pure part, that every verb declares, and that no room decides it a second time."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, get_args
from uuid import uuid4

import pytest

import hq
from hq.app import owners, registry
from hq.door.access import NEAREST_FIRST, Touch, Who, reach, reaches, who_is
from hq.door.access_rule import check_for
from hq.door.caller import Caller
from hq.door.results import Page
from hq.door.verb import Args, Result, verb
from hq.errors import Refused

SOURCE = Path(hq.__file__).parent
CHECKS = re.compile(r"caller\.(human|kind|house)\b|\bcheck_reach\(tx")


def caller(kind: Any, role: Any = None) -> Caller:
    actor = {"founder": "user:ana", "house": "service:hq"}.get(kind, f"{kind}:scout")
    known = (frozenset(("read", "write")), None, None, "balanced", False, role)
    if kind == "project":
        return Caller(uuid4(), uuid4(), uuid4(), "worker", "worker:project-site", *known, project="site")
    return Caller(uuid4(), uuid4(), uuid4(), kind, actor, *known)


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
        ("project", None, True, {"worker", "project", "session"}),
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
            assert touch.noun in owners(), each.name
            assert {touch.arg, *filter(None, (touch.within,))} <= set(each.args.model_fields), each.name
        assert set(each.args_for) <= set(each.args.model_fields), each.name


OPTIONAL = {
    "nothing is given to anybody, or is part of anything": {
        "task.create owner", "task.update owner", "task.update project", "feature.update project", "workspace.create mission",
        "mission.create parent", "mission.create organisation", "mission.import parent",
    },
    "the agent itself goes on, or whom is found at home": {"agent.handoff to", "mission.assign to"},
    "the CEO is spoken to, who serves everybody": {"thread.say agent"},
    "nothing of an organisation": {
        "objective.create organisation", "objective.update organisation", "project.create organisation", "project.update organisation",
        "escalation.raise mission",
    },
    "all that are pursued": {"objective.report ref"},
    "one's own mail": {"agent.inbox agent"},
    "the tree of the session that calls": {
        *(f"workspace.{each} session" for each in ("begin", "save", "drop", "merge")),
        *(f"file.{each} session" for each in ("read", "write", "edit", "grep", "glob", "restore")),
        "container.exec session",
    },
    "that of the tree, which is judged": {"file.write workspace", "file.edit workspace", "container.exec workspace"},
    "about nobody; whom else it is about the house alone says": {"incident.raise session"},
}  # fmt: skip
"""Arguments that say what is touched and may be left out without being judged, by what is touched then."""


def test_what_is_touched_by_an_argument_that_is_left_out_is_judged_all_the_same():
    """Or it was thought about, and stands here: nothing but one's own is touched then."""
    declared = {f"{each.name} {touch.arg}" for each in registry() for touch in each.touches if touch.optional}
    can_be = {
        f"{each.name} {touch.arg}"
        for each in registry()
        for touch in each.touches
        if each.args.model_fields[touch.arg].default is None
    }

    assert declared & can_be == set().union(*OPTIONAL.values())


OF_NO_MIND = {"founder", "house", "session"}
BY_FACES = {
    "auth.disconnect": "ends the credential of who calls, and what hangs together with it",
    "auth.redeem": "a code or what renews, for a token with no more than the founder allowed; no other credential makes it",
    "code.carry_on": "the house makes it in the name of whom the run works for; it says whose that is",
    "file.restore": "what undoing a write does, as whoever undoes it, in a tree of their own",
    "mission.fetch_file": "a page's way to what `mission.read_file` reads",
    "thread.say": "a conversation's own, between who calls and one of their organisation",
    "thread.show": "the thread of who calls, and no other",
}
"""Internal verbs that a token of an agent may make, and why."""


def test_what_is_part_of_other_work_no_agent_calls_by_itself():
    """`internal` only hides a verb; over HTTP a token calls it all the same. So its declaration keeps it to the house, to a
    running session (which no request can claim to be), or to other verbs."""
    held = {each.name for each in registry() if each.internal and not set(each.for_) <= OF_NO_MIND}

    assert held == set(BY_FACES)


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
    assert _found(CHECKS) == {}, "whom a verb is for, and whose things it touches, belong into its declaration"


def test_no_branch_over_who_calls_turns_anybody_away():
    """A property of the caller chooses words and defaults; a refusal by who calls is declared. Who may answer an ask is
    decided of each ask, in one place."""
    found = [
        f"{path.relative_to(SOURCE)}:{branch.lineno}"
        for path in sorted(SOURCE.rglob("*.py"))
        if not path.is_relative_to(SOURCE / "door") and path != SOURCE / "asks" / "authority.py"
        for branch in ast.walk(ast.parse(path.read_text()))
        if isinstance(branch, ast.If) and "caller." in ast.unparse(branch.test) and _turns_away(branch.body)
    ]
    assert found == []


def _turns_away(body: list[ast.stmt]) -> bool:
    raised = [ast.unparse(each) for part in body for each in ast.walk(part) if isinstance(each, ast.Raise)]
    return any("forbidden" in each or "cross_scope" in each for each in raised)


def test_handlers_are_called_by_the_door():
    assert _found(re.compile(r"\.handler\b")) == {}


def _found(pattern: re.Pattern[str]) -> dict[str, int]:
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith("door/") and (
            many := len([1 for line in path.read_text().splitlines() if pattern.search(line)])
        ):
            found[name] = many
    return found


def test_what_answers_with_a_page_takes_where_the_next_one_begins():
    paged = [each for each in registry().verbs.values() if issubclass(each.result, Page)]

    assert {"workspace.files", "task.list", "chat.history"} <= {each.name for each in paged}
    assert [each.name for each in paged if not {"after", "limit"} <= each.args.model_fields.keys()] == []


def test_what_a_verb_says_of_itself_is_whole():
    cut = [each.name for each in registry() if not each.summary.endswith((".", "?", "!", ")"))]

    assert cut == []
