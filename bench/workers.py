"""Workers that do next to nothing, on two processes: what spawning, running and writing one down takes."""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import uvloop

from bench import ROOT
from bench.database import Company, durable_server, found_company, server_cpu
from bench.measure import cpu_of, note
from bench.report import Result, at_least
from bench.staffing import Quick, called, furnish, runner_on
from hq.app import open_door
from hq.database.address import Address

PROCESSES = 2
ROOM = 8


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workers", type=int, default=1000, help="how many (default: 1000)")


def run(options: argparse.Namespace) -> list[Result]:
    with durable_server() as server, TemporaryDirectory() as home:
        company = found_company(server, "workers")
        note(f"spawning {options.workers}")
        spawned = asyncio.run(_spawn(company, home, options.workers))
        note("running them")
        before = server_cpu(server)
        processes = [
            subprocess.Popen([sys.executable, "-m", "bench.workers", company.address.url, home], cwd=ROOT)
            for _ in range(PROCESSES)
        ]
        try:
            with psycopg.connect(company.address.url, autocommit=True) as conn:
                started = _until(conn, "select count(*) from ops.sessions where state <> 'queued'", 1)
                ended = _until(
                    conn, "select count(*) from ops.sessions where state in ('done', 'failed')", options.workers
                )
                row = conn.execute("select count(*) from ops.sessions where state = 'done'").fetchone()
            cpu = cpu_of([process.pid for process in processes])
            used = server_cpu(server) - before
        finally:
            for process in processes:
                process.terminate()
                process.wait(30)
        if not row or row[0] != options.workers:
            raise SystemExit(f"only {row and row[0]} of {options.workers} workers were done")
        kept = sum(1 for _ in Path(home).rglob("result.txt"))
    if kept < options.workers:
        raise SystemExit(f"only {kept} of {options.workers} left a result")
    return [
        Result(what="spawned", value=options.workers / spawned, unit="workers/s"),
        at_least(
            50, what=f"done on {PROCESSES} processes", value=options.workers / (ended - started), unit="workers/s"
        ),
        Result(what="CPU of the processes", value=cpu * 1000 / options.workers, unit="ms/worker"),
        Result(what="CPU of Postgres", value=used * 1000 / options.workers, unit="ms/worker"),
    ]


def _until(conn: psycopg.Connection, question: str, many: int) -> float:
    while True:
        row = conn.execute(question).fetchone()  # type: ignore[arg-type]
        if row and row[0] >= many:
            return time.perf_counter()
        time.sleep(0.02)


async def _spawn(company: Company, home: str, count: int) -> float:
    async with open_door(company.address, vault_file=Path(home) / "vault.key") as door:
        await furnish(door, company)
        started = time.perf_counter()
        for first in range(0, count, 16):
            some = range(first, min(first + 16, count))
            await asyncio.gather(*(called(door, company, "worker.spawn", task=f"Count to {n}") for n in some))
        return time.perf_counter() - started


async def _work(url: str, home: str) -> None:
    address = Address(url)
    async with open_door(address, vault_file=Path(home) / "vault.key") as door:
        company = Company(address, "", None, None, "")  # type: ignore[arg-type]
        await runner_on(door, company, Quick(0), ROOM).run()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_work(sys.argv[1], sys.argv[2]))
