"""Which tier a turn gets: heavy where it must be, light under pressure, and always with a reason."""

from __future__ import annotations

import time
from typing import Any

import pytest

from hq.errors import Refused
from hq.minds.policy import PolicyTurn, decide, declared_triggers

MAIL = {"topic": "email.received", "payload": {"subject": "Tuesday?"}}


@pytest.mark.parametrize(
    ("turn", "trigger"),
    [
        (PolicyTurn("Draft the proposal for Acme"), "customer_artifact"),
        (PolicyTurn(events=[{"topic": "proposal.draft_requested"}]), "customer_artifact"),
        (PolicyTurn("Please:\n1. pull the data\n2. check it\n3. send the report"), "multi_step_plan"),
        (PolicyTurn("First back it up, then migrate, finally tell Ana."), "multi_step_plan"),
        (PolicyTurn(events=[MAIL, {"topic": "x.y", "payload": {"steps": 3}}]), "multi_step_plan"),
        (PolicyTurn("Write an ADR about the queue"), "decision_record"),
        (PolicyTurn(events=[{"topic": "beat", "payload": {"beat": "0 7 * * *"}}]), "morning_brief"),
        (PolicyTurn("Run the daily learning loop"), "learning_loop"),
        (
            PolicyTurn(events=[{"topic": "approval.requested", "payload": {"gate": "destructive"}}]),
            "destructive_review",
        ),
    ],
)
def test_what_must_be_heavy_is_heavy_whatever_the_pressure(turn: PolicyTurn, trigger: str) -> None:
    calm, pressed = decide(turn), decide(turn, pressure=1.0, heavy_today=500, heavy_cap=50)

    assert (calm.tier, calm.trigger, calm.mandatory, calm.alarm) == ("heavy", trigger, True, "")
    assert (pressed.tier, pressed.demoted_from) == ("heavy", None)
    assert pressed.alarm == "501 heavy turns today, the cap is 50"


@pytest.mark.parametrize(
    "turn",
    [PolicyTurn("who is Ana?"), PolicyTurn("classify this mail"), PolicyTurn(events=[{"topic": "inbox.triage"}])],
)
def test_a_lookup_or_triage_is_light(turn: PolicyTurn) -> None:
    assert decide(turn).tier == "light"


def test_what_goes_on_is_not_light_for_a_lookup_but_where_money_runs_short() -> None:
    turn = PolicyTurn("who is Ana?")

    assert decide(turn, goes_on=True).tier == "default"
    assert decide(turn, goes_on=True, pressure=0.9).tier == "light"
    assert decide(PolicyTurn("Draft the proposal for Acme"), goes_on=True).tier == "heavy"


def test_routine_is_default_and_demoted_under_pressure() -> None:
    turn = PolicyTurn("Reply to Ana that Tuesday works for us.", [MAIL])

    assert decide(turn).as_json() == {"tier": "default", "why": "routine"}
    assert decide(turn, pressure=0.69).tier == "default"
    assert decide(turn, pressure=0.7).as_json() == {
        "tier": "light",
        "why": "routine, demoted at 70% cost pressure",
        "demoted_from": "default",
    }


def test_an_agent_declares_its_own_triggers() -> None:
    own = declared_triggers(
        ["morning_brief", r"churn|renewal", {"name": "vip", "where": {"payload.vip": True}, "mandatory": False}]
    )

    assert decide(PolicyTurn("The renewal of Acme is due and needs care."), own).tier == "heavy"
    vip = PolicyTurn("Answer them.", [{"topic": "email.received", "payload": {"vip": True}}])
    assert decide(vip, own).trigger == "vip"
    capped = decide(vip, own, heavy_today=50, heavy_cap=50)
    assert (capped.tier, capped.demoted_from) == ("default", "heavy")
    assert "cap is 50" in capped.alarm


@pytest.mark.parametrize("bad", ["(", {"name": "x"}, {"text": "x", "tier": "huge"}, {"texts": "x"}])
def test_a_trigger_that_makes_no_sense_is_refused(bad: Any) -> None:
    with pytest.raises(Refused):
        declared_triggers([bad])


@pytest.mark.parametrize(
    "text", ["1. a\n" * 5000, "first then " * 3000, "draft " * 9000 + "offer", "x" * 100_000, " " * 50_000]
)
def test_hostile_text_does_not_slow_it_down(text: str) -> None:
    turn = PolicyTurn(text, [MAIL] * 50)
    decide(turn)
    best = min(_cpu(turn) for _ in range(5))

    assert best < 0.05  # the benchmark measures; this only notices when a pattern explodes


def _cpu(turn: PolicyTurn) -> float:
    started = time.process_time()
    decide(turn)
    return time.process_time() - started
