"""The store of the Claude Agent SDK's sessions: its own conformance suite, and what the suite does not ask."""

from __future__ import annotations

from uuid import UUID

import pytest

from hq.sessions.claude_store import PostgresSessionStore

sdk = pytest.importorskip("claude_agent_sdk")
KEY = {"project_key": "proj", "session_id": "sess"}


async def tenant(hq) -> UUID:
    token = await hq.tenant()
    return UUID((await hq.do("auth.whoami", _token=token))["tenant_id"])


async def store(hq) -> PostgresSessionStore:
    """Each company has an empty one."""
    return PostgresSessionStore(hq.door.pool, await tenant(hq), hq.clock, sdk.fold_session_summary)


async def test_it_passes_the_sdks_own_suite(hq):
    from claude_agent_sdk.testing import run_session_store_conformance

    await run_session_store_conformance(lambda: store(hq))


async def test_a_company_sees_only_its_own(hq):
    ours, theirs = await store(hq), await store(hq)
    await ours.append(KEY, [{"type": "x", "n": 1}])

    assert await theirs.load(KEY) is None
    assert await theirs.list_sessions("proj") == []
    await theirs.delete(KEY)
    assert await ours.load(KEY) == [{"type": "x", "n": 1}]


async def test_an_entry_that_comes_twice_counts_once(hq):
    kept = await store(hq)
    await kept.append(KEY, [{"type": "x", "uuid": "a"}, {"type": "title"}])
    await kept.append(KEY, [{"type": "x", "uuid": "a"}, {"type": "title"}])

    assert await kept.load(KEY) == [{"type": "x", "uuid": "a"}, {"type": "title"}, {"type": "title"}]


@pytest.mark.parametrize("odd", ["a\x00b", "\ud800", "\ue0000000", "\ue000"])
async def test_whatever_a_transcript_holds_comes_back(hq, odd):
    kept = await store(hq)
    await kept.append(KEY, [{"type": "x", odd: [odd]}])

    assert await kept.load(KEY) == [{"type": "x", odd: [odd]}]


async def test_names_with_slashes_do_not_meet(hq):
    kept = await store(hq)
    await kept.append({"project_key": "a/b", "session_id": "c"}, [{"type": "x"}])

    assert await kept.load({"project_key": "a", "session_id": "b", "subpath": "c"}) is None
    assert [s["session_id"] for s in await kept.list_sessions("a/b")] == ["c"]
