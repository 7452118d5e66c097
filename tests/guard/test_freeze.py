"""What is refused while all is frozen says what to do."""

from __future__ import annotations

from tests.support.company import Hq


async def test_what_is_refused_while_all_is_frozen_says_how_to_lift_that(hq: Hq) -> None:
    await hq.do("freeze.set", scope="all", _reason="question stop-everything")

    refused = await hq.call("task.create", title="Call Ana")

    assert refused.error and refused.error["code"] == "frozen"
    assert "say “let it go on” in the conversation, or `hq thaw all`" in refused.error["message"]
