"""The front of the room `connectors`: what it brings."""

from __future__ import annotations

from hq.connectors import tool_verbs, types, verbs
from hq.connectors.program import Programs
from hq.connectors.risk import ConnectorPolicy
from hq.connectors.sessions import Sessions
from hq.room import Room, Wiring
from hq.sandbox import Sandbox
from hq.workspace.directories import Workspaces


def sessions(wiring: Wiring) -> Sessions:
    sandbox = wiring.use(Sandbox) if wiring.connector_sandbox else None
    return Sessions(Programs(sandbox, wiring.use(Workspaces), wiring.connector_paths))


ROOM = Room(
    name="connectors",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(*verbs.VERBS, *tool_verbs.VERBS),
    policies=(ConnectorPolicy,),
    services=(sessions,),
    tables=("connector_tools",),
)
