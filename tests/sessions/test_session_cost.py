"""What a session costs the database: few statements, and the same however many sessions there were before."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from hq.engine.sessions.leases import Leases
from hq.engine.tenancy import inside
from tests.support.play import DONE

CALLS = 5
MOST = 42
"""Three for each call, of which one is its step, one for each answer, about ten to begin and four to end. It took 71 when every turn
asked whether something was said, and what an agent is told of its seat was asked for three times; 49 when it looked for what is not there."""
ENDED = """
insert into ops.credentials (tenant_id, id, principal_id, name, token_hash, scopes, created_at, revoked_at)
select tenant_id, gen_random_uuid(), principal_id, 'session ' || gen_random_uuid(), sha256(n::text::bytea), scopes, created_at, created_at
  from (select * from ops.credentials where name like 'session %%' limit 1) c, generate_series(1, 3000) n
"""
READ = """
select seq_tup_read + coalesce(idx_tup_fetch, 0) as many from pg_stat_xact_user_tables where schemaname = 'ops' and relname = 'credentials'
"""


@pytest.fixture
def statements(monkeypatch) -> list[str]:
    """What is asked of the database from here on."""
    asked: list[str] = []
    execute = psycopg.AsyncCursor.execute

    async def counted(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        if "pg_notify" not in str(query):  # one for many steps, as they happen to come
            asked.append(str(query))
        return await execute(self, query, *args, **kwargs)

    monkeypatch.setattr(psycopg.AsyncCursor, "execute", counted)
    return asked


async def test_a_session_of_five_calls_takes_few_statements(play, statements):
    for n in range(CALLS):
        await play.hq.do("task.create", title=f"Task {n}")
    lines = [*(("task_show", {"ref": f"task-{n}"}) for n in range(CALLS)), DONE]
    session = (await play.hq.do("agent.send", agent="scout", text="go"))["session"]
    statements.clear()
    await play.runner(lines, tools=("task",)).run_once()

    assert play.ended[session].state == "done"
    assert len(statements) <= MOST, "\n".join(statements)


async def test_the_end_of_a_session_looks_at_its_own_credential_alone(play):
    session = (await play.hq.do("agent.send", agent="scout", text="go"))["session"]
    (held,) = await Leases(play.hq.door.pool, play.hq.clock).claim(1)
    with psycopg.connect(play.hq.address.url, autocommit=True) as owner:
        owner.execute(ENDED)

    async with inside(play.hq.door.pool, held.tenant_id) as reader:
        end = "select ops.close_session(%s, %s, 'done', 0::smallint, '', null, %s)"
        await reader.conn.execute(end, [held.id, held.holder, play.hq.clock.now()])
        read = await reader.the_scalar(READ, of=int)

    assert session == str(held.id) and read <= 5
