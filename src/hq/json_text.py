"""JSON from outside: a model, a program or a provider may send anything."""

from __future__ import annotations

import json
from typing import Any


def json_value(text: str | bytes) -> Any:
    """A text of JSON; what is none, or nested without end, is a `ValueError`."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None
