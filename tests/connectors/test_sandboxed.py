"""Connectors' programs in the sandbox: their own directory, their own secrets, public addresses, and nothing of ours."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from hq.connectors.program import MOST_HEARD, OF_A_LINE, LastWords, ProgramLines, shown_paths
from hq.connectors.sessions import Sessions
from hq.errors import Refused
from hq.settings import Settings
from tests.connectors.plain_server import program
from tests.support.passable import needs_sandbox, tmp_path

pytestmark = needs_sandbox
__all__ = ["tmp_path"]


@pytest.fixture
def sandboxed() -> bool:
    return True


@pytest.fixture
def told(hq):
    """What a Python expression comes to inside."""

    async def tell(expression: str) -> str:
        return (await hq.do("connector.call", connector="docs", tool="do", args={"do": expression}))["text"]

    return tell


async def add(hq, **more):
    added = await hq.do("connector.add", kind="mcp", name="docs", command=program(), **more)
    assert added["result"]["ok"], added["result"]["error"]


async def test_a_program_sees_the_system_and_a_directory_of_its_own_and_nothing_of_ours(hq, told, tmp_path):
    (tmp_path / "vault.key").touch()
    await add(hq)

    assert "No such file" in await told(f"open({str(tmp_path / 'vault.key')!r}).read()")
    assert "No such file" in await told("os.listdir('/root')")
    assert await told("os.getcwd(), os.environ['HOME']") == "('/mission', '/mission')"
    assert "Read-only" in await told("open('/usr/x', 'w')")
    assert int(await told("len([p for p in os.listdir('/proc') if p.isdigit()])")) < 10
    assert await told("sorted(name for name in os.environ if name.startswith('HQ_'))") == "[]"


async def test_what_it_writes_stays_for_its_next_start_and_for_no_other_company(hq, told):
    await add(hq)
    await told("open('kept', 'w').write('x')")
    await hq.door.services[Sessions].close()
    assert await told("os.listdir('.')") == "['kept']"

    hq.token = await hq.tenant()
    await add(hq)
    assert await told("os.listdir('.')") == "[]"


async def test_its_secret_is_in_its_environment_and_nowhere_else(hq, told):
    await hq.do("vault.set", name="docs/token", value="s3cr3t-of-docs")
    await add(hq, env=["DOCS_TOKEN=docs/token"])

    assert await told("len(os.environ['DOCS_TOKEN'])") == "14"
    ours = [Path("/proc", pid, "cmdline") for pid in os.listdir("/proc") if pid.isdigit()]
    assert not [line for line in ours if line.exists() and b"s3cr3t-of-docs" in line.read_bytes()]
    assert await told("os.environ['DOCS_TOKEN']") == "…", "what comes back is blotted out"


@pytest.mark.parametrize("network", [True, False])
async def test_it_does_not_reach_this_machine(hq, told, outside, network):
    await add(hq, network=network)
    port = urlsplit(outside.url).port

    assert "refused" in await told(f"socket.create_connection(('127.0.0.1', {port}), 2)")
    way = await told("os.environ.get('https_proxy')")
    assert (way != "None") == network
    if network:
        asked = f"b'CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n'"
        proxy = "(s := socket.create_connection(('127.0.0.1', 3128), 2))"
        assert "403" in await told(f"({proxy}).sendall({asked}) or s.recv(99)")


async def test_only_the_domains_that_were_named_are_reached(hq, told):
    await add(hq, domain=["api.example.com"])
    asked = r"b'CONNECT other.example.com:443 HTTP/1.1\r\n\r\n'"

    said = await told(f"(s := socket.create_connection(('127.0.0.1', 3128), 2)).sendall({asked}) or s.recv(999)")

    assert "not among those" in said
    wrong = await hq.call("connector.add", kind="mcp", name="wrong", command="x", domain=["https://a/b"])
    assert wrong.error["code"] == "invalid" and "not a domain" in wrong.error["message"]


async def test_it_reads_what_the_setting_names_and_cannot_change_it(hq, told, tmp_path):
    shown = tmp_path / "shown"
    shown.mkdir(mode=0o755)
    (shown / "note").write_text("hello")
    connections = hq.door.services[Sessions]
    connections.programs = replace(connections.programs, paths=[shown])
    await add(hq)

    assert await told(f"open({str(shown / 'note')!r}).read()") == "hello"
    assert "Read-only" in await told(f"open({str(shown / 'more')!r}, 'w')")


async def test_no_setting_shows_what_holds_the_keys(tmp_path):
    home = tmp_path / "home"
    home.mkdir()

    assert shown_paths("", home) == () and shown_paths(f"/opt/mcp, {tmp_path}/x", home)[0] == Path("/opt/mcp")
    for wrong in ("here", str(home), str(home / "workspaces"), str(tmp_path), "/"):
        with pytest.raises(Refused, match="HQ_CONNECTOR_PATHS"):
            shown_paths(wrong, home)
    assert Settings.load({}).connector_sandbox and not Settings.load({"HQ_CONNECTOR_SANDBOX": "off"}).connector_sandbox
    with pytest.raises(Refused, match="on or off"):
        Settings.load({"HQ_CONNECTOR_SANDBOX": "maybe"})


async def test_a_program_that_is_not_to_be_seen_is_told_with_what_to_set(hq):
    added = await hq.do("connector.add", kind="mcp", name="docs", command="docs-server --stdio")

    error = added["result"]["error"]
    assert "no program 'docs-server'" in error["message"] and "HQ_CONNECTOR_PATHS" in error["hint"]


async def test_where_there_is_no_sandbox_it_says_what_to_install_or_to_set(hq, monkeypatch):
    monkeypatch.setattr("hq.sandbox.machine.PLACES", "/nowhere")
    monkeypatch.setattr("hq.sandbox.bubblewrap.PACKAGE", "not_there")

    added = await hq.do("connector.add", kind="mcp", name="docs", command=program())

    assert "bwrap is not installed" in added["result"]["error"]["message"]
    assert "HQ_CONNECTOR_SANDBOX=off" in added["result"]["error"]["hint"]


@pytest.mark.parametrize("words", ["x", "\\n"])
async def test_one_that_never_stops_talking_is_stopped_or_not_listened_to(hq, words):
    await add(hq, timeout=20)
    flood = f"[sys.stdout.write('{words}' * 2**19) for _ in range(2**6)] and 'done'"

    said = await hq.call("connector.call", connector="docs", tool="do", args={"do": flood})

    assert said.error["code"] == "outage" if words != "\\n" else said.data["text"] == "done"
    assert (await hq.call("connector.call", connector="docs", tool="do", args={"do": "1"})).data["text"] == "1"


def test_no_more_is_held_of_what_a_program_says_than_can_be():
    words, stopped = ProgramLines(LastWords()), []
    words.overflowed = lambda: stopped.append(True)

    for _ in range(3 * MOST_HEARD // 2**20):
        words.hear("stdout", b"x\n" * 2**15 + b"\n" * 2**15)
        words.hear("stderr", b"y" * 2**16)

    assert stopped == [True] and len(words._lines) * OF_A_LINE <= MOST_HEARD + 2**22


async def test_its_directory_is_its_own_account_s(hq, told, tmp_path):
    await add(hq)
    await told("open('kept', 'w')")
    [place] = (tmp_path / "workspaces").glob("*/connectors/docs")

    assert place.stat().st_uid == (place / "kept").stat().st_uid
    assert stat.S_IMODE(place.stat().st_mode) == 0o755
