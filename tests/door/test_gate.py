"""What waits, who says yes, and what a yes is good for."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hq.door.gate import RISK, gate_class


async def ask(hq, token: str, **more):
    await hq.do("entity.create", name="Acme")
    await hq.do("entity.create", name="Acme Inc")
    return await hq.call("entity.merge", loser="acme-inc", into="acme", _token=token, **more)


async def test_a_destructive_call_of_an_agent_waits_and_goes_on_when_approved(hq):
    chief = await hq.agent()
    waiting = await ask(hq, chief, _reason="same company")
    assert (waiting.error["code"], waiting.exit_code, waiting.status) == ("waiting", 4, 202)
    assert (await hq.do("entity.show", ref="acme-inc")).get("archived_at") is None

    approved = await hq.call("approval.approve", ref=waiting.data["approval"])

    assert approved.data["result"]["ok"]
    assert (await hq.do("entity.show", ref="acme-inc"))["archived_at"]
    row = (await hq.do("action.list", actor="agent:chief"))["items"][0]
    assert (row["verb"], row["status"], row["reason"]) == ("entity.merge", "ok", "same company")


async def test_a_yes_twice_acts_once(hq):
    waiting = await ask(hq, await hq.agent())
    await hq.do("approval.approve", ref=waiting.data["approval"])

    again = await hq.do("approval.approve", ref=waiting.data["approval"])

    assert again["already"] and again["answered_by"] and "result" not in again
    made = [row for row in (await hq.do("action.list", verb="entity.merge"))["items"] if row["status"] == "ok"]
    assert len(made) == 1


async def test_a_rejected_call_never_runs(hq):
    waiting = await ask(hq, await hq.agent())

    await hq.do("approval.reject", ref=waiting.data["approval"], note="no")

    assert (await hq.do("entity.show", ref="acme-inc")).get("archived_at") is None
    assert (await hq.call("approval.approve", ref=waiting.data["approval"])).error["code"] == "conflict"


async def test_an_approval_expires(hq, clock):
    waiting = await ask(hq, await hq.agent())

    clock.advance(days=4)

    assert (await hq.call("approval.approve", ref=waiting.data["approval"])).error["code"] == "expired"


async def test_a_target_that_changed_since_makes_the_yes_stale(hq):
    waiting = await ask(hq, await hq.agent())
    await hq.do("entity.update", ref="acme-inc", phone="1")

    approved = await hq.call("approval.approve", ref=waiting.data["approval"])

    assert approved.data["result"]["error"]["code"] == "stale"
    assert (await hq.do("entity.show", ref="acme-inc")).get("archived_at") is None
    spent = await hq.do("approval.show", ref=waiting.data["approval"])
    assert spent["props"]["status"] == "failed" and "changed since" in spent["props"]["note"]


async def test_a_yes_during_a_freeze_can_be_said_again_after_it(hq):
    waiting = await ask(hq, await hq.agent())
    await hq.do("freeze.set", scope="agent:chief")
    frozen = await hq.do("approval.approve", ref=waiting.data["approval"])
    assert frozen["result"]["error"]["code"] == "frozen"
    await hq.do("freeze.lift", scope="agent:chief")

    assert (await hq.do("approval.approve", ref=waiting.data["approval"]))["result"]["ok"]


async def test_a_yes_that_was_not_used_yet_can_be_taken_back(hq):
    waiting = await ask(hq, await hq.agent())
    await hq.do("freeze.set", scope="agent:chief")
    await hq.do("approval.approve", ref=waiting.data["approval"])

    assert (await hq.do("approval.reject", ref=waiting.data["approval"]))["status"] == "cancelled"


async def test_on_a_yes_the_call_is_authorised_again(hq):
    waiting = await ask(hq, await hq.agent())
    await hq.do("auth.revoke", id="agent:chief")

    approved = await hq.call("approval.approve", ref=waiting.data["approval"])

    assert approved.data["result"]["error"]["code"] == "forbidden"


async def test_a_grant_lets_it_through_within_its_scope_and_time(hq, clock):
    chief = await hq.agent()
    await hq.do("entity.create", name="Acme")
    await hq.do("entity.create", name="Other")
    for slug in ("a", "b", "c"):
        await hq.do("entity.create", name=slug, slug=slug)
    for slug in ("a", "b"):
        await hq.do("grant.add", actor="agent:chief", verb="entity.merge", scope=slug, days=1)

    async def merge(loser: str, into: str = "acme"):
        return await hq.call("entity.merge", loser=loser, into=into, _token=chief)

    assert (await merge("a")).ok
    assert (await merge("c", into="b")).error["code"] == "waiting"
    clock.advance(days=2)
    assert (await merge("b")).error["code"] == "waiting"


async def test_a_grant_with_uses_runs_out(hq):
    chief = await hq.agent()
    await hq.do("entity.create", name="Acme")
    await hq.do("grant.add", actor="agent:chief", verb="entity.*", uses=1)
    for slug in ("a", "b"):
        await hq.do("entity.create", name=slug, slug=slug)

    first = await hq.call("entity.merge", loser="a", into="acme", _token=chief)
    second = await hq.call("entity.merge", loser="b", into="acme", _token=chief)

    assert first.ok and second.error["code"] == "waiting"


async def test_approving_for_good_makes_a_grant(hq):
    chief = await hq.agent()
    waiting = await ask(hq, chief)

    await hq.do("approval.approve", ref=waiting.data["approval"], always_for="any", days=7)
    await hq.do("entity.create", name="Third", slug="third")

    assert (await hq.call("entity.merge", loser="third", into="acme", _token=chief)).ok


async def test_the_founder_is_not_asked(hq):
    assert (await ask(hq, hq.token)).ok


@pytest.mark.parametrize(("tolerance", "want"), [("cautious", "ask"), ("balanced", "ask"), ("aggressive", "ask")])
async def test_destructive_calls_are_always_asked_about(hq, tolerance, want):
    await hq.do("tenant.set", risk_tolerance=tolerance)

    assert RISK["destructive"][tolerance] == want
    assert (await ask(hq, await hq.agent())).error["code"] == "waiting"


class _Tx:
    taint = frozenset({"email"})


class _Verb:
    gate = "reversible"


def test_an_outside_effect_on_tainted_grounds_is_always_asked_about():
    gate = gate_class(_Verb, _Tx, [])  # type: ignore[arg-type]

    assert set(RISK[gate].values()) == {"ask"}


async def test_freezing_stops_every_write_and_thawing_lets_them_go_on(hq):
    chief = await hq.agent()
    await hq.do("freeze.set", _reason="fire drill")

    frozen = [await hq.call("task.create", title="x", _token=t) for t in (hq.token, chief)]
    assert [o.error["code"] for o in frozen] == ["frozen", "frozen"]
    assert "fire drill" in frozen[0].error["message"]
    assert (await hq.call("task.list")).ok

    await hq.do("freeze.lift")
    assert (await hq.call("task.create", title="x", _token=chief)).ok


async def test_a_freeze_of_one_project_stops_what_belongs_to_it_and_nothing_else(hq):
    await hq.do("project.create", name="Site")
    await hq.do("project.create", name="Shop")
    await hq.do("task.create", title="Call", project="site")
    await hq.do("freeze.set", scope="site")

    async def code(verb: str, **args):
        outcome = await hq.call(verb, **args)
        return outcome.error and outcome.error["code"]

    assert await code("task.complete", ref="call") == "frozen"
    assert await code("task.create", title="New", project="site") == "frozen"
    assert await code("task.create", title="New", project="shop") is None


async def test_a_freeze_of_one_agent_stops_that_agent_alone_and_ends_by_itself(hq, clock):
    chief, operator = await hq.agent("chief"), await hq.agent("operator")
    await hq.do("freeze.set", scope="agent:chief", until=(clock.now() + timedelta(hours=1)).isoformat())

    assert (await hq.call("task.create", title="x", _token=chief)).error["code"] == "frozen"
    assert (await hq.call("task.create", title="x", _token=operator)).ok
    clock.advance(hours=2)
    assert (await hq.call("task.create", title="x", _token=chief)).ok


async def test_an_accepted_proposal_makes_its_change_and_can_be_rolled_back(hq):
    made = await hq.do(
        "proposal.propose", kind="new_task", change={"verb": "memo.create", "args": {"title": "M", "content_md": "x"}}
    )

    accepted = await hq.call("proposal.accept", ref=made["slug"])
    assert accepted.data["result"]["ok"]
    assert (await hq.do("proposal.show", ref=made["slug"]))["props"]["status"] == "applied"

    await hq.do("proposal.rollback", ref=made["slug"])
    assert (await hq.do("memo.list"))["items"] == []


async def test_a_proposal_whose_change_fails_waits_again(hq):
    await hq.do("task.create", title="Call Ana")
    change = {"verb": "task.complete", "args": {"ref": "call-ana"}}
    made = await hq.do("proposal.propose", kind="finish", change=change)
    await hq.do("task.complete", ref="call-ana")  # it was still to be done when that was proposed

    accepted = await hq.call("proposal.accept", ref=made["slug"])

    assert accepted.data["result"]["error"]["code"] == "conflict"
    assert (await hq.do("proposal.show", ref=made["slug"]))["props"]["status"] == "pending"


async def test_asking_again_under_the_same_key_tells_what_became_of_it(hq):
    chief = await hq.agent()
    waiting = await ask(hq, chief, _key="k1")

    async def again():
        return await hq.call("entity.merge", loser="acme-inc", into="acme", _token=chief, _key="k1")

    assert (await again()).error["code"] == "waiting"
    await hq.do("approval.approve", ref=waiting.data["approval"])
    done = await again()
    assert done.ok and done.data["slug"] == "acme"
    assert len((await hq.do("approval.list"))["items"]) == 1


async def test_approvals_are_found_by_the_verb_that_waits(hq):
    waiting = await ask(hq, await hq.agent())

    (found,) = (await hq.do("approval.list", verb="entity.merge", status="pending"))["items"]

    assert (found["slug"], found["verb"]) == (waiting.data["approval"], "entity.merge")
    assert (await hq.do("approval.list", verb="agent.hire"))["items"] == []


async def test_any_named_thing_that_changed_since_makes_the_yes_stale(hq):
    waiting = await ask(hq, await hq.agent())
    await hq.do("entity.update", ref="acme", phone="1")

    approved = await hq.call("approval.approve", ref=waiting.data["approval"])

    assert approved.data["result"]["error"]["code"] == "stale"


async def test_a_replay_does_not_use_up_a_grant(hq):
    chief = await hq.agent()
    await hq.do("grant.add", actor="agent:chief", verb="entity.merge", uses=2)
    for _ in range(3):
        await hq.call("entity.create", name="Acme", slug="acme", _key="a")
        await hq.call("entity.create", name="Inc", slug="inc", _key="b")
        assert (await hq.call("entity.merge", loser="inc", into="acme", _token=chief, _key="k")).ok

    assert (await hq.do("grant.list"))["items"][0]["status"] == "active"


async def test_an_agent_cannot_walk_around_a_freeze(hq):
    chief = await hq.agent()
    await hq.do("project.create", name="Site")
    done = await hq.call("project.update", ref="site", priority="now")
    site = (await hq.do("project.show", ref="site"))["id"]
    await hq.do("freeze.set", scope="site")

    async def code(verb: str, **args):
        outcome = await hq.call(verb, **args)
        return outcome.error and outcome.error["code"]

    assert await code("project.update", ref=site.upper(), priority="next") == "frozen"
    assert await code("action.undo", id=str(done.action_id)) == "frozen"
    await hq.do("freeze.set", scope="agent:chief")
    assert await code("memo.create", title="x", content_md="x", _token=chief, _actor="agent:chief/x") == "frozen"


async def test_keys_that_are_kept_for_hq_itself_cannot_be_used(hq):
    assert (await hq.call("memo.create", title="x", content_md="x", _key="proposal:1")).error["code"] == "invalid"


async def test_a_scoped_grant_is_good_for_its_target_alone(hq):
    chief = await hq.agent()
    for slug in ("acme", "other"):
        await hq.do("entity.create", name=slug, slug=slug)
    await hq.do("grant.add", actor="agent:chief", verb="entity.merge", scope="acme")

    outcome = await hq.call("entity.merge", loser="other", into="acme", _token=chief)

    assert outcome.error["code"] == "waiting"


async def test_a_grant_for_a_noun_that_does_not_exist_is_refused_with_the_nearest_one(hq):
    outcome = await hq.call("grant.add", actor="agent:chief", verb="tasks.*")

    assert outcome.error["code"] == "not_found" and "did you mean 'task'" in outcome.error["message"]
    assert (await hq.call("grant.add", actor="agent:chief", verb="task.*")).ok
