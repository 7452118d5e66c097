"""The composition root: puts together what the rooms' fronts bring, and hands each room what it needs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from hq.agents.event_router import AgentRoom
from hq.agents.granted_verbs import given, lent
from hq.agents.owners import belongs, leads, sight
from hq.asks.desk import ApprovalDesk
from hq.asks.kinds import Kinds
from hq.ceo.cards import put_asked
from hq.clock import Clock, SystemClock
from hq.database import migrate as schema
from hq.database.address import Address
from hq.door.access import Resolver
from hq.door.access_rule import Access
from hq.door.door import Door
from hq.door.gate import Policy
from hq.door.rate_limit import RateLimit
from hq.door.verb import Registry
from hq.engine.duty import Duty
from hq.engine.house import House
from hq.graph.catalogue import Catalogue
from hq.graph.search.service import Embedders
from hq.graph.types import Node
from hq.guard.loops import LoopLimits
from hq.guard.vault import Vault
from hq.jobs.job import JobRegistry
from hq.room import Wiring
from hq.rooms import rooms

# A connection's process at the server grows to some 20 MB of plans: of what a rush took, one is given back every
# POOL_IDLE seconds, and none is kept for long.
POOL_IDLE = 15.0
POOL_LIFETIME = 600.0


@cache
def catalogue() -> Catalogue:
    return Catalogue(
        nodes=[node for room in rooms() for node in room.types], edges=[edge for room in rooms() for edge in room.edges]
    )


@cache
def registry() -> Registry:
    return Registry(
        (verb for room in rooms() for verb in room.verbs),
        nouns={name: _says(model) for name, model in catalogue().nodes.items()}
        | {noun: says for room in rooms() for noun, says in room.nouns.items()},
        under={noun: shown for room in rooms() for noun, shown in room.under.items()},
    )


def _says(model: type[Node]) -> str:
    return (model.__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ")


@cache
def kinds() -> Kinds:
    """Of asks. What a room above says of a part of a type comes before what the room of the type says of all of it."""
    return Kinds(kind for room in reversed(rooms()) for kind in room.kinds)


@cache
def owners() -> dict[str, Resolver]:
    """Whose something is, by what the verbs call it."""
    return {noun: owner for room in rooms() for noun, owner in room.owners.items()}


@cache
def functions() -> tuple[str, ...]:
    """Files of SQL functions, each after those it builds on."""
    return tuple(file for room in rooms() for file in room.functions)


def migrate(address: Address, upto: int | None = None) -> schema.Migrated:
    """Bring a database to the schema of this program."""
    return schema.migrate(address, functions(), upto)


def pumps(url: str, door: Door) -> list[Duty]:
    """What moves rows all the time, one process at a time; all but the announcer, which who serves keeps an eye on."""
    return [pump(url, door) for room in rooms() for pump in room.pumps]


@asynccontextmanager
async def open_door(
    address: Address,
    *,
    vault_file: Path,
    vault_key: str | None = None,
    clock: Clock | None = None,
    keep_days: int = 90,
    pool_size: int = 16,
    embedders: Embedders | None = None,
    search: str = "",
    companies: Path | None = None,
    loops: LoopLimits | None = None,
    agent_room: AgentRoom | None = None,
    run_timeout: int = 60,
    connector_sandbox: bool = True,
    connector_paths: Sequence[Path] = (),
    calls_per_second: int = 0,
) -> AsyncIterator[Door]:
    """The door on a database that is already migrated. Connects as the product's role.

    `companies` is where the companies keep their files (unsaid, beside the vault's key), and `keep_days` how long
    workers' details stay there.
    """
    async with AsyncExitStack() as stack:
        pool = AsyncConnectionPool[AsyncConnection[Any]](
            address.app_url,
            min_size=1,
            max_size=pool_size,
            # Prepared from the second use on: planning a look into the past costs more than running it.
            kwargs={"autocommit": True, "prepare_threshold": 1},
            open=False,
            timeout=20,
            max_idle=POOL_IDLE,
            max_lifetime=POOL_LIFETIME,
            name="hq",
        )
        await stack.enter_async_context(pool)
        wiring = Wiring(
            address=address,
            pool=pool,
            clock=clock or SystemClock(),
            vault=Vault(vault_file, vault_key),
            home=vault_file.parent,
            companies=companies or vault_file.parent / "companies",
            embedders=embedders or Embedders(),
            search=search,
            keep_days=keep_days,
            run_timeout=run_timeout,
            loops=loops or LoopLimits(),
            agent_room=agent_room or AgentRoom(),
            connector_sandbox=connector_sandbox,
            connector_paths=connector_paths,
        )
        policies = [*_policies("stops"), Access(owners(), leads, sight, belongs, lent), *_policies("policies")]
        jobs = JobRegistry(job for room in rooms() for job in room.jobs)
        services = [*_services(wiring, stack), *policies, kinds(), jobs]
        door = Door(
            pool,
            registry(),
            catalogue(),
            wiring.clock,
            policies=policies,
            desk=ApprovalDesk(put_asked),
            services=services,
            rate=RateLimit(calls_per_second),
            given=given,
        )
        door.services[House] = House(door)
        yield door
        for waker in (door.waker, door.workers, door.followers):
            await waker.flush()
        for service in services:
            if flush := getattr(service, "flush", None):
                await flush()


def _services(wiring: Wiring, stack: AsyncExitStack) -> list[object]:
    """The rooms' services, those of the lowest rooms first; they are closed in the opposite order."""
    for room in rooms():
        for make in room.services:
            service = make(wiring)
            wiring.made[type(service)] = service
            if close := getattr(service, "close", None):
                stack.push_async_callback(close)
    return [*wiring.made.values()]


def _policies(which: str) -> list[Policy]:
    return [policy() for room in rooms() for policy in getattr(room, which)]
