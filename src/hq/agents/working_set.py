"""The working set of an agent that is hired: the tools its job needs, and no others. More it asks for (`tools_request`).

What it is given by name comes on top and takes nothing away; what missions and messages name every agent has anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hq.door.toolset import by_tool
from hq.door.verb import Registry

COMMON: Mapping[str, tuple[str, ...]] = {
    "agent": ("ask", "send", "reply", "inbox", "read", "list", "show", "roster", "status", "handoff", "broadcast"),
    "mission": (
        "accept", "decline", "counter", "plan", "note", "check", "submit", "delegate", "create", "update", "assign", "revise", "answer",
        "settle_plan", "sign_off", "fail", "wait", "list", "show", "brief", "tree", "files", "read_file", "changes", "download", "import", "pause", "resume",
    ),
    "escalation": ("raise", "resolve", "pass_on", "withdraw", "list", "show"),
    "ask": ("list", "show", "answer", "withdraw"),
    "proposal": ("propose",),
    "expense": ("spend",),
    "session": ("stop",),
    "review": ("create",),
    "budget": ("raise",),
    "task": ("create", "list", "show", "update", "complete", "assign"),
    "document": ("create", "list", "show", "update"),
    "memory": ("search", "add", "list", "show", "why"),
    "subagent": ("run", "list"),
    "skill": ("run", "list", "show", "enable"),
    "workspace": ("create", "list", "show", "files", "diff", "begin", "save", "merge", "drop", "revert"),
    "read_file": (), "write_file": (), "edit_file": (), "grep": (), "glob": (), "web_search": (), "web_fetch": (),
}  # fmt: skip
"""What any work on missions takes: some actions of a noun, or one tool."""
BUILDING: Mapping[str, tuple[str, ...]] = {"code": (), "container_exec": ()}
"""What is beside that needed to make programs and to run them."""
BUILDS = re.compile(
    r"\b(dev|engineer|program|cod(e|er|ing)|build|software|web|app|front|back|full.?stack|script|data|test|qa|ops|sre|architect|automat|general)",
    re.IGNORECASE,
)
"""A job in which programs are made, or one that may be anything."""
DAILY = (
    "code_execute", "escalation_raise", "agent_ask", "agent_send", "agent_reply", "read_file", "write_file", "edit_file", "grep",
    "container_exec", "memory_search", "memory_add", "web_search", "web_fetch", "subagent_run", "skill_run", "mission_show",
)  # fmt: skip
"""What it is shown beside what a mission's brief names."""
HANDS = ("code_execute", "container_exec")


@dataclass(frozen=True)
class WorkingSet:
    tools: tuple[str, ...]
    daily: tuple[str, ...]
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of some nouns, the actions it has."""


def working_set(registry: Registry, job: Iterable[str | None], more: Iterable[str] = ()) -> WorkingSet:
    """For a job, as its role, title and description say it; `more` is what it is given by name, a noun whole."""
    builds = bool(BUILDS.search(" ".join(filter(None, job))))
    given = tuple(more)
    base = {**COMMON, **(BUILDING if builds else {})}
    one = [name for name in given if by_tool(registry, name)]
    many = [name for name in given if name not in one]
    daily = [name for name in DAILY if builds or name not in HANDS]
    return WorkingSet(
        tuple(dict.fromkeys((*base, *given))),
        tuple(dict.fromkeys((*one, *daily, *many))),
        {noun: actions for noun, actions in base.items() if actions and noun not in given},
    )
