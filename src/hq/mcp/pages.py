"""State pages: how things stand, as Markdown put together from a few reads, now or as of a moment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from hq.door.outcome import ResultContract
from hq.json_types import CallArgs, NodeItem
from hq.mcp.door_calls import VerbRequest, error_of

Read = Callable[[VerbRequest], Awaitable[ResultContract]]


@dataclass(frozen=True)
class StateSection:
    title: str
    verb: str
    args: CallArgs


@dataclass(frozen=True)
class StatePage:
    name: str
    title: str
    says: str
    sections: tuple[StateSection, ...]


WAITING = StateSection("Waiting for the founder", "ask.list", {"to": "founder", "limit": 50})
MISSIONS = StateSection("Missions", "mission.list", {"limit": 50})
DOING = StateSection("In progress", "task.list", {"status": "in_progress", "limit": 20})
BLOCKED = StateSection("Blocked", "task.list", {"status": "blocked", "limit": 20})
TODO = StateSection("To do", "task.list", {"status": "todo", "limit": 20})
HAPPENED = StateSection("What happened last", "graph.timeline", {"limit": 20})

PAGES = {
    page.name: page
    for page in (
        StatePage("today", "Today", "What waits, what is under way and what happened last.",
             (WAITING, MISSIONS, DOING, BLOCKED, HAPPENED)),
        StatePage("work", "Work", "Missions, projects and tasks that are open.",
             (MISSIONS, StateSection("Projects", "project.list", {"limit": 50}), DOING, BLOCKED, TODO)),
        StatePage("waiting", "Waiting", "Everything that needs somebody's word.", (WAITING,)),
        StatePage("timeline", "Timeline", "Events, interactions, documents and decisions, newest first.",
             (StateSection("What happened", "graph.timeline", {"limit": 100}),)),
    )
}  # fmt: skip


async def written(page: StatePage, read: Read, uri: str, at: str | None, known_at: str | None) -> str:
    """The page as Markdown. What this caller may not read, or this hq does not have, is left out."""
    lines = [f"# {page.title}", "", f"As of {at}." if at else page.says]
    for section in page.sections:
        contract = await read(VerbRequest(section.verb, section.args, at=at, known_at=known_at))
        if contract["ok"]:
            lines += ["", f"## {section.title}", "", *(_line(item) for item in contract["data"]["items"])]
            if not contract["data"]["items"]:
                lines.append("Nothing.")
            if more := contract["data"].get("more"):
                lines.append(f"- and {more} more")
        elif (error := error_of(contract))["code"] == "invalid":  # the moment it was asked for is none
            raise MCPError(code=INVALID_PARAMS, message=error["message"], data={"uri": uri, "error": error})
        elif error["code"] not in ("not_found", "forbidden"):
            lines += ["", f"## {section.title}", "", f"Cannot be shown: {error['message']}"]
    return "\n".join(lines) + "\n"


def _line(item: NodeItem) -> str:
    kind = f"{item['type']} " if "type" in item else ""
    status = f" ({item['status']})" if item.get("status") else ""
    when = f"{item['at'][:16].replace('T', ' ')} " if "at" in item else ""
    return f"- {when}{kind}`{item['slug']}` {item.get('title', '')}{status}".rstrip()
