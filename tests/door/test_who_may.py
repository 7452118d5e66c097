"""Who may call what, on whose things: the whole table, as it is, beside this test. A changed right is a line in a diff."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.door import who_may

PINNED = Path(__file__).with_name("who_may.tsv")


@pytest.mark.timeout(900)
@pytest.mark.slow
async def test_who_may_call_what_is_as_it_was_decided(own_hq):
    found = await who_may.table(await who_may.founded(own_hq))
    if os.environ.get("HQ_PIN"):
        PINNED.write_text(found)

    assert found == PINNED.read_text(), "`HQ_PIN=1` pins it anew; say in the commit why"
