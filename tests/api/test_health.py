"""How the house says it is: /health, /metrics, and a database that falls silent."""

from __future__ import annotations

import asyncio

import psycopg
from prometheus_client.parser import text_string_to_metric_families

from hq.api import database_health
from hq.api.agents import AgentsCollector
from hq.database.schema_history import migrations
from hq.engine.announcer import Announcer


async def test_health_tells_of_every_part_without_a_credential(web):
    answer = await web.get("/health")

    assert answer.status == 200
    assert answer.json["version"]
    assert set(answer.json["parts"]) == {"database", "schema", "announcer", "pool", "disk"}
    assert answer.json["parts"]["schema"] == {"status": "ok", "version": migrations()[-1].version}
    assert answer.json["parts"]["announcer"]["leading"] is False


async def test_an_announcer_that_fell_silent_is_noticed(web, hq, clock):
    await hq.do("task.create", title="Call Ana")
    clock.advance(minutes=1)

    silent = (await web.get("/health")).json

    assert silent["status"] == silent["parts"]["announcer"]["status"] == "degraded"
    assert silent["parts"]["announcer"]["lag"] > 0
    assert (await web.get("/health")).status == 200

    announcer = asyncio.create_task(Announcer(hq.address.app_url, clock).run())
    async with asyncio.timeout(30):
        while (await web.get("/health")).json["parts"]["announcer"]["lag"]:
            await asyncio.sleep(0)
    announcer.cancel()
    assert (await web.get("/health")).json["parts"]["announcer"]["status"] == "ok"


async def test_a_database_that_is_gone_is_503_within_two_seconds(web, hq):
    await hq.door.pool.close()

    answer = await web.get("/health")

    assert answer.status == 503
    assert answer.json["status"] == "degraded"
    assert answer.json["parts"]["database"]["trouble"]
    assert database_health.PATIENCE <= 2


async def test_a_database_that_says_nothing_is_503_too(web, hq, monkeypatch):
    monkeypatch.setattr("hq.api.database_health.PATIENCE", 0.1)
    holders = [await hq.door.pool.getconn() for _ in range(8)]

    answers = await asyncio.gather(*(web.get("/health") for _ in range(3)))

    assert {answer.status for answer in answers} == {503}
    for conn in holders:
        await hq.door.pool.putconn(conn)
    async with asyncio.timeout(30):
        while (await web.get("/health")).status != 200:
            await asyncio.sleep(0)


def numbers(text: str) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_metrics_count_calls_by_verb_and_ending(web):
    await web.call("task.create", {"title": "Call Ana"})
    await web.call("task.show", {"ref": "nope"})

    found = numbers((await web.get("/metrics")).text)

    assert found["hq_calls_total", "ok", "task.create"] == 1
    assert found["hq_calls_total", "not_found", "task.show"] == 1
    assert found["hq_call_seconds_count", "write"] == 1
    assert found["hq_database_up",] == 1
    assert found["hq_pool_connections", "most"] == 8
    assert found["hq_announcer_lag_calls",] > 0
    assert found["process_resident_memory_bytes",] > 0


async def test_metrics_from_elsewhere_need_a_token_that_may_read(web, hq):
    nobody = await web.get("/metrics", peer="10.0.0.9")
    wrong = await web.get("/metrics", peer="10.0.0.9", authorization="Bearer nonsense")
    device = await hq.do("auth.token", device="grafana", scopes=["read"])
    right = await web.get("/metrics", peer="10.0.0.9", authorization=f"Bearer {device['token']}")

    assert (nobody.status, wrong.status, right.status) == (401, 401, 200)


async def test_two_apps_in_one_process_count_for_themselves(open_web):
    one, other = open_web(), open_web()
    await one.call("task.list", {})

    assert ("hq_calls_total", "ok", "task.list") in numbers((await one.get("/metrics")).text)
    assert ("hq_calls_total", "ok", "task.list") not in numbers((await other.get("/metrics")).text)


async def test_metrics_tell_of_agents_as_they_are_when_asked(web, hq):
    await hq.do("agent.create", name="scout", role="Scout")
    await hq.do("agent.send", agent="scout", text="go")
    await hq.do("worker.spawn", task="Check disk", _token=await hq.agent("scout"))
    token = (await hq.do("auth.token", device="grafana", scopes=["read"]))["token"]

    found = numbers((await web.get("/metrics", peer="10.0.0.9", authorization=f"Bearer {token}")).text)

    assert found["supervisor_events_queued", "scout"] == 1
    assert found["supervisor_wakes_total", "scout"] == 1
    assert found["supervisor_agents_warm", "scout"] == 0
    assert found["supervisor_subagent_spawns_total", "scout", "worker"] == 1
    assert found["hq_sessions", "worker", "queued"] == 1


async def test_metrics_tell_a_company_nothing_of_another(web, hq):
    await hq.do("agent.create", name="hidden", role="Scout", _token=(other := await hq.tenant()))
    await hq.do("agent.send", agent="hidden", text="go", _token=other)
    token = (await hq.do("auth.token", device="grafana", scopes=["read"]))["token"]

    from_elsewhere = await web.get("/metrics", peer="10.0.0.9", authorization=f"Bearer {token}")

    assert "hidden" not in from_elsewhere.text
    assert "hidden" in (await web.get("/metrics")).text


async def test_metrics_that_are_counted_at_the_same_time_are_not_mixed_up(own_hq):
    """The second of two questions is held up, so that both are under way at once."""
    await own_hq.do("agent.create", name="hidden", role="Hidden")
    await own_hq.do("agent.send", agent="hidden", text="go")
    other = (await own_hq.do("auth.whoami", _token=await own_hq.tenant()))["tenant_id"]
    counted = AgentsCollector(own_hq.door.pool)

    async def shown(tenant: str | None) -> str:
        await counted.count(tenant)
        return str(list(counted.collect()))

    async with await psycopg.AsyncConnection.connect(own_hq.address.url, autocommit=True) as conn:
        async with conn.transaction():
            await conn.execute("lock table ops.llm_daily in access exclusive mode")
            theirs = asyncio.create_task(shown(other))
            await held_up(conn, 1)
            house = asyncio.create_task(shown(None))
            await held_up(conn, 2)

    assert "hidden" not in await theirs
    assert "hidden" in await house


async def held_up(conn: psycopg.AsyncConnection, many: int) -> None:
    waiting = "select count(*) from pg_locks where relation = 'ops.llm_daily'::regclass and not granted"
    async with asyncio.timeout(60):
        while (await (await conn.execute(waiting)).fetchone())[0] < many:  # type: ignore[index]
            await asyncio.sleep(0)
