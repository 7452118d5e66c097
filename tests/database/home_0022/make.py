"""Makes `home.tar.xz`: a home of schema 0022 with one of everything that waits, through the verbs of the hq of that time.

It is kept to say how the home came about; the names are those of commit 835a276, and it runs with nothing else:

    git archive 835a276 src tests | tar x -C /tmp/then
    PYTHONPATH=/tmp/then/src:/tmp/then/tests:/tmp/then/tests/agents:/tmp/then/tests/workspace python tests/database/home_0022/make.py
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hq.agents.supervision.companies import Companies
from hq.work.tending import TendWork
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hq.ceo.heartbeat import Heartbeat
from hq.clock import FakeClock
from hq.database.embedded import EmbeddedServer, scratch_home
from hq.database.embedded.binaries import installed
from hq.headquarters import open_headquarters
from hq.settings import Settings
from tests.support.company import Hq
from tests.support.play import DONE, Play, route
from tests.support.supervised import announced

HERE = Path(__file__).parent
BEGAN = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
VAULT_KEY = "5e" * 32  # nothing is secret in this home


def tool(noun: str, action: str, **args: Any) -> tuple[str, dict[str, Any]]:
    return (f"hq_{noun}", {"action": action, **args})


class Maker:
    def __init__(self, hq: Hq) -> None:
        self.hq = hq
        self.play = Play(hq)
        self.told: dict[str, Any] = {}

    async def make(self) -> dict[str, Any]:
        for step in (
            self.staff, self.past, self.approvals, self.decided, self.organisation, self.proposals, self.reviews,
            self.code, self.sessions, self.missions, self.house, self.cards,
        ):  # fmt: skip
            await step()
            self.hq.clock.advance(minutes=5)
        return self.told

    async def waits(self, verb: str, /, **args: Any) -> Any:
        """Make a call that is parked, or waits; what it answered."""
        outcome = await self.hq.call(verb, **args)
        assert outcome.error and outcome.error["code"] == "waiting", (verb, outcome)
        return outcome.data

    async def staff(self) -> None:
        await self.hq.do(
            "agent.create", name="forge", role="Developer", description="Writes web apps in React, with tests."
        )
        await self.hq.do(
            "agent.create", name="scout", role="Research Analyst", description="Researches and compares libraries."
        )
        await self.hq.do("agent.create", name="resting", role="Night watch")
        await self.hq.do("agent.create", name="napping", role="Day watch")
        await self.hq.do("org.create", template="software-team")

    async def past(self) -> None:
        """A task said six times, once about last month, and each read as it was then."""
        task = (await self.hq.do("task.create", title="Call Ana", priority="backlog", valid_from="2026-04-01"))["slug"]
        seen = []
        last_month = {"valid_from": "2026-05-01", "description": "Ask for the offer."}
        for more in ({}, {"priority": "now"}, {"title": "Call Ana back"}, last_month, {"priority": "focus"}):
            self.hq.clock.advance(minutes=7)
            if more:
                await self.hq.do("task.update", ref=task, **more)
            await announced(self.hq)
            shown = await self.hq.call("task.show", ref=task)
            seen.append(
                {
                    "sequence": shown.sequence,
                    "at": self.hq.clock.now().isoformat(),
                    "props": shown.data["props"],
                    "title": shown.data["title"],
                }
            )
        self.told["past"] = {"task": task, "seen": seen}

    async def approvals(self) -> None:
        hq = self.hq
        operator, chief = await hq.agent("operator"), await hq.agent("chief")
        for name in ("Acme", "Acme Inc", "Blue", "Blue Ltd"):
            await hq.do("entity.create", name=name)
        merge = await self.waits(
            "entity.merge", loser="acme-inc", into="acme", _token=operator, _key="merge-acme", _reason="the same firm"
        )
        hire = await self.waits(
            "agent.hire",
            name="Ada",
            title="Analyst",
            role="developer",
            reports_to="founder",
            _token=chief,
            _key="hire-ada",
        )
        effect = await self.waits(
            "http.request",
            url="https://warehouse.example/orders",
            method="POST",
            body="{}",
            _token=chief,
            _key="order-1",
        )
        self.told["approvals"] = {"merge": merge["approval"], "hire": hire["approval"], "effect": effect["approval"]}

    async def decided(self) -> None:
        """One that is approved and made, one that is rejected, and a grant."""
        hq = self.hq
        operator, chief = await hq.agent("operator"), await hq.agent("chief")
        yes = await self.waits("entity.merge", loser="blue-ltd", into="blue", _token=operator, _key="merge-blue")
        await hq.do("approval.approve", ref=yes["approval"], always_for="blue")
        no = await self.waits(
            "http.request", url="https://warehouse.example/x", method="DELETE", _token=chief, _key="gone"
        )
        await hq.do("approval.reject", ref=no["approval"])
        self.told["decided"] = {"approved": yes["approval"], "rejected": no["approval"]}

    async def organisation(self) -> None:
        chief = await self.hq.agent("chief")
        asked = await self.waits(
            "position.update", position_id=5, title="Builder", _token=chief, _reason="We build", _key="builder"
        )
        persona = await self.hq.do("persona.create", name="Robbo", role="developer")
        self.told["organisation"] = {"change": asked["approval"], "persona": persona["slug"]}

    async def proposals(self) -> None:
        hq = self.hq
        change = {"verb": "task.create", "args": {"title": "Write to the bank"}}
        forge = await hq.agent("forge")
        open_ = await hq.do(
            "proposal.propose", kind="task", body="The bank wants a letter.", change=change, _token=forge
        )
        other = await hq.do(
            "proposal.propose",
            kind="task",
            body="So does the tax office.",
            change={"verb": "task.create", "args": {"title": "Write to the tax office"}},
            _token=forge,
        )
        await hq.do("proposal.accept", ref=other["slug"])
        await hq.do("memory.add", content="The launch is in May.")
        conflict = await hq.do("memory.add", content="The launch is in June.")
        self.told["proposals"] = {"open": open_["slug"], "applied": other["slug"], "memory": conflict["question"]}

    async def reviews(self) -> None:
        options = [{"key": "yes", "label": "Merge them"}, {"key": "no", "label": "Leave them"}]
        open_ = await self.hq.do("review.create", question_text="Merge these two?", options=options)
        later = await self.hq.do("review.create", question_text="Which bank?")
        await self.hq.do("review.defer", ref=later["slug"], until="2026-12-24")
        self.told["reviews"] = {"open": open_["slug"], "deferred": later["slug"]}

    async def missions(self) -> None:
        """A plan that nobody settled, other terms, a part that nobody allowed."""
        hq = self.hq
        forge = await hq.agent("forge", scopes=["read", "write"])
        much = {"deliverables": ["file:a", "file:b", "file:c"], "priority": "high"}
        made = {}
        for name, more in (("plan", much), ("counter", {}), ("delegation", {})):
            mission = await hq.do("mission.create", title=f"Mission with a {name}", token_budget=10_000, **more)
            made[name] = mission["slug"]
        await hq.do("mission.assign", ref=made["plan"], to="forge")
        await hq.do("mission.accept", ref=made["plan"], _token=forge)
        await self.waits(
            "mission.plan", ref=made["plan"], steps=["Scaffold", "Build", "Test"], _token=forge, _key="plan-1"
        )
        await hq.do("mission.assign", ref=made["counter"], to="forge")
        await self.waits(
            "mission.counter",
            ref=made["counter"],
            note="The tests alone take more.",
            token_budget=90_000,
            _token=forge,
            _key="counter-1",
        )
        await hq.do("mission.assign", ref=made["delegation"], to="forge")
        await hq.do("mission.accept", ref=made["delegation"], _token=forge)
        part = await self.waits(
            "mission.delegate", ref=made["delegation"], title="Compare chart libraries", to="scout", reason="to choose one",
            description="Research three.", tokens=2000, _token=forge, _key="delegate-1",
        )  # fmt: skip
        scout = await hq.agent("scout", scopes=["read", "write"])
        await self.waits(
            "agent.ask", agent="forge", text="Which chart?", timeout=604_800, _token=scout, _key="ask-forge"
        )
        self.told["missions"] = made
        self.told["delegation"] = part["slug"]

    async def sessions(self) -> None:
        """Sessions that wait: for an approval, for the founder's word, for an escalation."""
        hq = self.hq
        for name in ("Cara", "Cara SA"):
            await hq.do("entity.create", name=name)
        waiting = {}
        for name, says in {
            "approval": tool("entity", "merge", loser="cara-sa", into="cara"),
            "question": tool("agent", "ask", agent="founder", text="Which colour shall the shop have?"),
            "escalation": tool("escalation", "raise", summary="Postgres or SQLite?", confidence=0.4),
        }.items():
            session, ended = await self.play.run(
                [says, DONE], text=f"See to the {name}", agent="chief" if name == "question" else "scout"
            )
            assert ended.state == "waiting", (name, ended)
            waiting[name] = session
        self.told["sessions"] = waiting
        self.told["escalation"] = (await hq.do("escalation.list"))["items"][0]["slug"]
        self.told["question"] = (await hq.do("agent.inbox", agent="founder"))["items"][0]["message"]

    async def code(self) -> None:
        """A coding program that asks before it deletes, and the session that waits for it."""
        hq = self.hq
        await hq.do("workspace.create", name="app1", network=False)
        tree = Path((await hq.do("workspace.begin", ref="app1", session="before"))["path"])
        (tree / "README.md").write_text("old")
        for verb in ("save", "merge", "drop"):
            await hq.do(f"workspace.{verb}", ref="app1", session="before")
        runs = {}
        for agent in ("scout", "forge"):
            says = tool("code", "execute", workspace="app1", prompt="Delete README.md", mode="cautious", cli="chat")
            session, ended = await self.play.run([says, DONE], text="Tidy up", agent=agent)
            assert ended.state == "waiting", ended
            runs[agent] = session
        waiting = (await hq.do("code_run.list"))["items"]
        self.told["code"] = {"sessions": runs, "runs": [run["slug"] for run in waiting]}

    async def house(self) -> None:
        hq = self.hq
        schedule = await hq.do(
            "schedule.add", task="See that the shop answers.", when="every weekday at 7", name="Shop check"
        )
        beats = await hq.do("beat.off", agent="operator")
        webhook = await hq.do("webhook.add", url="https://warehouse.example/hq", name="Warehouse", topics=["task.*"])
        await hq.do("agent.pause", agent="resting")
        await hq.do("agent.pause", agent="napping", **{"for": "3d"})
        self.told["house"] = {
            "schedule": schedule["slug"],
            "beats": beats,
            "webhook": webhook["slug"],
            "paused": ["resting", "napping"],
        }

    async def cards(self) -> None:
        """A card of the CEO's with buttons, and those that its heartbeat lays before the founder."""
        hq = self.hq
        chief = await hq.agent("chief")
        buttons = [
            {"key": "go", "label": "Wake it", "verb": "agent.resume", "args": {"agent": "napping"}, "main": True},
            {"key": "no", "label": "No"},
        ]
        card = await hq.do(
            "card.send", kind="choice", title="Shall I wake the day watch?", buttons=buttons, _token=chief
        )
        heart, work = Heartbeat(hq.address.app_url, hq.door), TendWork(Companies(hq.door))
        for _ in range(3):
            hq.clock.advance(hours=2)
            await work.run_once()
            await route(hq)
            await heart.beat()
        shown = (await hq.do("card.list", open=True, limit=200))["items"]
        self.told["cards"] = {"own": card["id"], "open": [row["id"] for row in shown]}


async def made(home: Path, clock: FakeClock) -> dict[str, Any]:
    settings = Settings.load({"HQ_HOME": str(home), "HQ_VAULT_KEY": VAULT_KEY, "HQ_PORT": "0"})
    async with open_headquarters(settings, clock) as opened:
        told = await Maker(Hq(opened.door, opened.address, opened.token or "", clock)).make()
        await announced(Hq(opened.door, opened.address, opened.token or "", clock))
    return told | {"now": clock.now().isoformat()}


def main() -> None:
    clock = FakeClock(BEGAN)
    with scratch_home() as home:
        told = asyncio.run(made(home, clock))
        server = EmbeddedServer(home)
        server.start()
        try:
            parts = conninfo_to_dict(server.url)
            password = {"PGPASSWORD": str(parts.pop("password"))}
            program = [str(installed().program("pg_dump")), "--no-owner", "--no-comments", "--extension=vector"]
            command = [*program, make_conninfo("", **parts)]
            dump = subprocess.run(command, check=True, capture_output=True, env=os.environ | password).stdout
        finally:
            server.stop()
        (home / "database.sql").write_bytes(dump)
        (home / "told.json").write_text(json.dumps(told, indent=1))
        with tarfile.open(HERE / "home.tar.xz", "w:xz") as archive:
            for part in ("database.sql", "told.json", "companies", "workspaces"):
                archive.add(home / part, part)
    print(json.dumps(told, indent=1), file=sys.stderr)


if __name__ == "__main__":
    main()
