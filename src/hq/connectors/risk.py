"""The risk of a call through a connector: what its server says of the tool, as far as the founder accepted it."""

from __future__ import annotations

from typing import Any

from hq.connectors.definition import hint
from hq.connectors.rows import ConnectorToolRow
from hq.connectors.types import Connector
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.door.verb import Verb

SQL = beside(__file__)


class ConnectorPolicy:
    """A tool that only reads is an outside call that can be taken back; any other is not."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if verb.name != "connector.call":
            return None
        connector = await tx.look_up(args.connector, Connector)
        row = connector and await tx.one(
            SQL["tool"], {"connector": connector.id, "name": args.tool}, into=ConnectorToolRow
        )
        accepted = row.approved if row else None
        if hint(accepted, "readOnlyHint"):
            return None
        return "destructive" if hint(accepted, "destructiveHint") else "irreversible"
