"""Previews belong to the process that serves them, whichever leads what the house does by itself."""

from __future__ import annotations

import signal
from pathlib import Path

import psycopg
import pytest

from hq.jobs.runner import JobRunner
from tests.processes.houses import House, heard, until

pytestmark = pytest.mark.slow


def leads(house: House) -> bool:
    """Whether some process runs the jobs."""
    with psycopg.connect(house.database.url, autocommit=True) as conn:
        held = conn.execute("select 1 from pg_locks where locktype = 'advisory' and objid = %s", [JobRunner.lock])
        return held.fetchone() is not None


def test_what_has_changed_is_stopped_also_where_a_worker_leads(house):
    worker = house.spawn("worker")
    try:
        assert "working on" in heard(worker)
        until(lambda: leads(house))
        with house.up() as up:
            house.call(up.url, "mission.create", title="Front page")
            house.call(up.url, "workspace.create", name="front", mission="front-page")
            page = Path(house.call(up.url, "workspace.open", ref="front")["path"]) / "index.html"
            page.write_text("one")
            house.call(up.url, "workspace.take", ref="front")
            house.call(up.url, "mission.open", ref="front-page")

            page.write_text("two")
            house.call(up.url, "workspace.take", ref="front")

            def ended() -> str:
                [preview] = house.call(up.url, "preview.list")["items"]
                return preview.get("why", "")

            assert "changed" in until(ended)
            assert up.end(signal.SIGTERM) == 0
    finally:
        worker.terminate()
        worker.communicate()
