"""Folders of sub-agents: `agents/<agent>/subagents/<name>.md`, those that all share in `agents/_shared/subagents/`, and
those that come with hq, where a company has none of that name."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from hq.agents.files.definition import NAME
from hq.agents.files.folder import LARGEST, SHARED, SHIPPED, AgentFiles
from hq.agents.files.markdown import Problem
from hq.agents.subagents.definition import SubAgent, parse
from hq.errors import Refused

FOLDER = "subagents"
PROJECT = "project-agent"
"""What `## Subagents allowed` calls the agents of projects; their files are the projects'."""


@dataclass(frozen=True)
class SubagentFile:
    """One file: what it defines, or what is wrong with it."""

    file: str
    name: str
    subagent: SubAgent | None
    problems: tuple[Problem, ...]

    def checked(self) -> SubAgent:
        if self.subagent is None:
            raise Refused.invalid(str(self.problems[0]), problems=[str(each) for each in self.problems])
        return self.subagent


def every(files: AgentFiles, company: str, agent: str) -> dict[str, SubagentFile]:
    """The sub-agents that an agent could start, by name; its own before those that all share, the company's before hq's."""
    found: dict[str, SubagentFile] = {}
    for home in (SHIPPED, files.folder(company)):
        for owner in (SHARED, agent) if NAME.match(agent) else (SHARED,):
            for path in sorted((home / owner / FOLDER).glob("*.md")):
                found[path.stem] = _read(path, f"agents/{owner}/{FOLDER}/{path.name}")
    return dict(sorted(found.items()))


def missing(agent: str, name: str) -> str:
    return f"{name} is not written yet: put it into agents/{agent}/{FOLDER}/{name}.md or agents/{SHARED}/{FOLDER}/{name}.md"


def wrong(files: AgentFiles, company: str, agent: str, allowed: Collection[str]) -> list[str]:
    """What is wrong with the files of the sub-agents that an agent may start."""
    there = every(files, company, agent)
    found = [f"agents/{agent}/agent.md:1: {missing(agent, name)}" for name in allowed if name not in {*there, PROJECT}]
    return found + [str(each) for name, one in there.items() if name in allowed for each in one.problems]


def _read(path: Path, file: str) -> SubagentFile:
    try:
        if path.stat().st_size > LARGEST:
            return SubagentFile(file, path.stem, None, (Problem(file, 1, f"is larger than {LARGEST // 1024} KB"),))
        subagent, problems = parse(file, path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        return SubagentFile(file, path.stem, None, (Problem(file, 1, f"cannot be read ({error})"),))
    if subagent and subagent.name != path.stem:
        problems = [Problem(file, 2, f"it says name: {subagent.name} but is called {path.name}; make them the same")]
        subagent = None
    return SubagentFile(file, path.stem, subagent, tuple(problems))
