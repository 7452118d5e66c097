"""Lost workers: a session that takes them down is given up; one whose worker was only late, on a busy machine, is not to blame."""

from __future__ import annotations

import psycopg
import pytest

from hq.engine.sessions.journal import Journal
from hq.engine.sessions.leases import Claimed, Leases
from hq.sessions.loop.session import Session
from tests.support.play import DONE, Told


@pytest.fixture
async def sent(play):
    return (await play.hq.do("agent.send", agent="scout", text="go"))["session"]


async def claimed(play, leases: Leases | None = None) -> Claimed:
    (found,) = await (leases or Leases(play.hq.door.pool, play.hq.clock)).claim(1)
    return found


async def lease_over(play) -> None:
    async with await psycopg.AsyncConnection.connect(play.hq.address.url, autocommit=True) as owner:
        await owner.execute("update ops.sessions set lease_until = now() - interval '1 hour' where state = 'running'")


async def test_two_workers_lost_where_the_first_one_came_to_are_enough(play, sent):
    first = await claimed(play)
    session = Session(play.runner([DONE]).company, first, Journal(play.hq.door.pool, first, play.hq.clock))
    await session._begin()  # it opens, and is gone with its process when it asks its mind
    for _ in range(2):
        await lease_over(play)
        lost = await claimed(play)

    await lease_over(play)
    await play.runner([DONE]).run_once()

    shown = await play.hq.do("session.show", id=sent)
    assert lost.tries == 2
    assert shown["state"] == "failed" and "was lost" in shown["closed_as"]
    assert len((await play.hq.do("agent_incident.list", kind="crash"))["items"]) == 1


class Slow(Told):
    """Answers only when another worker has taken over."""

    def __init__(self, play) -> None:
        super().__init__([DONE])
        self.play = play
        self.taken: list[Claimed] = []

    async def answer(self, ask, *, on_text=None):
        await lease_over(self.play)
        self.taken.append(await claimed(self.play))
        return await super().answer(ask, on_text=on_text)


async def test_a_worker_that_was_late_takes_its_loss_back(play, sent):
    slow = Slow(play)
    await play.runner(slow).run_once()
    await lease_over(play)

    assert [each.tries for each in slow.taken] == [1]
    assert (await claimed(play)).tries == 1


async def test_who_takes_up_its_own_again_has_lost_nobody(play, sent):
    leases = Leases(play.hq.door.pool, play.hq.clock)
    await claimed(play, leases)
    await lease_over(play)

    assert (await claimed(play, leases)).tries == 0
