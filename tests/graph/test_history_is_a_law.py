"""History as a law: whatever is written in whatever order, a read can be repeated later as it was then."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from hq.app import open_door
from hq.business.types import Task
from hq.clock import FakeClock
from hq.door.access import EVERYONE
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Registry, verb
from tests.support.company import Hq

PRIORITIES = st.sampled_from(["focus", "now", "next", "backlog"])
DAYS = st.integers(-20, 20)


class Company(RuleBasedStateMachine):
    """Random writes, late and planned ones, undone ones; and reads whose answers must stand for ever."""

    hq: Hq
    loop: asyncio.AbstractEventLoop

    def run(self, verb_: str, **args: Any) -> Any:
        return self.loop.run_until_complete(self.hq.call(verb_, _token=self.token, **args))

    @initialize()
    def found(self) -> None:
        self.token = self.loop.run_until_complete(self.hq.tenant())
        self.slugs: list[str] = []
        self.actions: list[str] = []
        self.read: list[tuple[str, str, str]] = []

    def did(self, outcome: Any) -> None:
        if outcome.ok:
            self.actions.append(str(outcome.action_id))

    @rule(priority=PRIORITIES, days=st.none() | DAYS)
    def create(self, priority: str, days: int | None) -> None:
        outcome = self.run("project.create", name="P", priority=priority, valid_from=self.day(days))
        assert outcome.ok, outcome.error
        self.slugs.append(outcome.data["slug"])
        self.did(outcome)

    @precondition(lambda self: self.slugs)
    @rule(pick=st.integers(0, 99), priority=PRIORITIES, days=st.none() | DAYS)
    def update(self, pick: int, priority: str, days: int | None) -> None:
        slug = self.slugs[pick % len(self.slugs)]
        self.did(self.run("project.update", ref=slug, priority=priority, valid_from=self.day(days)))

    @precondition(lambda self: self.slugs)
    @rule(pick=st.integers(0, 99), what=st.sampled_from(["archive", "restore"]))
    def put_away(self, pick: int, what: str) -> None:
        self.did(self.run(f"project.{what}", ref=self.slugs[pick % len(self.slugs)]))

    @precondition(lambda self: len(self.slugs) > 1)
    @rule(a=st.integers(0, 99), b=st.integers(0, 99), what=st.sampled_from(["link", "unlink"]), days=st.none() | DAYS)
    def join(self, a: int, b: int, what: str, days: int | None) -> None:
        source, target = self.slugs[a % len(self.slugs)], self.slugs[b % len(self.slugs)]
        self.did(self.run(f"graph.{what}", source=source, edge="depends_on", target=target, valid_from=self.day(days)))

    @precondition(lambda self: self.actions)
    @rule(pick=st.integers(0, 99))
    def undo(self, pick: int) -> None:
        self.did(self.run("action.undo", id=self.actions[pick % len(self.actions)]))

    @rule(hours=st.integers(0, 200))
    def time_passes(self, hours: int) -> None:
        self.hq.clock.advance(hours=hours)

    @precondition(lambda self: self.slugs)
    @rule(pick=st.integers(0, 99))
    def look(self, pick: int) -> None:
        for verb_, args in (("project.list", {}), ("project.show", {"ref": self.slugs[pick % len(self.slugs)]})):
            outcome = self.run(verb_, **args)
            if outcome.ok:
                self.read.append((verb_, json.dumps(args), outcome.sequence + "|" + plain(outcome.data)))

    def teardown(self) -> None:
        self.hq.clock.advance(days=100)
        for verb_, args, answer in getattr(self, "read", []):
            sequence, _, then = answer.partition("|")
            again = self.run(verb_, **json.loads(args), _at=sequence)
            assert again.ok, again.error
            now = plain(again.data)
            assert now == then, f"\nthen {then}\nnow  {now}"

    def day(self, days: int | None) -> str | None:
        return None if days is None else (self.hq.clock.now() + timedelta(days=days)).isoformat()


def plain(data: Any) -> str:
    """What a read says of the world; when a row was last touched is not part of it."""
    keep = {k: v for k, v in data.items() if k not in ("updated_at", "version", "valid_from")}
    if "items" in keep:
        keep["items"] = [{k: v for k, v in item.items() if k != "updated_at"} for item in keep["items"]]
    for link in keep.get("links", []):
        link.pop("since")
    return json.dumps(keep, sort_keys=True)


@pytest.mark.slow
def test_a_read_can_be_repeated_later_as_it_was_then(shared, template, tmp_path):
    loop = asyncio.new_event_loop()
    clock = FakeClock()
    context = open_door(shared, vault_file=tmp_path / "vault.key", clock=clock)
    Company.loop = loop
    Company.hq = Hq(loop.run_until_complete(context.__aenter__()), shared, template[1], clock)
    try:
        run_state_machine_as_test(
            Company,
            settings=settings(
                max_examples=25,
                stateful_step_count=30,
                deadline=None,
                suppress_health_check=list(HealthCheck),
                print_blob=True,
            ),
        )
    finally:
        loop.run_until_complete(context.__aexit__(None, None, None))
        loop.close()


async def test_a_read_beside_an_unfinished_write_keeps_its_answer_when_that_one_commits(hq):
    """The unfinished call has the smaller number: a plain "everything up to" would let it into the past."""
    written, go_on = asyncio.Event(), asyncio.Event()

    @verb("test.slowly", "write", for_=EVERYONE)
    async def slowly(tx: Tx, args: Args) -> Row:
        """Create a task and take a while."""
        made = row(await tx.create(Task(title="slow"), producer_id=tx.caller.producer_id))
        await tx.link(await tx.get(made.slug), "driven_by", await tx.get(tx.caller.founder_id))
        await tx.link(await tx.get(made.slug), "accountable", await tx.get(tx.caller.founder_id))
        written.set()
        await go_on.wait()
        return made

    hq.door.registry = Registry([*hq.door.registry, slowly], {**hq.door.registry.nouns, "test": "What takes a while."})
    slow = asyncio.create_task(hq.call("test.slowly"))
    await written.wait()
    await hq.do("task.create", title="quick")
    seen = await hq.call("task.list")
    go_on.set()
    assert (await slow).ok

    again = await hq.call("task.list", _at=seen.sequence)

    assert [r["slug"] for r in seen.data["items"]] == [r["slug"] for r in again.data["items"]] == ["quick"]
    assert len((await hq.do("task.list"))["items"]) == 2
