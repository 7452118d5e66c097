"""The connectors' own client, as the conformance suite starts it: list what is offered, call it, leave."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import uuid
from pathlib import Path
from typing import Any

from hq.connectors import client
from hq.connectors.client import ConnectorTarget
from hq.connectors.program import Programs
from hq.errors import HqError
from hq.workspace.directories import Workspaces

SOME = {"string": "x", "integer": 5, "number": 5, "boolean": True, "object": {}, "array": []}
NO_PROGRAMS = Programs(None, Workspaces(Path("/nowhere")))


async def main(url: str) -> None:
    target = ConnectorTarget(uuid.UUID(int=0), "suite", (), url, 20)
    given = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}").get("toolCalls")
    async with client.connected(target, NO_PROGRAMS) as session:
        found = await client.offered(session, target)
        calls = [(c["name"], c.get("arguments") or {}) for c in given or ()] or [(n, some(d)) for n, d in found.items()]
        for name, args in calls:
            if name in found:
                try:
                    await client.call(session, target, name, args)
                except HqError as error:
                    print(f"{name}: {error.message}", file=sys.stderr)


def some(definition: dict[str, Any]) -> dict[str, Any]:
    schema = definition["inputSchema"]
    return {n: SOME.get(schema["properties"].get(n, {}).get("type"), "x") for n in schema.get("required", ())}


asyncio.run(main(sys.argv[-1]))
