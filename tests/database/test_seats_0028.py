"""Agents that were linked to their seats are seated by assignments; what the chart said already stays."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from hq.database.address import Address
from tests.database.homes import OldHome, opened, restored
from tests.support.passable import tmp_path
from tests.support.supervised import announced

__all__ = ["tmp_path"]

LINKS = {
    "embodies": [("scout", "pm-gavin-3"), ("resting", "ar-director-paula-2"), ("operator", "developer-robbo-4")],
    "sits_in": [
        ("forge", "developer-5"),
        ("scout", "project-manager-3"),
        ("resting", "ar-director-2"),
        ("napping", "principal-architect-1"),
        ("operator", "qa-lead-6"),
    ],
}
SETTINGS = """
select set_config('hq.tenant', t.id::text, false), set_config('hq.actor', 'founder', false),
       set_config('hq.reason', '', false), set_config('hq.action', gen_random_uuid()::text, false),
       set_config('hq.seq', nextval('ops.seq')::text, false),
       set_config('hq.now', (select max(created_at) from ops.agent_actions where tenant_id = t.id)::text, false)
  from ops.tenants t
"""
LINK = """
select graph.put_edge(gen_random_uuid(), %s, a.id, b.id, true,
                      jsonb_build_object('to_id', b.id, 'live', true, 'props', '{}'::jsonb), a.producer_id, null, 'link')
  from graph.nodes a, graph.nodes b
 where a.tenant_id = ops.tenant() and b.tenant_id = ops.tenant() and a.slug = %s and b.slug = %s
"""
FOUND = """
select graph.change_node(n.id, n.seq, '{"title": "chief-of-staff", "props": {"name": "chief-of-staff"}}', null, 'update')
  from graph.nodes n where n.tenant_id = ops.tenant() and n.type = 'role' and n.title = 'developer'
"""
UNASSIGN = """
select graph.change_node(n.id, n.seq, '{"status": "ended", "props": {"status": "ended"}}', null, 'update')
  from graph.nodes n where n.tenant_id = ops.tenant() and n.slug = 'paula-as-ar-director-2'
"""
RECORD = """
insert into ops.agent_actions (tenant_id, seq, id, actor, principal_id, trace_id, action_type, kind, input_hash, output_hash,
                               status, duration_ms, created_at)
select p.tenant_id, current_setting('hq.seq')::bigint, current_setting('hq.action')::uuid, p.actor, p.id, gen_random_uuid(),
       'agent.update', 'write', sha256(''), sha256(''), 'ok', 0, current_setting('hq.now')::timestamptz
  from ops.principals p where p.tenant_id = ops.tenant() and p.kind = 'founder'
"""


@contextmanager
def then(address: Address) -> Iterator[psycopg.Connection]:
    """A call as an hq of then made it, with its own functions."""
    with psycopg.connect(address.url) as conn:
        conn.execute(SETTINGS)
        yield conn
        conn.execute(RECORD)


@pytest.fixture
async def old(server: Address, tmp_path: Path) -> AsyncIterator[OldHome]:
    with restored(server) as name:
        with then(server.database(name)) as conn:
            for edge, pairs in LINKS.items():
                for agent, other in pairs:
                    conn.execute(LINK, (edge, agent, other))
            conn.execute(UNASSIGN)
        async with opened(server.database(name), tmp_path) as home:
            yield home


@pytest.fixture
async def vacant(server: Address, tmp_path: Path) -> AsyncIterator[OldHome]:
    """A home with a working chief under whom the chief's seat was founded, and left vacant."""
    with restored(server) as name:
        with then(server.database(name)) as conn:
            conn.execute(FOUND)
        async with opened(server.database(name), tmp_path) as home:
            yield home


async def test_a_chief_beside_its_vacant_seat_is_seated(vacant: OldHome):
    seat = await vacant.hq.do("position.show", position_id=4)

    assert (seat["persona_slug"], seat["agents"]) == ("chief-of-staff-chief-5", ["chief"])
    assert "Senior Developer [chief-of-staff]: chief" in (await vacant.hq.do("org.tree"))["tree"]


async def test_a_home_of_links_shows_its_seats_by_assignments(old: OldHome):
    hq = old.hq
    seats = {row["title"]: await hq.do("position.show", position_id=row["position_id"]) for row in
             (await hq.do("position.list", org="Development"))["items"]}  # fmt: skip

    assert {title: (seat.get("persona_slug"), seat["agents"]) for title, seat in seats.items()} == {
        "Principal Architect": ("architect-robbo-1", []),  # somebody else had it
        "AR Director": (None, []),  # it was unassigned, and still worked
        "Project Manager": ("pm-gavin-3", ["scout"]),
        "Senior Developer": (None, []),
        "Developer": ("developer-forge-5", ["forge"]),
        "QA Lead": ("developer-robbo-4", ["operator"]),
    }
    roster = {row["agent"]: row.get("seat") for row in (await hq.do("agent.roster"))["items"]}
    assert (roster["forge"], roster["resting"], roster["napping"]) == ("Developer", None, None)
    assert (await hq.do("persona.show", slug="developer-forge-5"))["agents"] == ["forge"]
    assert "Developer [developer]: forge" in (await hq.do("org.tree"))["tree"]


async def test_what_was_there_before_stays_known_and_the_ledger_holds(old: OldHome):
    hq = old.hq
    done = (await hq.do("action.list", verb="migration.seats"))["items"]
    links = (await hq.do("graph.links", ref="forge"))["items"]
    before = (await hq.do("graph.links", ref="forge", _at=str(done[0]["sequence"] - 1)))["items"]

    assert [row["status"] for row in done] == ["ok"]
    assert "sits_in" not in {link["edge"] for link in links}
    assert ("sits_in", "Developer") in {(link["edge"], link["title"]) for link in before}
    await announced(hq)
    verified = await hq.do("ledger.verify")
    assert verified["intact"] and verified["waiting"] == 0, verified["faults"]
    assert (await hq.do("org.export", org="Development"))["document"]


async def test_whom_the_migration_seated_can_be_unseated_and_succeeded(old: OldHome):
    hq = old.hq
    await hq.do("agent.succeed", agent="forge", by="Anvil")
    assert (await hq.do("position.show", position_id=5))["agents"] == ["anvil"]

    await hq.do("org.unassign", position_id=5)
    hired = await hq.do("agent.hire", name="Ada", position_id=5)

    assert hired["position_id"] == 5 and (await hq.do("position.show", position_id=5))["agents"] == ["ada"]
