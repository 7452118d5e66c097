"""A completion as it is read while it is being said."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from hq.engine.sessions.steps import MindStep
from hq.sessions.completions.completion import Completion
from hq.sessions.completions.rows import CompletionRow


def row(**more) -> CompletionRow:
    usual = dict.fromkeys(CompletionRow.__dataclass_fields__)
    known = {"id": UUID(int=1), "agent": "chief", "state": "running", "created_at": datetime(2026, 1, 1, tzinfo=UTC)}
    return CompletionRow(**(usual | known | more))


def test_a_draft_of_what_was_said_meanwhile_is_none():
    """The steps are read a moment later: told twice, an answer would have its first half behind it again."""
    said = MindStep(response={"parts": [{"part_kind": "text", "content": "All quiet."}]})

    assert Completion(row(draft="All qu", draft_step=3), [(3, said)]).draft == ""
    assert Completion(row(draft="And th", draft_step=5), [(3, said)]).draft == "And th"
