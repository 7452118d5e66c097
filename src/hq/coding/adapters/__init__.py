"""The coding programs hq can drive. Another one is a file here and a line in `ADAPTERS`."""

from __future__ import annotations

from collections.abc import Mapping

from hq.coding.adapter import Adapter
from hq.coding.adapters.chat import Chat
from hq.coding.adapters.claude import Claude
from hq.coding.adapters.codex import Codex
from hq.errors import Refused

ADAPTERS: Mapping[str, Adapter] = {adapter.name: adapter for adapter in (Claude(), Codex(), Chat())}


def adapter(name: str | None) -> Adapter:
    """The one that is asked for; unsaid, the first of Claude's and our own that is here."""
    if name is None:
        return next(ADAPTERS[each] for each in ("claude", "chat") if ADAPTERS[each].program())
    found = ADAPTERS[name]
    if found.program() is None:
        raise Refused.not_found(f"{name} is not installed on this machine", hint=found.to_install)
    return found
