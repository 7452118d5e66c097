"""What is handed in is what was looked at, whoever else is at its files in the same moment."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from hq.missions import evidence
from hq.missions.checks import AddressProbe
from hq.workspace.directories import EMPTY
from hq.workspace.verbs import merge_verbs
from tests.missions.test_sealed_files import app_of, written_late
from tests.support.desk import delivered, desk
from tests.support.firm import Firm
from tests.support.passable import tmp_path
from tests.support.sandboxes import MISSING

__all__ = ["tmp_path"]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
WAITS = """select exists (select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
                         where l.locktype = 'advisory' and not l.granted)"""


class Meeting:
    """The first call is held at its last step until the other is over, or waits for it."""

    def __init__(self, firm: Firm, monkeypatch: pytest.MonkeyPatch, module, name: str) -> None:
        self._firm, self._step = firm, getattr(module, name)
        self._held, self._over = asyncio.Event(), asyncio.Event()
        monkeypatch.setattr(module, name, self._stepped)

    async def _stepped(self, *args, **more):
        if not self._held.is_set():
            self._held.set()
            async with await psycopg.AsyncConnection.connect(self._firm.hq.address.url, autocommit=True) as conn:
                while not self._over.is_set() and (await (await conn.execute(WAITS)).fetchone()) == (False,):
                    await asyncio.sleep(0)
        return await self._step(*args, **more)

    async def of(self, first, second):
        async def later():
            await self._held.wait()
            outcome = await second
            self._over.set()
            return outcome

        return await asyncio.gather(first, later())


@pytest.fixture
async def waiting(firm) -> tuple[str, str]:
    """A mission with good files merged, and others saved beside them; its workspace."""
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py", "person: I like it"])
    await firm.deliver(mission, app__py="print('hello')")
    return mission, await written_late(firm, mission)


async def shown(firm: Firm, mission: str, space: str) -> tuple[str, str]:
    held = (await firm.hq.do("workspace.show", ref=space))["props"]["snapshot"]
    return (await firm.props(mission))["brought"], held


async def test_a_merge_that_meets_the_handing_in_is_refused(firm, waiting, monkeypatch):
    mission, space = waiting
    token = await firm.token("forge")
    meeting = Meeting(firm, monkeypatch, evidence, "follow")

    submitted, merged = await meeting.of(
        firm.hq.call("mission.submit", ref=mission, outcome="It runs."),
        firm.hq.call("workspace.merge", ref=space, session="late", _token=token),
    )

    assert submitted.ok and merged.error["code"] == "conflict" and "as it was handed in" in merged.error["message"]
    brought, held = await shown(firm, mission, space)
    assert brought == held and await app_of(firm, mission) == "print('hello')"


async def test_a_revert_that_meets_the_handing_in_is_refused(firm, waiting, monkeypatch):
    mission, space = waiting
    token = await firm.token("forge")
    meeting = Meeting(firm, monkeypatch, evidence, "follow")

    submitted, reverted = await meeting.of(
        firm.hq.call("mission.submit", ref=mission, outcome="It runs."),
        firm.hq.call("workspace.revert", ref=space, snapshot=EMPTY, _token=token),
    )

    assert submitted.ok and reverted.error["code"] == "cross_scope_violation"
    brought, held = await shown(firm, mission, space)
    assert brought == held and await app_of(firm, mission) == "print('hello')"


async def test_a_merge_that_was_first_is_handed_in_too(firm, waiting, monkeypatch):
    mission, space = waiting
    token = await firm.token("forge")
    meeting = Meeting(firm, monkeypatch, merge_verbs, "advance")

    merged, submitted = await meeting.of(
        firm.hq.call("workspace.merge", ref=space, session="late", _token=token),
        firm.hq.call("mission.submit", ref=mission, outcome="It runs."),
    )

    assert merged.ok and submitted.ok
    brought, held = await shown(firm, mission, space)
    assert brought == held and await app_of(firm, mission) == "print('EVIL')"


async def test_what_people_change_while_it_is_looked_at_is_not_accepted_with_it(firm):
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py", "url:https://acme.example"])
    await firm.deliver(mission, app__py="print('hello')")
    space = await written_late(firm, mission)

    class Slow(AddressProbe):
        async def look(self, url: str) -> tuple[bool, str]:
            hello = (await firm.hq.do("workspace.show", ref=space))["props"]["snapshot"]
            await firm.hq.do("workspace.revert", ref=space, snapshot=EMPTY, expect=hello)
            return True, "it answered 200"

    firm.hq.door.services[AddressProbe] = Slow()
    await firm.hq.do("mission.submit", ref=mission, outcome="It runs.")

    props = await firm.props(mission)
    assert props["status"] == "in_progress" and props.get("failed_checks", 0) == 0
    assert props["status_reason"] == f"{space} was changed while it was looked at"


async def test_what_people_change_before_they_accept_it_is_what_is_accepted(firm, waiting):
    mission, space = waiting
    await firm.hq.do("mission.submit", ref=mission, outcome="It runs.")
    await firm.hq.do("workspace.revert", ref=space, snapshot=EMPTY)

    await firm.hq.do("mission.sign_off", ref=mission)

    assert await firm.status(mission) == "done" and await shown(firm, mission, space) == (EMPTY, EMPTY)


async def test_what_came_in_after_it_was_accepted_is_among_the_changes_of_what_goes_on_with_it(firm, monkeypatch):
    """As it lies in homes where that was possible."""
    mission = await delivered(firm)
    space = await written_late(firm, mission)
    with monkeypatch.context() as before:
        before.setattr(merge_verbs, "kept_from", nobody)
        before.setattr(merge_verbs, "sealed", lambda _: None)
        await firm.hq.do("workspace.merge", ref=space, session="late")
    change = (await firm.hq.do("mission.change", ref=mission, words="One more button."))["slug"]
    await firm.hq.do("mission.accept", ref=change)
    at = await desk(firm, change)
    await at.write("button.py", "print('button')")
    await at.do("mission.submit", ref=change, outcome="There it is.")

    changed = await firm.hq.do("mission.changes", ref=change)

    assert await firm.status(change) == "done"
    assert [each["path"] for each in changed["items"]] == ["app.py", "button.py"] and "EVIL" in str(changed)


async def nobody(*_):
    return None
