"""The story: the founder asks for a small web app. It is given out, built, asked about, tested; then changed, and changed back."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hq.cli.demo import sshd
from hq.cli.demo.narrator import Narrator
from hq.coding.adapters import adapter
from hq.errors import Outage
from hq.json_types import NodeItem
from hq.sandbox import machine

BRIEF = "Build a small web app that keeps a guest book. Remove the old prototype when its tests pass."
CHANGE = "Change the heading to “Visitors welcome”."
SERVERS = ("cube", "atlas")
CHECK = "disk-health"
SHOWN = ("said", "did", "denied")


if TYPE_CHECKING:
    from hq.cli.demo.stage import DemoStage


async def play(*, fast: bool) -> None:
    _end_in_order()
    narrator = Narrator(fast=fast)
    machine.look()  # says what is missing before anything is begun
    program = {"claude": "the Claude CLI", "chat": "hq's own coding program"}[adapter(None).name]
    await narrator.title("hq demo: a small web app")
    from hq.cli.demo.stage import stage  # takes a while to load: there is something to read meanwhile

    await narrator.says(
        f"Real: the database, the agents' sessions, the sandbox, {program}. Only the mind follows a script."
    )
    await narrator.says(
        "Nothing leaves this machine, no key is needed, and the home it plays in is removed at the end."
    )
    async with stage() as on:
        await _set(on)
        link = await on.do("auth.login")
        await narrator.link("Watch it in a browser as well:", f"{on.url}{link['path']}")
        await _build(narrator, on)
        await _servers(narrator, on)
        await _change(narrator, on)
        await _end(narrator, on)


def _end_in_order() -> None:
    """On SIGTERM and with the terminal closed, as on Ctrl-C: the stage is cleared before the process ends."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)


async def _set(on: DemoStage) -> None:
    """A company with somebody who builds, and a mission with something old in it."""
    await on.do("mind.set", name="script", provider="script")
    await on.do("agent.create", name="forge", role="Developer", description="Builds webapps")
    await on.do(
        "mission.create", title="Guest book", description=BRIEF, category="coding/webapp",
        deliverables=["file:README.md", "command:python3 -m unittest"],
    )  # fmt: skip
    await on.do("workspace.create", name="guestbook", category="coding/webapp", mission="guest-book", network=False)
    tree = Path((await on.do("workspace.begin", ref="guestbook", session="old"))["path"])
    (tree / "prototype").mkdir()
    (tree / "prototype" / "index.php").write_text("<?php echo 'hello'; ?>\n")
    for verb in ("save", "merge", "drop"):
        await on.do(f"workspace.{verb}", ref="guestbook", session="old")


async def _build(narrator: Narrator, on: DemoStage) -> None:
    await narrator.title("1. The founder asks, the CEO gives it out")
    await narrator.founder(BRIEF)
    await narrator.agent("chief", await on.answer(BRIEF))
    await narrator.title("2. Forge builds it")
    await narrator.says(
        "In a sandbox without network, on a working tree of its own, and carefully: it asks before it destroys."
    )
    run = await _newest_run(on)
    seen = await _followed(narrator, on, run, "waiting")
    wants = (await on.do("code_run.show", ref=run))["props"]["wants"]
    await narrator.step("asked", f"may I? {wants['says'].partition(': ')[2]}")
    await narrator.says(
        "It has stopped there. No process waits, and a restart would lose nothing. In the founder's inbox:"
    )
    approval = await _asked(on)
    await narrator.lines(approval["why"])
    await narrator.founder("Yes, the old prototype can go.")
    await on.do("approval.approve", ref=approval["slug"])
    await _followed(narrator, on, run, "done", seen)
    await _closed(on)
    await narrator.good(
        "hq ran the tests itself, in the sandbox, on what was merged. That closed the mission, not anybody's word."
    )
    done = (await on.do("code_run.show", ref=run))["props"]
    await narrator.lines(
        *(f"+ {name}" for name in done["files_created"]), *(f"- {name}" for name in done["files_deleted"])
    )


async def _newest_run(on: DemoStage) -> str:
    """The run that was begun, whatever has become of it meanwhile: while one reads, it may have stopped to ask."""
    known: list[NodeItem] = []
    async for _ in on.looks():
        if known := (await on.do("code_run.list", limit=1))["items"]:
            break
    return known[0]["slug"]


async def _followed(narrator: Narrator, on: DemoStage, run: str, until: str, seen: int = 0) -> int:
    """Show what a coding program does while it does it. How many steps there were by then."""
    async for _ in on.looks():
        status = (await on.do("code_run.show", ref=run))["props"]["status"]
        for step in (await on.do("code.steps", ref=run, after=seen))["items"]:
            seen = step["step"]
            last = step["text"].rstrip().splitlines()[-1:] or [""]
            if step["kind"] in SHOWN or last[0] == "OK":
                await narrator.step(step["kind"], last[0])
        if status == until:
            break
        if status == "failed":
            raise Outage(f"the coding run {run} failed: {(await on.do('code_run.show', ref=run))['props']['why']}")
    return seen


async def _asked(on: DemoStage) -> NodeItem:
    """What waits for the founder, which comes a moment after the run has stopped."""
    known: list[NodeItem] = []
    async for _ in on.looks():
        if known := (await on.do("approval.list", status="pending"))["items"]:
            break
    return known[0]


async def _closed(on: DemoStage) -> None:
    async for _ in on.looks():
        if (await on.do("mission.show", ref="guest-book"))["props"]["status"] == "done":
            return


async def _servers(narrator: Narrator, on: DemoStage) -> None:
    await narrator.title("3. Meanwhile: how are the servers?")
    if why := sshd.missing():
        await narrator.says(f"This part looks at two machines over ssh, and {why}. So here is this machine alone:")
        checked = await on.do("skill.run", skill=CHECK, command="check")
        await narrator.lines(*checked["text"].strip().splitlines())
        return
    async with _machines(on):
        for skill in (await on.do("skill.list", agent="chief"))["items"]:
            await on.do("skill.grant", skill=skill["slug"], agent="chief")
        await narrator.says(
            "Two sshd of this machine stand for them, each with a key that is pinned. The CEO may look at them, and change nothing."
        )
        asked = f"How are the servers {' and '.join(SERVERS)}?"
        await narrator.founder(asked)
        began = time.monotonic()
        told = await on.answer(asked)
        await narrator.agent("chief", told)
        workers = (await on.do("worker.list"))["items"]
        assert len(workers) == len(SERVERS) and all(worker["status"] == "success" for worker in workers), workers
        await narrator.good(
            f"Two workers looked at the same time, over ssh: {time.monotonic() - began:.1f} seconds for both."
        )


@asynccontextmanager
async def _machines(on: DemoStage) -> AsyncIterator[None]:
    with ExitStack() as running:
        for name in SERVERS:
            server = await asyncio.to_thread(running.enter_context, sshd.serving(on.home / "machines" / name))
            key = await on.do("ssh.keygen", name=f"ssh/{name}")
            server.admit(key["public_key"])
            await on.do(
                "ssh.allow", name=name, address="127.0.0.1", port=server.port, user=server.user, key=f"ssh/{name}",
                host_key=[server.host_key],
            )  # fmt: skip
        yield


async def _change(narrator: Narrator, on: DemoStage) -> None:
    await narrator.title("4. One change, and back")
    await narrator.founder(f"@forge {CHANGE}")
    await narrator.agent("forge", (await on.answer(CHANGE, agent="forge")).partition(" `hq undo")[0])
    shown = await on.do("workspace.diff", ref="guestbook", patch=True)
    await narrator.lines(
        *(line for line in shown["items"][0]["patch"] if line[:1] in "+-" and line[:3] not in ("+++", "---"))
    )
    await narrator.founder("Hm. I liked the old one better.")
    newest = (await on.do("code_run.list", limit=1))["items"][0]["slug"]
    undo = (await on.do("code_run.show", ref=newest))["props"]["undo"]
    await on.do("action.undo", id=undo)
    page = Path((await on.do("workspace.open", ref="guestbook"))["path"]) / "app.py"
    assert 'TITLE = "Guest book"' in page.read_text()
    await narrator.good(
        f"hq undo {undo[:12]}…: taken back, in the record and on the disk, as any change of an agent can be."
    )


async def _end(narrator: Narrator, on: DemoStage) -> None:
    runs = (await on.do("code_run.list"))["items"]
    tokens = sum(run.get("tokens_used", 0) for run in runs)
    ledger = await on.do("ledger.verify")
    await narrator.title("That was the demo")
    await narrator.says(
        f"{len(runs)} coding runs, {tokens:,} tokens of a scripted mind, $0.00, {time.monotonic() - narrator.began:.0f} seconds,"
        f" {ledger['links']} calls in a ledger whose chain is intact."
    )
    await narrator.says("`hq up` starts a company of your own; `hq mind set anthropic` gives it a real mind.")
