"""A session: turns, calls through the door, waiting, and how it ends."""

from __future__ import annotations

import psycopg

from hq.minds.mind import MindDown
from tests.support.play import DONE, route


def make(title: str) -> tuple[str, dict]:
    return ("hq_task", {"action": "create", "title": title})


async def steps(hq, session: str) -> list[str]:
    return [row["kind"] for row in (await hq.do("session.replay", id=session))["items"]]


async def test_it_works_through_its_calls_and_closes_with_its_reason(play):
    session, ended = await play.run([make("One"), make("Two"), f"All made. {DONE}"])

    assert (ended.state, ended.exit_code, ended.why) == ("done", 0, "done")
    assert await steps(play.hq, session) == ["open", "mind", "verb", "mind", "verb", "mind", "close"]
    assert [row["title"] for row in (await play.hq.do("task.list"))["items"]] == ["Two", "One"]
    shown = await play.hq.do("session.show", id=session)
    assert (shown["state"], shown["turns"], shown.get("held_by")) == ("done", 3, None)


async def test_every_call_is_the_agents_own_in_the_ledger(play):
    session, _ = await play.run([make("One"), DONE])

    (row,) = (await play.hq.do("action.list", verb="task.create"))["items"]
    action = await play.hq.do("action.show", id=row["action"])
    assert (row["actor"], action["session_id"]) == ("agent:scout", session)


async def test_a_refused_call_is_told_to_the_mind_and_it_goes_on(play):
    session, ended = await play.run([("hq_task", {"action": "create"}), ("hq_nosuch", {}), DONE])

    assert ended.state == "done"
    rows = (await play.hq.do("session.replay", id=session))["items"]
    assert [r["payload"]["error"]["code"] for r in rows if r["kind"] == "verb"] == ["invalid", "invalid"]


async def test_an_agent_is_not_offered_and_cannot_reach_what_is_the_founders(play):
    _, ended = await play.run([("hq_approval", {"action": "approve", "ref": "x"}), DONE])

    assert ended.state == "done"
    assert (await play.hq.do("action.list", verb="approval.approve", status="refused"))["items"]


async def test_a_call_that_must_be_approved_waits_without_a_process_and_goes_on(play):
    hq = play.hq
    await hq.do("entity.create", name="Acme")
    await hq.do("entity.create", name="Acme Inc")
    merge = ("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"})
    session, ended = await play.run([merge, DONE])
    assert ended.state == "waiting"
    waiting = await hq.do("session.show", id=session)
    assert waiting.get("held_by") is None and waiting["waits_for"][0].startswith("approval:")

    (approval,) = (await hq.do("approval.list", status="pending"))["items"]
    await hq.do("approval.approve", ref=approval["slug"])
    await route(hq)
    await play.runner([merge, DONE]).run_once()

    assert play.ended[session].state == "done"
    assert (await hq.do("entity.show", ref="acme-inc"))["archived_at"]


async def test_a_rejected_call_is_told_to_the_mind(play):
    hq = play.hq
    await hq.do("entity.create", name="Acme")
    await hq.do("entity.create", name="Acme Inc")
    merge = ("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"})
    session, _ = await play.run([merge, DONE])
    (approval,) = (await hq.do("approval.list", status="pending"))["items"]
    await hq.do("approval.reject", ref=approval["slug"], note="keep both")
    await route(hq)

    await play.runner([merge, DONE]).run_once()

    rows = (await hq.do("session.replay", id=session))["items"]
    (told,) = [r["payload"] for r in rows if r["kind"] == "verb"]
    assert "keep both" in told["error"]["message"]


async def test_a_loop_is_broken_and_raised_once(play):
    _, ended = await play.run([("hq_task", {"action": "list"})])

    assert ended.state == "failed" and "same arguments" in ended.why
    assert len((await play.hq.do("agent_incident.list"))["items"]) == 1


async def test_a_mind_that_ends_without_its_word_is_told_once_then_failed(play):
    session, ended = await play.run(["Hello.", "Hello again."])

    assert ended.state == "failed" and "without saying" in ended.why
    assert (await steps(play.hq, session)).count("note") == 1


async def test_an_answer_that_breaks_off_is_tried_eight_times_with_growing_pauses(play, clock):
    session, ended = await play.run([MindDown("no answer")])
    assert ended.state == "waiting"
    runner = play.runner([MindDown("no answer")])
    for pause in (2, 4, 8, 16, 32, 64, 128):
        assert play.ended[session].state == "waiting"
        clock.advance(seconds=pause)
        await route(play.hq)
        await runner.run_once()

    assert play.ended[session].state == "failed"
    assert len((await play.hq.do("agent_incident.list"))["items"]) == 1


async def test_it_leaves_memories_a_memo_and_a_record(play):
    snapshot = (
        '{"summary": "Did it.", "handover": "Ana waits.", "memories": [{"body": "Ana likes tea", "salience": 0.9}]}'
    )
    session, ended = await play.run([make("One"), DONE, snapshot], remembers=True)

    assert ended.state == "done"
    told = await play.hq.do("context.show", agent="scout")
    assert "Ana likes tea" in told["text"] and "Ana waits." in told["text"] and 'reason: "done"' in told["text"]
    assert (await play.hq.do("graph.describe", ref=session))["props"]["memory_entry_count"] == 1


async def test_a_session_is_stopped_where_it_waits(play):
    session, _ = await play.run([MindDown("no answer")])

    await play.hq.do("session.stop", id=session, why="changed my mind")

    shown = await play.hq.do("session.show", id=session)
    assert (shown["state"], shown["closed_as"], shown["exit_code"]) == ("stopped", "changed my mind", 3)


async def test_a_branch_takes_over_what_was_done_and_goes_another_way(play):
    session, _ = await play.run([make("One"), make("Two"), DONE])
    branch = (await play.hq.do("session.fork", id=session, at=3))["session"]

    await play.runner([make("One"), make("Three"), DONE]).run_once()

    assert play.ended[branch].state == "done"
    assert {row["title"] for row in (await play.hq.do("task.list"))["items"]} == {"One", "Two", "Three"}
    parted = await play.hq.do("session.diff", a=session, b=branch)
    assert parted["same"] == 3


async def test_a_branch_whose_step_nobody_could_read_is_refused(play):
    session, _ = await play.run([DONE])

    refused = await play.hq.call("session.fork", id=session, at=1, edit={"prompt": 7})

    assert refused.error["code"] == "invalid" and "prompt must be text" in refused.error["message"]


async def test_a_session_whose_journal_nobody_can_read_is_given_up(play):
    session, _ = await play.run([MindDown("no answer")])
    async with await psycopg.AsyncConnection.connect(play.hq.address.url, autocommit=True) as owner:
        await owner.execute(
            "update ops.journal set payload = '{\"prompt\": 7}' where session_id = %s and step = 1", [session]
        )
        await owner.execute(
            """update ops.sessions s set state = 'running', tries = 2, lease_until = now() - interval '1 hour',
                      claimed_step = (select max(j.step) from ops.journal j where j.session_id = s.id)
                where id = %s""",
            [session],
        )

    await play.runner([DONE]).run_once()

    shown = await play.hq.do("session.show", id=session)
    assert shown["state"] == "failed" and "was lost 3 times" in shown["closed_as"]
