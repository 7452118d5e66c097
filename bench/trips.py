"""Counts round trips where they happen: on the socket, between the driver and the server."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hq.database.address import Address


@dataclass
class Trips:
    """How often a client spoke after it had listened, over all connections."""

    count: int = 0


@asynccontextmanager
async def counted(address: Address) -> AsyncIterator[tuple[Address, Trips]]:
    """The same database behind a socket that passes everything on and counts. Slower, so nothing is timed through it."""
    parts = conninfo_to_dict(address.url)
    name = f".s.PGSQL.{parts['port']}"
    server = Path(str(parts["host"])) / name
    trips, lines = Trips(), set[asyncio.Task[None]]()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_unix_connection(server)
        line = Line(trips)
        lines.add(asyncio.create_task(line.carry(reader, far_writer, from_client=True)))
        lines.add(asyncio.create_task(line.carry(far_reader, writer, from_client=False)))

    with tempfile.TemporaryDirectory(prefix="hq-bench-") as place:
        async with await asyncio.start_unix_server(relay, Path(place) / name):
            yield Address(make_conninfo(address.url, host=place), address.secret), trips
            await asyncio.gather(*lines)  # whoever was connected has left by now


@dataclass
class Line:
    """One connection: whoever speaks after the other begins something new."""

    trips: Trips
    client_spoke: bool = False

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, from_client: bool) -> None:
        with suppress(ConnectionError):
            while part := await reader.read(65536):
                self.trips.count += from_client and not self.client_spoke
                self.client_spoke = from_client
                writer.write(part)
                await writer.drain()
        with suppress(ConnectionError, RuntimeError):
            writer.close()
