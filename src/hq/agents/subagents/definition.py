"""A sub-agent as its file says: what it is for, the only tools it gets, and how it goes about its task."""

from __future__ import annotations

from dataclasses import dataclass

from hq.agents.files.definition import NAME, TIERS, TOOL
from hq.agents.files.markdown import MarkdownDocument, Problem, read

FRONT = ("name", "description", "tools", "daily", "tier", "timeout")
TIMEOUT = 600
LONGEST = 86_400


@dataclass(frozen=True)
class SubAgent:
    name: str
    description: str
    instructions: str
    tools: tuple[str, ...] | None = None
    """The only tools it gets, of those its spawner has; nothing said, all of them."""
    reads: tuple[str, ...] = ()
    """Tools among them that it only looks with."""
    daily: tuple[str, ...] = ()
    """Those it is shown; the others it reaches through `hq`."""
    tier: str = "default"
    timeout: int = TIMEOUT


def parse(file: str, text: str) -> tuple[SubAgent | None, list[Problem]]:
    """The sub-agent, and everything that is wrong with its file; with a problem there is none."""
    document = read(file, text)
    front = {pair.name: pair for pair in document.front}
    for pair in document.front:
        if pair.name not in FRONT:
            document.wrong(pair.line, f"{pair.name}: is not part of a sub-agent; there are {', '.join(FRONT)}")
    said = {name: pair.value for name, pair in front.items()}
    for name in ("name", "description"):
        if not said.get(name):
            document.wrong(1, f"the frontmatter lacks {name}:")
    if said.get("name") and not NAME.match(said["name"]):
        document.wrong(front["name"].line, "name is a slug: small letters, digits and dashes")
    if said.get("tier", "default") not in TIERS:
        document.wrong(front["tier"].line, f"{said['tier']!r} is no tier; take {', '.join(TIERS)}")
    timeout = said.get("timeout", str(TIMEOUT))
    if not timeout.isdecimal() or not 1 <= int(timeout) <= LONGEST:
        document.wrong(front["timeout"].line, f"timeout is a number of seconds, at most {LONGEST}")
    body = text.split("\n---", 1)[-1].partition("\n")[2].strip()
    if not body:
        document.wrong(1, "nothing says how it goes about its task; write it below the frontmatter")
    tools, reads = _tools(document, front["tools"].line, said["tools"]) if "tools" in front else (None, ())
    daily, _ = _tools(document, front["daily"].line, said["daily"]) if "daily" in front else ((), ())
    if document.problems:
        return None, sorted(document.problems, key=lambda each: each.line)
    tier = said.get("tier", "default")
    return SubAgent(said["name"], said["description"], body, tools, reads, daily, tier, int(timeout)), []


def _tools(document: MarkdownDocument, line: int, value: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """`graph_search, entity:read`: the second a noun, only to look with."""
    named: list[str] = []
    reads: list[str] = []
    for each in filter(None, (part.strip() for part in value.split(","))):
        tool, _, how = (part.strip() for part in each.partition(":"))
        if not TOOL.match(tool) or how not in ("", "read"):
            document.wrong(line, f"{each!r} is no tool; write it as graph_search or entity:read, with commas between")
            continue
        named.append(tool)
        if how:
            reads.append(tool)
    return tuple(dict.fromkeys(named)), tuple(reads)
