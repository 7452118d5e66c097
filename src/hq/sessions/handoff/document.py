"""The handoff document: six sections, asked of the mind as JSON, kept as a file that a person can read."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hq.minds.mind_json import object_in
from hq.minds.prompt_data import enclosed

PROMPT = """You are about to be followed by a successor who has none of your context. You stay and go on afterwards. Write the
handoff document as one JSON object and nothing else:
{"current_work": "what is being worked on and for whom",
 "progress": "how far it has come, what is done",
 "key_decisions": "what was decided, and why",
 "blockers": "what stands in the way, or: none",
 "files_modified": ["each file that was changed"],
 "next_steps": "what to do next, in order"}"""
LONGEST = 8_000
TITLES = {
    "current_work": "Current work",
    "progress": "Progress",
    "key_decisions": "Key decisions",
    "blockers": "Blockers",
    "files_modified": "Files modified",
    "next_steps": "Next steps",
}


@dataclass(frozen=True)
class HandoffDocument:
    current_work: str
    progress: str = ""
    key_decisions: str = ""
    blockers: str = ""
    files_modified: list[str] = field(default_factory=list)
    next_steps: str = ""

    def as_markdown(self, agent: str, reason: str) -> str:
        parts = [f"# Handoff of {agent}\n\nReason: {reason}\n"]
        for name, title in TITLES.items():
            value = getattr(self, name)
            text = "\n".join(f"- {each}" for each in value) if isinstance(value, list) else value
            parts.append(f"## {title}\n\n{text or '(nothing)'}\n")
        return "\n".join(parts)


def asked(context: str | None) -> str:
    return f"{PROMPT}\nWhoever asked for it wants this said:\n{enclosed('message', context)}" if context else PROMPT


def read(text: str, task: str, said: str) -> HandoffDocument:
    """What the mind answered; where it is no document, what it was woken for and said last stand for one."""
    given = object_in(text)
    if not _text(given.get("current_work")):
        return left(task, text.strip() or said)
    files = given.get("files_modified")
    return HandoffDocument(
        _text(given["current_work"]),
        _text(given.get("progress")),
        _text(given.get("key_decisions")),
        _text(given.get("blockers")),
        [str(each)[:500] for each in files if str(each).strip()][:200] if isinstance(files, list) else [],
        _text(given.get("next_steps")),
    )


def left(task: str, said: str) -> HandoffDocument:
    """The system's own document, of one that can no longer write it."""
    return HandoffDocument(
        task[:LONGEST] or "(not known)",
        said[:LONGEST],
        next_steps="Look at what was done so far, then go on with the work above.",
    )


def path(persona: str | None, agent: str, at: datetime) -> str:
    owner = f"personas/{persona}" if persona else f"agents/{agent}"
    return f"data/{owner}/handoffs/{at:%Y-%m-%dT%H-%M-%S}-{agent}.md"


def _text(given: Any) -> str:
    if isinstance(given, list):
        given = "\n".join(f"- {each}" for each in given)
    return given.strip()[:LONGEST].replace("\0", "") if isinstance(given, str) else ""
