"""The doctor finds what is wrong, and says what to do about it."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from hq.cli import doctor
from hq.database import migrate
from hq.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.load({"HQ_HOME": str(tmp_path), "HQ_PORT": "0"})


def test_a_healthy_machine_passes_and_the_real_thing_is_tried(empty):
    result = empty.run("doctor", "--json")

    found = json.loads(result.stdout)
    assert result.returncode == 0 and found["ok"], found
    assert {check["name"] for check in found["checks"]} == {
        "python", "clock", "home", "secrets", "disk", "port", "postgres", "sandbox", "schema", "trial", "ledger",
    }  # fmt: skip


def test_a_token_that_others_can_read_is_found(settings: Settings):
    settings.token_file.write_text("hq_founder_x")
    settings.token_file.chmod(0o644)

    (finding,) = [found for found in doctor._home(settings) if found.state == "fail"]

    assert finding.name == "secrets" and f"chmod 600 {settings.token_file}" in finding.advice


def test_a_taken_port_is_found(settings: Settings, tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        finding = doctor._port(Settings.load({"HQ_HOME": str(tmp_path), "HQ_PORT": port}))

    assert finding.state == "fail" and "HQ_PORT" in finding.says


def test_a_full_disk_is_found(settings: Settings, monkeypatch):
    monkeypatch.setattr(doctor, "NO_ROOM", 2**63)

    assert doctor._disk(settings).state == "fail"


def test_what_is_tried_is_not_told_as_what_is_used(tmp_path: Path):
    """With a server of one's own the embedded one is only tried, and the ledger that is proven is the trial's."""
    settings = Settings.load({"HQ_HOME": str(tmp_path), "HQ_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"})

    (ledger,) = [found for found in doctor._trial(settings) if found.name == "ledger"]

    assert "only tried" in doctor._programs(settings).says and "scratch company's" in ledger.says


def test_a_server_that_does_not_answer_is_found(tmp_path: Path):
    settings = Settings.load({"HQ_HOME": str(tmp_path), "HQ_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"})

    finding = doctor._external(settings)

    assert finding.state == "fail" and "HQ_DATABASE_URL" in finding.says


def test_what_is_no_postgres_address_is_said_at_once_and_without_its_password(tmp_path: Path):
    """`hq up` said that something went wrong, and doctor first made a database of its own."""
    settings = Settings.load({"HQ_HOME": str(tmp_path), "HQ_DATABASE_URL": "mysql://root:secret@db/hq"})

    found = {finding.name: finding for finding in doctor.examine(settings)}

    assert "no Postgres address" in found["server"].says and "secret" not in found["server"].says
    assert not {"trial", "schema"} & found.keys()


def test_all_that_a_server_lacks_is_said_at_once(server, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(migrate, "OLDEST_POSTGRES", 990000)
    monkeypatch.setitem(migrate.SQL, "vectors", "select false, false, false")

    finding = doctor._external(Settings.load({"HQ_HOME": str(tmp_path), "HQ_DATABASE_URL": server.url}))

    assert "hq needs 16 or newer" in finding.advice and "pgvector" in finding.advice
    assert f"{finding.says}; {finding.advice}".count("is Postgres") == 1


def test_a_server_that_answers_is_well(server, tmp_path: Path):
    finding = doctor._external(Settings.load({"HQ_HOME": str(tmp_path), "HQ_DATABASE_URL": server.url}))

    assert finding.state == "ok"


def test_a_failed_trial_is_told(settings: Settings, monkeypatch):
    async def fails(_settings: Settings) -> int:
        raise RuntimeError("no luck")

    monkeypatch.setattr(doctor, "_live_through", fails)
    (finding,) = doctor._trial(settings)

    assert finding.state == "fail" and "no luck" in finding.says


def test_the_schema_of_a_home_is_told(house, empty):
    assert "no database yet" in schema_told(empty)
    assert "every migration as this hq knows it" in schema_told(house)
    assert not house.database.running()


def test_a_home_of_another_hq_is_told_before_it_is_opened(house):
    house.database.start()
    house.sql("update public.hq_schema set hash = 'other', applied_by = '7.1.0' where name = 'waits'")

    (found,) = [check for check in examined(house)["checks"] if check["name"] == "schema"]

    assert found["state"] == "fail"
    assert "0022_waits" in found["says"] and "start it with hq 7.1.0" in found["says"]


def schema_told(house) -> str:
    return next(check["says"] for check in examined(house)["checks"] if check["name"] == "schema")


def examined(house) -> dict:
    return json.loads(house.run("doctor", "--json").stdout)
