"""Two laws: any valid organisation survives export and import, and any sequence of commands leaves a valid one."""

from __future__ import annotations

import asyncio
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from hq.app import open_door
from hq.clock import FakeClock
from hq.org.checks import same_title
from hq.org.document.yaml_writer import text
from tests.support.company import Hq

CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
TEXT = st.text(CHARACTERS, max_size=40) | st.sampled_from(
    ["", "null", "~", "yes", "1", "- a", "a: b", "#", "'", '"', "\\n"]
)
NAME = (st.text(CHARACTERS, min_size=1, max_size=30) | st.sampled_from(["null", "true", "12", "{", "*x", "&a"])).filter(
    lambda name: name.strip()
)
AMOUNT = st.none() | st.floats(0, 1e12, allow_nan=False) | st.integers(0, 10**9)


@st.composite
def organisations(draw: st.DrawFn) -> dict[str, Any]:
    """Any organisation that is one: whatever it is called, however its seats hang together."""
    roles = draw(
        st.lists(NAME.map(lambda n: n.strip()[:20]).filter(str.strip), min_size=1, max_size=4, unique_by=str.casefold)
    )
    titles = draw(st.lists(NAME, max_size=7, unique_by=same_title))
    seats = []
    for index, title in enumerate(titles):
        above = st.none() | st.sampled_from(titles[:index]) if index else st.none()
        seat: dict[str, Any] = {
            "title": title,
            "role": draw(st.sampled_from(roles)),
            "level": draw(st.integers(1, 9)),
            "reports_to": draw(above),
            "escalates_to": draw(above),
            "is_cross_cutting": draw(st.booleans()),
            "description": draw(st.none() | TEXT),
            "authority": {"spend_per_session": draw(AMOUNT), "hard_stop_below": draw(AMOUNT), "currency": "EUR"},
        }
        if draw(st.booleans()):
            seat["assignment"] = {"persona_name": draw(NAME), "persona_role": draw(st.sampled_from(roles))}
        seats.append(seat)
    items = st.lists(TEXT.filter(str.strip), max_size=3)
    return {
        "organisation": {
            "name": draw(NAME),
            "purpose": draw(NAME),
            "description": draw(st.none() | TEXT),
            "status": draw(st.sampled_from(["active", "dormant", "archived"])),
            "philosophy": draw(st.none() | TEXT),
            "intent": {"optimise_for": draw(items), "never_sacrifice": draw(items)},
        },
        "roles": [{"name": role, "description": draw(st.none() | TEXT)} for role in roles],
        "positions": seats,
    }


X = {"title": "x", "role": "x", "assignment": {"persona_name": "x", "persona_role": "x"}}
SAME = {"organisation": {"name": "x", "purpose": "x"}, "roles": [{"name": "x"}], "positions": [X]}
"""All of it would be called x-x-1."""


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@example(organisation=SAME)
@given(organisation=organisations())
async def test_any_organisation_survives_export_and_import(hq, organisation):
    here, there = await hq.tenant(), await hq.tenant()

    await hq.do("org.import", document=text(organisation), _token=here)
    exported = (await hq.do("org.export", _token=here))["document"]
    await hq.do("org.import", document=exported, _token=there)
    again = await hq.do("org.import", document=exported, _token=here)

    assert (await hq.do("org.export", _token=there))["document"] == exported
    assert (await hq.do("org.export", _token=here))["document"] == exported
    assert (again["created"], again["updated"]) == (0, 0)


SEATS, FEW = st.integers(1, 8), st.sampled_from(["A", "B", "C", "D", "a ", "founder"])


class Commands(RuleBasedStateMachine):
    """Whatever is asked for, in whatever order, taken back in between or by file: done or refused, never broken."""

    hq: Hq
    loop: asyncio.AbstractEventLoop

    def run(self, verb: str, **args: Any) -> Any:
        outcome = self.loop.run_until_complete(self.hq.call(verb, _token=self.token, **args))
        assert outcome.ok or outcome.error["code"] not in ("defect", "outage"), outcome.error
        if outcome.ok:
            self.actions.append(str(outcome.action_id))
        return outcome

    @initialize()
    def found(self) -> None:
        self.token = self.loop.run_until_complete(self.hq.tenant())
        self.actions: list[str] = []
        self.kept: list[str] = []
        self.run("org.create", name="O", purpose="law")
        for role in ("r", "s"):
            self.run("role.create", name=role)
        self.actions.clear()  # the founding itself stays

    @rule(title=FEW, up=st.none() | FEW, escalate=st.none() | FEW)
    def seat(self, title: str, up: str | None, escalate: str | None) -> None:
        self.run("position.create", title=title, role="r", reports_to=up, escalates_to=escalate)

    @rule(
        seat=SEATS,
        title=st.none() | FEW,
        up=st.none() | FEW,
        escalate=st.none() | FEW,
        role=st.none() | st.sampled_from("rs"),
    )
    def change(self, seat: int, **said: Any) -> None:
        said = {
            "title": said["title"],
            "reports_to": said["up"],
            "escalates_to": said["escalate"],
            "role": said["role"],
        }
        self.run("position.update", position_id=seat, **{key: value for key, value in said.items() if value})

    @rule(seat=SEATS, reparent=st.booleans(), unassign=st.booleans())
    def remove(self, seat: int, reparent: bool, unassign: bool) -> None:
        self.run("position.remove", position_id=seat, reparent=reparent, unassign=unassign)

    @rule(name=st.sampled_from("XYZ"), role=st.sampled_from("rs"))
    def persona(self, name: str, role: str) -> None:
        self.run("persona.create", name=name, role=role)

    @rule(seat=SEATS, number=st.integers(1, 4), reassign=st.booleans())
    def assign(self, seat: int, number: int, reassign: bool) -> None:
        known = self.run("persona.list").data["items"]
        if known:
            persona = known[number % len(known)]["slug"]
            self.run("org.assign", position_id=seat, persona_slug=persona, reassign=reassign)

    @rule(seat=SEATS)
    def unassign(self, seat: int) -> None:
        self.run("org.unassign", position_id=seat)

    @rule(number=st.integers(0, 4), unassign=st.booleans())
    def archive(self, number: int, unassign: bool) -> None:
        known = self.run("persona.list").data["items"]
        if known:
            self.run("persona.archive", slug=known[number % len(known)]["slug"], unassign=unassign)

    @rule(role=st.sampled_from("rs"), name=st.sampled_from(["r", "s", "t"]))
    def rename(self, role: str, name: str) -> None:
        self.run("role.update", role=role, name=name)

    @precondition(lambda self: self.actions)
    @rule(pick=st.integers(0, 99))
    def undo(self, pick: int) -> None:
        self.run("action.undo", id=self.actions[-1 - pick % len(self.actions)])

    @rule()
    def keep(self) -> None:
        self.kept.append(self.run("org.export").data["document"])

    @precondition(lambda self: self.kept)
    @rule(pick=st.integers(0, 9), force=st.booleans())
    def bring_back(self, pick: int, force: bool) -> None:
        self.run("org.import", document=self.kept[pick % len(self.kept)], force=force)

    def teardown(self) -> None:
        if not hasattr(self, "token"):
            return
        document = self.run("org.export").data["document"]
        checked = self.run("org.validate", document=document).data
        assert checked["valid"], checked["faults"]
        self.token = self.loop.run_until_complete(self.hq.tenant())
        imported = self.run("org.import", document=document)
        assert imported.ok, imported.error
        assert self.run("org.export").data["document"] == document


@pytest.mark.long
def test_any_sequence_of_commands_leaves_a_valid_organisation(shared, template, tmp_path):
    run_machine(shared, template, tmp_path, examples=60)


def test_a_few_sequences_of_commands_leave_a_valid_organisation(shared, template, tmp_path):
    run_machine(shared, template, tmp_path, examples=10)


def run_machine(shared, template, tmp_path, examples: int) -> None:
    loop = asyncio.new_event_loop()
    clock = FakeClock()
    clock.advance(hours=1)
    opened = open_door(shared, vault_file=tmp_path / "vault.key", clock=clock, pool_size=4)
    door = loop.run_until_complete(opened.__aenter__())
    try:
        Commands.hq, Commands.loop = Hq(door, shared, template[1], clock), loop
        run_state_machine_as_test(
            Commands,
            settings=settings(
                max_examples=examples,
                stateful_step_count=30,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        loop.run_until_complete(opened.__aexit__(None, None, None))
        loop.close()
