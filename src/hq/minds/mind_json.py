"""The JSON object a mind was asked for, in whatever else it said around it."""

from __future__ import annotations

import re

from hq.json_text import json_value
from hq.json_types import WireBody

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def object_in(text: str) -> WireBody:
    """Empty where there is none that can be read."""
    found = _OBJECT.search(text)
    try:
        given = json_value(found.group(0)) if found else {}
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}
