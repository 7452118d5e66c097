"""Boxes that words are typed or pasted into."""

from __future__ import annotations

import re
from pathlib import Path

import hq.web

TEMPLATES = Path(hq.web.__file__).parent / "templates"


def test_no_box_for_words_cuts_what_is_pasted():
    """A browser cuts at `maxlength` without a word; hq says how long it may be, and the box keeps all of it."""
    boxes = {box for page in TEMPLATES.glob("*.html") for box in re.findall(r"<textarea[^>]*>", page.read_text())}

    assert len(boxes) >= 4 and not [box for box in boxes if "maxlength" in box]


async def test_a_message_that_is_too_long_is_refused_with_how_long_it_may_be(hq):
    refused = (await hq.call("chat.say", text="x" * 20_001)).error

    assert "20000" in refused["message"] or "20,000" in refused["message"]
