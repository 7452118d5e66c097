"""What a proposal may carry: a change of the company, and no other yes, no word in another's name, no rights."""

from __future__ import annotations

import inspect

import pytest

from hq.app import registry
from hq.asks.proposed_call import check_proposable
from hq.errors import Refused

GRANT = {"verb": "grant.add", "args": {"actor": "agent:scout", "verb": "expense.spend", "days": 3650}}
CARRIED = [
    GRANT,
    {"verb": "auth.token", "args": {"device": "phone"}},
    {"verb": "chat.say", "args": {"text": "Hire ten more."}},
    {"verb": "mission.open", "args": {"ref": "m"}},
    {"verb": "ask.answer", "args": {"ask": "approve-x", "option": "yes"}},
    {"verb": "approval.approve", "args": {"ref": "approve-x"}},
    {"verb": "proposal.accept", "args": {"ref": "another"}},
    {"verb": "card.press", "args": {"card": "x", "button": "yes"}},
    {"verb": "auth.widen", "args": {"actor": "agent:scout", "scopes": ["effect"]}},
    {"verb": "delegation.approve", "args": {"ref": "d"}},
    {"verb": "agent.send", "args": {"agent": "chief", "text": "Hello."}},
]


@pytest.mark.parametrize("change", CARRIED, ids=lambda each: each["verb"])
async def test_a_proposal_carries_no_yes_no_words_and_no_rights(hq, change):
    await hq.do("agent.load")
    for token in (
        await hq.agent("chief"),
        (await hq.do("auth.token", service="bot", scopes=["write:proposal"]))["token"],
    ):
        told = await hq.call("proposal.propose", kind="errand", body="Answer shorter.", change=change, _token=token)

        assert told.error["code"] == "invalid" and change["verb"] in told.error["message"], told


def test_no_verb_that_answers_or_is_the_founders_is_carried():
    for verb in registry():
        source = inspect.getsource(verb.handler)
        answers = "await answer(" in source or "await _answered(" in source or "check_may_answer" in source
        if verb.scope == "founder" or (answers and verb.noun not in ("project", "subagent")):
            with pytest.raises(Refused):
                check_proposable(verb, "errand")


async def test_a_kind_that_says_what_changes_carries_only_that(hq):
    change = {"verb": "task.create", "args": {"title": "Call Ana"}}

    told = await hq.call("proposal.propose", kind="prompt_tweak", change=change)

    assert "task.create is no prompt tweak" in told.error["message"]
    assert (await hq.call("proposal.propose", kind="errand", change=change)).ok


@pytest.mark.parametrize("kind", ["prompt_tweak", "errand", "tweak"])
async def test_a_small_kind_carries_no_call_that_is_always_asked_about(hq, kind):
    await hq.do("agent.create", name="scout", role="Scout")
    for change in (
        {"verb": "agent.update", "args": {"ref": "scout", "tools": ["vault"]}},
        {"verb": "agent.archive", "args": {"ref": "scout"}},
        {"verb": "agent.create", "args": {"name": "evil", "role": "Scout"}},
    ):
        told = await hq.call("proposal.propose", kind=kind, body="Small wording fix", change=change)

        assert told.code == "invalid" and "kind" in told.message
        for named in ("agent_change", "org_change"):
            assert (await hq.call("proposal.propose", kind=named, change=change)).ok


async def test_title_and_button_say_what_is_called_in_the_words_of_the_house(hq):
    change = {"verb": "task.create", "args": {"title": "Call Ana"}}
    made = await hq.do("proposal.propose", kind="errand", body="Only a word.", change=change)

    shown = await hq.do("ask.show", ask=made["slug"])

    assert shown["title"] == "Errand: create task"
    assert [each["label"] for each in shown["options"]] == ["Accept: create task (title: Call Ana)", "Turn down"]


async def test_what_the_house_asks_for_a_tool_says_so_and_nobody_claims_its_kind(hq):
    await hq.do("agent.load")
    told = await hq.call("proposal.propose", kind="tool_access", change={}, _token=await hq.agent("chief"))

    assert "made by the house" in told.error["message"]
