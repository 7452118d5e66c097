"""A session that waits is woken by what settles it, or by its time, and by nothing else."""

from __future__ import annotations

from hq.missions.wait import MOVED, QUIET
from tests.support.play import Told, route

MERGE = ("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"})
DONE = '<task-complete reason="done"/>'


async def asking(play) -> str:
    """A session that waits for an approval; the approval."""
    for name in ("Acme", "Acme Inc"):
        await play.hq.do("entity.create", name=name)
    _, ended = await play.run([MERGE, DONE])
    assert ended.state == "waiting"
    (approval,) = (await play.hq.do("approval.list", status="pending"))["items"]
    return approval["slug"]


async def woken(play, lines=(MERGE, DONE)) -> int:
    await route(play.hq)
    return await play.runner(list(lines)).run_once()


async def outcomes(play, session: str) -> list[dict]:
    rows = (await play.hq.do("session.replay", id=session))["items"]
    return [row["payload"] for row in rows if row["kind"] == "verb"]


async def test_a_yes_that_could_not_be_carried_out_yet_wakes_nobody(play):
    approval = await asking(play)
    await play.hq.do("freeze.set", scope="agent:scout")
    await play.hq.do("approval.approve", ref=approval)
    assert (await play.hq.do("approval.show", ref=approval))["props"]["status"] == "approved"

    assert await woken(play) == 0

    await play.hq.do("freeze.lift", scope="agent:scout")
    await play.hq.do("approval.approve", ref=approval)
    assert await woken(play) == 1
    assert (await play.hq.do("entity.show", ref="acme-inc"))["archived_at"]


async def test_an_approval_that_nobody_decides_is_not_waited_for_for_ever(play):
    await asking(play)
    assert await woken(play) == 0

    play.hq.clock.advance(days=3, seconds=1)
    assert await woken(play) == 1

    (session,) = play.ended
    (told,) = await outcomes(play, session)
    assert play.ended[session].state == "done" and "expired" in told["error"]["message"]


async def test_a_conversation_hears_that_an_approval_expired(play):
    for name in ("Acme", "Acme Inc"):
        await play.hq.do("entity.create", name=name)
    mind = Told([MERGE, "I asked for it.", "Nobody answered."])
    await play.hq.do("thread.say", agent="scout", text="Merge them")
    await play.runner(mind).run_once()
    play.hq.clock.advance(minutes=11)
    assert await woken(play, [DONE]) == 1, "it has gone quiet, and looks back once"

    play.hq.clock.advance(days=3)
    await route(play.hq)
    await play.runner(mind).run_once()

    said = (await play.hq.do("chat.history", agent="scout"))["items"]
    assert said[-1]["text"] == "Nobody answered."
    play.hq.clock.advance(days=30)
    assert await woken(play) <= 1


async def test_a_tag_on_a_mission_does_not_wake_who_waits_for_it(play):
    await play.hq.do("agent.create", name="forge", role="Builder")
    await play.hq.do("mission.create", title="Build it")
    await play.hq.do("mission.assign", ref="build-it", to="forge")
    wait = ("hq_mission", {"action": "wait", "missions": ["build-it"]})
    lines = Told(lambda ask: wait if len(ask.messages) == 1 else DONE)
    session, ended = await play.run(lines)
    assert ended.state == "waiting"
    await play.runner([DONE]).run_once()  # forge's own session

    await play.hq.do("mission.update", ref="build-it", tags=["rain"])
    assert await woken(play, [wait, DONE]) == 0

    await play.hq.do("mission.fail", ref="build-it", why="rain")
    await woken(play, [wait, DONE])
    assert play.ended[session].state == "done"


async def test_who_waits_for_several_missions_is_woken_by_what_settles_one_and_by_nothing_on_the_way(play):
    await play.hq.do("agent.create", name="forge", role="Builder")
    for title in ("Build one", "Build two"):
        await play.hq.do("mission.create", title=title)
        await play.hq.do("mission.assign", ref=title.lower().replace(" ", "-"), to="forge")
    wait = ("hq_mission", {"action": "wait", "missions": ["build-one", "build-two"]})
    lines = Told(lambda ask: wait if len(ask.messages) == 1 else DONE)
    session, ended = await play.run(lines)
    assert ended.state == "waiting"
    await play.runner([DONE]).run_once()  # forge's own sessions

    for mission in ("build-one", "build-two"):
        await play.hq.do("mission.accept", ref=mission)
        assert await woken(play, [wait, DONE]) == 0, "on the way nobody is wanted"
    for mission in ("build-one", "build-two"):
        await play.hq.do("mission.fail", ref=mission, why="rain")
    assert await woken(play, [wait, DONE]) == 1, "both at once wake it once"
    assert play.ended[session].state == "done"


def test_every_event_of_a_mission_is_known_to_wake_who_waits_for_it_or_not(hq):
    told = {verb.emits for verb in hq.door.registry if (verb.emits or "").startswith("mission.")}

    assert not told - {*MOVED, *QUIET} and not set(MOVED) & set(QUIET)
