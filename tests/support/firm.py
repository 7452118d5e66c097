"""A small company at work: agents with something they can do, a mind that is told what to say, and the index on demand."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hq.sandbox import Sandbox
from hq.workspace.directories import Workspaces
from tests.support.passable import tmp_path
from tests.support.play import Play, Told, route
from tests.support.searching import catch_up

__all__ = ["tmp_path"]

FORGE = {"name": "forge", "role": "Developer", "description": "Writes web apps in React, with tests."}
SCOUT = {
    "name": "scout",
    "role": "Research Analyst",
    "description": "Researches and compares libraries, vendors and prices.",
}
DONE = '<task-complete reason="done" memory_entry_count="0"/>'


def tool(noun: str, action: str, **args: Any) -> tuple[str, dict[str, Any]]:
    """A call, as a mind says it."""
    return (f"hq_{noun}", {"action": action, **args})


@dataclass
class Firm:
    hq: Any

    async def hire(self, **who: Any) -> str:
        return (await self.hq.do("agent.create", **who))["slug"]

    async def mission(self, title: str = "Build the web app", **more: Any) -> str:
        return (await self.hq.do("mission.create", title=title, **more))["slug"]

    async def at_work(self, title: str = "Build the web app", to: str = "forge", **more: Any) -> str:
        """A mission that its agent has accepted."""
        mission = await self.mission(title, **more)
        await self.hq.do("mission.assign", ref=mission, to=to)
        await self.hq.do("mission.accept", ref=mission)
        return mission

    async def token(self, agent: str) -> str:
        return await self.hq.agent(agent, scopes=["read", "write"])

    async def status(self, mission: str) -> str:
        return (await self.hq.do("mission.show", ref=mission))["props"]["status"]

    async def props(self, mission: str) -> dict[str, Any]:
        return (await self.hq.do("mission.show", ref=mission))["props"]

    async def evidence(self, mission: str) -> dict[str, str]:
        rows = (await self.hq.do("mission.tree", ref=mission))["evidence"]
        return {row["deliverable"]: row["status"] for row in rows}

    async def sessions(self, agent: str) -> list[dict[str, Any]]:
        return (await self.hq.do("session.list", agent=agent))["items"]

    async def deliver(self, mission: str, **files: str) -> None:
        """Files are written in a tree of their own, saved and merged, as an agent would."""
        (space,) = (await self.hq.do("workspace.list", mission=mission))["items"]
        tree = (await self.hq.do("workspace.begin", ref=space["slug"], session="hand"))["path"]
        for name, text in files.items():
            path = Path(tree) / name.replace("__", ".")
            path.write_text(text)
            os.chmod(path, 0o644)
        await self.hq.do("workspace.save", ref=space["slug"], session="hand")
        await self.hq.do("workspace.merge", ref=space["slug"], session="hand")

    async def index(self) -> None:
        await catch_up(self.hq)


@pytest.fixture
async def firm(hq, tmp_path) -> Firm:
    return await staffed(hq, tmp_path)


@pytest.fixture
async def own_firm(own_hq, tmp_path) -> Firm:
    """The same in a database of its own, for sessions that run."""
    return await staffed(own_hq, tmp_path)


async def staffed(hq: Any, files: Path) -> Firm:
    spaces = hq.door.services[Workspaces] = Workspaces(files / "workspaces")
    hq.door.services[Sandbox] = Sandbox(spaces.scratch)
    made = Firm(hq)
    await made.hire(**FORGE)
    await made.hire(**SCOUT)
    return made


@dataclass
class Shift:
    """Runs every session that is ready, until nothing moves, each agent saying its lines in order."""

    firm: Firm
    play: Play

    async def run(self, mind: Told, rounds: int = 12) -> None:
        runner = self.play.runner(mind)
        for _ in range(rounds):
            ran = await runner.run_once()
            await route(self.firm.hq)
            if not ran and not await runner.run_once():
                return


@pytest.fixture
def shift(own_firm) -> Shift:
    return Shift(own_firm, Play(own_firm.hq))
