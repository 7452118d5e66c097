"""State pages: how things stand, as Markdown put together from a few reads, now or as of a moment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from hq.mcp.way_in import Ask, Contract

Read = Callable[[Ask], Awaitable[Contract]]


@dataclass(frozen=True)
class Section:
    title: str
    verb: str
    args: dict[str, Any]


@dataclass(frozen=True)
class Page:
    name: str
    title: str
    says: str
    sections: tuple[Section, ...]


WAITING = Section("Waiting for the founder", "ask.list", {"to": "founder", "limit": 50})
MISSIONS = Section("Missions", "mission.list", {"limit": 50})
DOING = Section("In progress", "task.list", {"status": "in_progress", "limit": 20})
BLOCKED = Section("Blocked", "task.list", {"status": "blocked", "limit": 20})
TODO = Section("To do", "task.list", {"status": "todo", "limit": 20})
HAPPENED = Section("What happened last", "graph.timeline", {"limit": 20})

PAGES = {
    page.name: page
    for page in (
        Page("today", "Today", "What waits, what is under way and what happened last.",
             (WAITING, MISSIONS, DOING, BLOCKED, HAPPENED)),
        Page("work", "Work", "Missions, projects and tasks that are open.",
             (MISSIONS, Section("Projects", "project.list", {"limit": 50}), DOING, BLOCKED, TODO)),
        Page("waiting", "Waiting", "Everything that needs somebody's word.", (WAITING,)),
        Page("timeline", "Timeline", "Events, interactions, documents and decisions, newest first.",
             (Section("What happened", "graph.timeline", {"limit": 100}),)),
    )
}  # fmt: skip


async def written(page: Page, read: Read, at: str | None, known_at: str | None) -> str:
    """The page as Markdown. What this caller may not read, or this hq does not have, is left out."""
    lines = [f"# {page.title}", "", f"As of {at}." if at else page.says]
    for section in page.sections:
        contract = await read(Ask(section.verb, section.args, at=at, known_at=known_at))
        if contract["ok"]:
            lines += ["", f"## {section.title}", "", *(_line(item) for item in contract["data"]["items"])]
            if not contract["data"]["items"]:
                lines.append("Nothing.")
        elif contract["error"]["code"] not in ("not_found", "forbidden"):
            lines += ["", f"## {section.title}", "", f"Cannot be shown: {contract['error']['message']}"]
    return "\n".join(lines) + "\n"


def _line(item: dict[str, Any]) -> str:
    kind = f"{item['type']} " if "type" in item else ""
    status = f" ({item['status']})" if item.get("status") else ""
    when = f"{item['at'][:16].replace('T', ' ')} " if "at" in item else ""
    return f"- {when}{kind}`{item['slug']}` {item.get('title', '')}{status}".rstrip()
