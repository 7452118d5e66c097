"""`GET /api/sessions/<id>/steps`: a session followed live, by those who may."""

from __future__ import annotations

import pytest

from hq.database.migrate import Migrated
from hq.engine.sessions.leases import Leases
from hq.headquarters import Headquarters
from hq.sessions.runner import Runner
from tests.support.play import Stage, Told
from tests.support.streams import served

DONE = '<task-complete reason="done"/>'


@pytest.fixture
def house(own_hq, settings):
    return Headquarters(settings, own_hq.address, own_hq.door, own_hq.token, own_hq.clock, Migrated((), 1))


@pytest.fixture
async def session(own_hq) -> str:
    await own_hq.do("agent.create", name="scout", role="Scout")
    return (await own_hq.do("agent.send", agent="scout", text="go"))["session"]


async def run(hq) -> None:
    mind = Told([("hq_task", {"action": "list"}), DONE])
    await Runner(Stage(hq, mind), hq.address.app_url, Leases(hq.door.pool, hq.clock)).run_once()


async def test_steps_are_told_as_they_are_written_until_it_is_over(own_hq, house, session):
    async with served(house) as server:
        stream = await server.follow(path=f"/api/sessions/{session}/steps")
        await stream.until("ready")
        await run(own_hq)

        told = await stream.events(5)

        assert [said.data["kind"] for said in told] == ["open", "mind", "verb", "mind", "close"]
        assert (await stream.until("over")).data == {"state": "done"}
        assert await stream.next() is None


async def test_one_who_comes_back_goes_on_where_it_was(own_hq, house, session):
    await run(own_hq)
    async with served(house) as server:
        stream = await server.follow(path=f"/api/sessions/{session}/steps", last_event_id="3")

        assert [said.id for said in await stream.events(2)] == ["4", "5"]


async def test_a_credential_that_ends_ends_the_stream(own_hq, house, session):
    token = (await own_hq.do("auth.token", device="tv", scopes=["read"]))["token"]
    async with served(house) as server:
        stream = await server.follow(path=f"/api/sessions/{session}/steps", token=token)
        await stream.until("ready")
        await own_hq.do("auth.revoke", id=(await own_hq.do("auth.whoami", _token=token))["credential"])

        assert "revoked" in (await stream.until("end")).data["why"]


async def test_another_companys_session_is_not_there(own_hq, house, session):
    other = await own_hq.tenant()
    async with served(house) as server:
        assert (await server.follow(path=f"/api/sessions/{session}/steps", token=other)).status == 404
        assert (await server.follow(path=f"/api/sessions/{session}/steps?after=x")).status == 422
