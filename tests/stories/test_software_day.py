"""A day of the software team with scripted minds: from the spec to the roll-up, it ends in exactly one graph, every time."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pydantic_ai.messages import ModelResponse

from hq.sandbox import Sandbox
from hq.workspace.directories import Workspaces
from tests.support.firm import DONE, tool
from tests.support.jobs import JobHand
from tests.support.passable import needs_sandbox
from tests.support.play import Play, Told, route

GOLDEN = Path(__file__).parent / "golden" / "software-day.json"
TEAM = {
    "Robbie": ("Principal Architect", "Designs web apps and leads those who build them."),
    "Ada": ("Developer", "Builds web app pages in Python."),
    "Quinn": ("QA Lead", "Tests web app pages, reviews quality."),
}
SPEC = """# Flight tracker

## 1. Dashboard

- [ ] 1.1 Build the web app page
- [ ] 1.2 Review the web app page
"""
ROOT, SECTION = "flight-tracker", "dashboard"
BUILD, REVIEW, TEST = "build-the-web-app-page", "review-the-web-app-page", "test-the-page"
DOCUMENT = {
    "current_work": "The page of the flight tracker",
    "progress": "Planned, asked, decided",
    "key_decisions": "Postgres, because robbie said so",
    "blockers": "none",
    "files_modified": [],
    "next_steps": "Write app.py and hand in",
}
Says = Any
Line = Says | Callable[[], Awaitable[Says]]


class Team(Told):
    """Each says its lines in order, by who it is and what woke it. A line may first make something happen."""

    def __init__(self, lines: dict[tuple[str, str], list[Line]]) -> None:
        super().__init__([])
        self.script = lines
        self.unheard: list[str] = []

    async def answer(self, ask, *, on_text=None):
        if "handoff document as one JSON object" in str(ask.messages[-1]):
            self.lines = lambda _: json.dumps(DOCUMENT)
            return await super().answer(ask)
        first = str(ask.messages[0].parts[0].content)
        key = next((key for key in self.script if f"agent:{key[0]} " in first and key[1] in first), None)
        if key is None:
            self.unheard.append(first)
        said = self.script[key] if key else [DONE]
        turn = sum(isinstance(message, ModelResponse) for message in ask.messages)
        line = said[min(turn, len(said) - 1)]
        says = await line() if callable(line) else line
        self.lines = lambda _: says
        return await super().answer(ask)


class Day:
    def __init__(self, hq: Any, files: Path) -> None:
        self.hq, self.play = hq, Play(hq)
        spaces = hq.door.services[Workspaces] = Workspaces(files / "workspaces")
        hq.door.services[Sandbox] = Sandbox(spaces.scratch)
        self.jobs = JobHand(hq, "handoffs", "mail")

    async def found(self) -> None:
        await self.hq.do("org.create", template="software-team")
        seats = {row["title"]: row["position_id"] for row in (await self.hq.do("position.list"))["items"]}
        for name, (title, about) in TEAM.items():
            await self.hq.do("agent.hire", name=name, position_id=seats[title], about=about)

    async def run(self, mind: Told, rounds: int = 80) -> None:
        runner = self.runner = self.play.runner(mind)
        runner.room = 1  # one after the other: the same order every time
        idle = 0
        for _ in range(rounds):
            ran = await runner.run_once()
            await route(self.hq)
            ran += await self.jobs.run_once()
            idle = 0 if ran else idle + 1
            if idle > 1:
                return

    @property
    def session(self) -> str:
        """The one that runs; its working tree has its name."""
        (id,) = self.runner.sessions
        return str(id)

    async def interrupt(self) -> None:
        """The founder breaks in while ada thinks, and the worker hears of it as it does every few seconds."""
        await self.hq.do("agent.send", agent="ada", text="Flights on top, please.", kind="interrupt")
        for id, why in (await self.runner.leases.keep(list(self.runner.sessions))).items():
            if why:
                self.runner.sessions[id].signals.halt(why)

    async def graph(self) -> dict[str, Any]:
        """What there is in the end and how it hangs together, without what no two days have in common: ids and times."""
        async with await psycopg.AsyncConnection.connect(self.hq.address.url) as conn:
            nodes = await (
                await conn.execute(
                    "select type, slug, status from graph.nodes where archived_at is null and type <> all(%s) order by 1, 2",
                    [["agent_session", "agent_handover_memo"]],
                )
            ).fetchall()
            edges = await (
                await conn.execute(
                    "select a.slug, e.type, b.slug from graph.edges e join graph.nodes a on a.id = e.from_id"
                    " join graph.nodes b on b.id = e.to_id where e.live and a.type <> all(%(no)s) and b.type <> all(%(no)s)"
                    " order by 1, 2, 3",
                    {"no": ["agent_session", "agent_handover_memo"]},
                )
            ).fetchall()
            mail = await (
                await conn.execute(
                    "select kind, sender, coalesce(recipient, address), state from ops.messages order by 1, 2, 3, 4"
                )
            ).fetchall()
        return {
            "nodes": [" ".join(filter(None, row)) for row in nodes],
            "edges": [" ".join(row) for row in edges],
            "mail": [" ".join(row) for row in mail],
        }


@needs_sandbox
@pytest.mark.parametrize("time", ["first", "second"])
async def test_the_day_ends_in_exactly_this_graph(own_hq, tmp_path, time):
    day = Day(own_hq, tmp_path)
    await day.found()
    hq = own_hq
    await hq.do("objective.create", current_text="Fly more")
    await hq.do("mission.create", title="Flight tracker", description=SPEC, deliverables=["It is there."])
    await hq.do("mission.assign", ref=ROOT, to="robbie", delegation="autonomous", collaborators=["*"])
    space = f"{BUILD}-files"

    async def interrupted() -> Says:
        await day.interrupt()
        return tool("task", "create", title="Never made")

    async def handing_off() -> Says:
        await hq.do("agent.handoff", agent="ada", force=True)
        return tool("mission", "note", ref=BUILD, content="It is Postgres.", kind="decision")

    def in_tree(action: str) -> Line:
        async def line() -> Says:
            return tool("workspace", action, ref=space, session=day.session)

        return line

    async def written() -> Says:
        content = {"path": "app.py", "content": "print('flights')\n"}
        return ("write_file", {**content, "workspace": space, "session": day.session})

    team = Team(
        {
            ("robbie", f"MISSION BRIEF ({ROOT})"): [
                tool("mission", "accept", ref=ROOT),
                tool("mission", "import", document=SPEC, parent=ROOT),
                tool("mission", "revise", ref=BUILD, deliverables=["file:app.py", "command:test -s app.py"]),
                tool("mission", "assign", ref=BUILD, to="ada", delegation="pre_approved", collaborators=["quinn"]),
                tool("mission", "assign", ref=REVIEW, to="quinn"),
                tool("mission", "wait", missions=[BUILD, REVIEW]),
                tool("mission", "sign_off", ref=REVIEW),
                tool("mission", "wait", missions=[BUILD]),
                tool("mission", "submit", ref=ROOT, outcome="A flight tracker, tested.", lessons="Small parts."),
                DONE,
            ],
            ("robbie", "Postgres or SQLite?"): [
                tool("escalation", "resolve", ref="postgres-or-sqlite", answer="Postgres."),
                DONE,
            ],
            ("robbie", "Mission dashboard (Dashboard) is done"): [DONE],
            ("ada", "You continue the work of ada"): [
                tool("mission", "delegate", ref=BUILD, title="Test the page", to="quinn", reason="four eyes"),
                in_tree("begin"),
                written,
                in_tree("save"),
                in_tree("merge"),
                tool("mission", "wait", missions=[TEST]),
                tool("mission", "sign_off", ref=TEST),
                tool("mission", "submit", ref=BUILD, outcome="The page is there.", lessons="Ask QA first."),
                DONE,
            ],
            ("ada", f"MISSION BRIEF ({BUILD})"): [
                tool("mission", "accept", ref=BUILD),
                tool("mission", "plan", ref=BUILD, steps=["Ask QA", "Write", "Hand in"]),
                tool("agent", "ask", agent="quinn", text="What will you look at first?"),
                interrupted,
                tool("escalation", "raise", mission=BUILD, summary="Postgres or SQLite?", confidence=0.4),
                handing_off,
                DONE,
            ],
            ("quinn", "What will you look at first?"): [f"That it starts.\n{DONE}"],
            ("quinn", f"MISSION BRIEF ({TEST})"): [
                tool("mission", "accept", ref=TEST),
                tool("mission", "submit", ref=TEST, outcome="It starts."),
                DONE,
            ],
            ("quinn", f"MISSION BRIEF ({REVIEW})"): [
                tool("mission", "accept", ref=REVIEW),
                tool("mission", "submit", ref=REVIEW, outcome="It reads well."),
                DONE,
            ],
        }
    )  # fmt: skip

    await day.run(team)
    await hq.do("mission.sign_off", ref=ROOT)

    ended = await day.graph()
    if os.environ.get("HQ_GOLDEN_REWRITE"):
        GOLDEN.write_text(json.dumps(ended, indent=1) + "\n")
    assert ended == json.loads(GOLDEN.read_text())
    assert team.unheard == []
    assert {row["state"] for row in (await hq.do("session.list", limit=100))["items"]} == {"done"}
    assert (await hq.do("mission.tree", ref=ROOT))["states"] == {"done": 5}
