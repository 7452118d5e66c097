"""Who may call what, on whose things: as the declarations say, and as it was decided. A changed right is a line in a diff."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hq.asks.kinds import Kinds
from tests.door import who_may
from tests.door.who_may_rule import PRINCIPALS

PINNED = Path(__file__).with_name("who_may.tsv")


@pytest.mark.timeout(900)
@pytest.mark.slow
async def test_who_may_call_what_is_as_declared_and_as_it_was_decided(firm):
    asked, found = await who_may.table(firm)
    pinned = await who_may.text(firm, asked, found)
    if os.environ.get("HQ_PIN"):
        PINNED.write_text(pinned)

    assert who_may.untried(firm) == [], "give the company one of these; else what is pinned of it says nothing"
    assert set(firm.asks) == {each.name for each in firm.hq.door.services[Kinds].kinds}, "an ask of each kind is open"
    assert [
        (row.name, row.whose, principal, answer)
        for row, answers in zip(asked, found, strict=True)
        for principal, answer in zip(PRINCIPALS, answers, strict=True)
        if who_may.wrong(firm, row, principal, answer)
    ] == [], "the door does something else than the declarations say"
    assert pinned == PINNED.read_text(), "`HQ_PIN=1` pins it anew; say in the commit why"
