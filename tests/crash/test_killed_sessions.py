"""A session whose worker is killed or stopped at any instant: it finishes, and nothing outside happens twice."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hq.app import open_door
from hq.clock import SystemClock
from tests.crash.doomed import Scene, Workers, ended, outside
from tests.support.company import Hq


@pytest.fixture
async def scene(database, template, tmp_path):
    with outside() as counting:
        workers = Workers(database, tmp_path, counting.url)
        try:
            async with open_door(database, vault_file=tmp_path / "vault.key", pool_size=4) as door:
                hq = Hq(door, database, template[1], SystemClock())  # type: ignore[arg-type]
                await hq.do("agent.create", name="scout", role="Scout")
                yield Scene(hq, workers, counting)
        finally:
            workers.close()


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


MANY = 100
"""Boundaries that such a session has, at the least."""


async def killed(scene: Scene, step: int) -> Counter[str]:
    """Two sessions for each of its boundaries, or for every so many of them; of which calls nobody knows the outcome."""
    unknown: Counter[str] = Counter()
    for die in itertools.count(1, step):  # how many there are is not quite the same each time: the worker's heart beats
        name = f"die-{die}"
        session = await scene.ask(name)
        if not scene.workers.run(die=die)["killed"]:
            assert await scene.check(session, name) == set()
            break
        await scene.lease_over()
        scene.workers.run()
        unknown.update(await scene.check(session, name))
    assert die > MANY

    incidents = (await scene.hq.do("agent_incident.list", limit=200))["items"]
    assert len(incidents) == unknown.total()
    assert (await scene.hq.do("ledger.verify"))["intact"]
    return unknown


@pytest.mark.long
@pytest.mark.timeout(1200)  # a hundred boundaries
async def test_killed_at_every_boundary_it_finishes_and_nothing_happens_twice(scene):
    unknown = await killed(scene, 1)

    # Only those that died between saying that they would and saying that they had.
    # Five, but for a beat of the worker's heart that falls in between.
    assert 4 <= unknown["one"] <= 6 and 4 <= unknown["two"] <= 6


@pytest.mark.slow
async def test_killed_at_some_boundaries_it_finishes_and_nothing_happens_twice(scene):
    unknown = await killed(scene, 5)

    # One or two of the four to six, or none where a beat of the worker's heart moved a boundary away:
    # that such a death is told as unknown, the test of the stopped worker shows, each time.
    assert unknown["one"] <= 2 and unknown["two"] <= 2


@pytest.mark.slow
async def test_killed_again_and_again_at_the_same_place_it_is_given_up_and_raised_once(scene):
    session = await scene.ask("doomed")
    for _ in range(2):
        assert scene.workers.run(die=6)["killed"]
        await scene.lease_over()
    scene.workers.run()

    shown = await scene.hq.do("session.show", id=session)
    assert shown["state"] == "failed" and "was lost 2 times" in shown["closed_as"]
    assert len((await scene.hq.do("agent_incident.list", kind="crash"))["items"]) == 1


@pytest.mark.slow
async def test_stopped_past_its_lease_and_let_go_again_it_is_fenced(scene):
    session = await scene.ask("sleepy")
    scene.outside.open.clear()
    pid = scene.workers.run(stop=True)["pid"]
    assert await asyncio.to_thread(scene.outside.knocked.wait, 20)
    with stopped(pid):
        await scene.lease_over()
        scene.outside.open.set()

        scene.workers.run()
        before = await scene.steps(session)
        assert await scene.check(session, "sleepy") == {"one"}

    await ended(pid)
    assert await scene.steps(session) == before
    assert scene.outside.counts == {"sleepy-one": 1, "sleepy-two": 1}
