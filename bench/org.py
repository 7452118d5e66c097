"""An organisation of a thousand seats as YAML: out, in, looked at before, and as it was."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvloop

from bench.database import Company, durable_server, found_company, server_cpu
from bench.measure import note, spending
from bench.report import Result
from hq.app import open_door
from hq.clock import SystemClock
from hq.database.embedded import EmbeddedServer
from hq.door.door import Door
from hq.door.tx import Call

SPAN = 8  # how many report to each


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seats", type=int, default=1000, help="seats, each with a persona (default: 1000)")


def run(options: argparse.Namespace) -> list[Result]:
    with durable_server() as server, TemporaryDirectory() as files:
        company = found_company(server, "org")
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(_measure(server, company, Path(files), options.seats))


async def _measure(server: EmbeddedServer, company: Company, files: Path, seats: int) -> list[Result]:
    async with open_door(company.address, vault_file=files / "vault.key") as door:
        other = (await _call(door, company.token, "tenant.create", name="Other", founder="Bo"))["token"]
        found: list[Result] = []

        async def timed(what: str, token: str, verb: str, at: str | None = None, **args: Any) -> dict[str, Any]:
            before = server_cpu(server)
            with spending() as spent:
                data = await _call(door, token, verb, at, **args)
            found.append(Result(what=f"{what}, {seats:,} seats", value=spent.wall * 1000, unit="ms"))
            found.append(Result(what=f"{what}, {seats:,} seats", value=spent.cpu * 1000, unit="ms CPU of hq"))
            used = (server_cpu(server) - before) * 1000
            found.append(Result(what=f"{what}, {seats:,} seats", value=used, unit="ms CPU of Postgres"))
            return data

        await timed("import without ids", company.token, "org.import", document=written(seats))
        exported = (await timed("export", company.token, "org.export"))["document"]
        note(f"the document has {len(exported) / 1024:.0f} KB")
        await timed("import into an empty company", other, "org.import", document=exported)
        await timed("preview of no change", company.token, "org.import", document=exported, preview=True)
        await timed("validate", company.token, "org.validate", document=exported)
        then = SystemClock().now().isoformat()
        await timed("export as of a moment", company.token, "org.export", then)
        if (await _call(door, other, "org.export"))["document"] != exported:
            raise SystemExit("the copy is not the same")
        return found


async def _call(door: Door, token: str, verb: str, at: str | None = None, **args: Any) -> dict[str, Any]:
    outcome = await door.call(Call(verb, args, token, at=at))
    if not outcome.ok or outcome.data is None:
        raise SystemExit(f"{verb}: {outcome.error}")
    return outcome.data


def written(seats: int) -> str:
    """An organisation in which everybody has a manager but one."""
    lines = ["organisation: {name: Big, purpose: bench}", "roles: [{name: worker}]", "positions:"]
    for seat in range(seats):
        above = f"Seat {(seat - 1) // SPAN}" if seat else "null"
        lines.append(
            f"  - {{title: Seat {seat}, role: worker, reports_to: {above}, escalates_to: {above},"
            f" assignment: {{persona_name: Worker {seat}}}}}"
        )
    return "\n".join(lines) + "\n"
