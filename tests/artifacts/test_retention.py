"""Artifacts are kept for a time; bytes that something else needs stay."""

from __future__ import annotations

import pytest

from tests.support.jobs import JobHand
from tests.support.sandboxes import MISSING

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
HERE = {"workspace": "app1", "session": "one"}


async def test_artifacts_go_after_their_time_and_what_a_write_replaced_stays(own_hq, clock) -> None:
    hq = own_hq
    await hq.do("workspace.create", name="app1")
    await hq.do("workspace.begin", ref="app1", session="one")
    night = JobHand(hq, "keep-artifacts")
    await night.run_once()
    ran = await hq.do("container.exec", command="printf the-same", **HERE)
    await hq.do("file.write", path="a.txt", content="the-same", **HERE)
    over = await hq.call("file.write", path="a.txt", content="other", **HERE)

    clock.advance(days=89)
    await night.run_once()
    assert (await hq.do("artifact.read", id=ran["artifact"]))["text"] == "the-same"
    young = await hq.do("container.exec", command="printf young", **HERE)

    clock.advance(days=2)
    assert await night.run_once() == 1

    gone = await hq.call("artifact.read", id=ran["artifact"])
    assert gone.error["code"] == "not_found" and "kept long enough" in gone.error["message"]
    assert (await hq.do("artifact.read", id=young["artifact"]))["text"] == "young"
    await hq.do("action.undo", id=str(over.action_id))
    assert "the-same" in (await hq.do("file.read", path="a.txt", **HERE))["text"]


async def test_agents_do_not_let_artifacts_go(hq) -> None:
    refused = await hq.call("artifact.expire", days=1, _token=await hq.agent("scout"))

    assert refused.error["code"] == "forbidden"
