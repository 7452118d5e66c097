"""The minds of every company in one process: hands out who answers for a tier. Keys are opened here and go no further."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from hq.clock import Clock
from hq.database.rows import RowReader
from hq.minds.circuit_breaker import SQL, Connection, Doors, OpenCircuit, Pool, door_of, in_company
from hq.minds.config import (
    WITHOUT,
    KeyPlace,
    MindConfig,
    TierChoice,
    choose,
    in_plain_words,
    minds_of,
    preferring,
)
from hq.minds.fallback_chain import ChainLink, FallbackChain, Keyless
from hq.minds.mind import TIERS, Mind, Tier
from hq.minds.rows import MindRow
from hq.minds.stand_in import StandIn

if TYPE_CHECKING:
    import httpx2
    from psycopg import AsyncConnection

FRESH = 2.0
"""Seconds for which a process goes by what it read; machine time."""


class SecretSource(Protocol):
    """The vault, as far as keys of minds go."""

    async def sealed(self, conn: AsyncConnection[Any], names: Sequence[str]) -> Sequence[Any]: ...

    def open(self, tenant: UUID, row: Any) -> str: ...


@dataclass(frozen=True)
class TenantMinds:
    """What is set for one company, with its keys."""

    minds: tuple[MindConfig, ...]
    keys: Mapping[str, str]
    places: Mapping[str, KeyPlace]
    refused: frozenset[str] = frozenset()
    """Minds whose provider did not take the key they have, when it was asked last."""
    unproven: frozenset[str] = frozenset()
    """Minds that were tested and have never answered."""
    again: Mapping[str, datetime] = field(default_factory=dict)
    """Of these, who is left alone, and until when; the others may be tried again."""

    def place(self, mind: MindConfig) -> KeyPlace:
        if mind.name in self.refused:
            return "refused"
        if mind.name in self.unproven:
            return "unproven"
        return self.places.get(mind.key_name, "missing") if mind.key_name else "not needed"

    def key(self, mind: MindConfig) -> str | None:
        return self.keys.get(mind.key_name) if mind.key_name else None

    @property
    def has_models(self) -> bool:
        """Whether anything but the script can answer."""
        return any(mind.wire != "script" and self.place(mind) not in WITHOUT for mind in self.minds)

    @property
    def lacking(self) -> MindConfig | None:
        """Who was set and cannot be asked, so that the script answers."""
        return self.doubtful if self.choice("default").lacking else None

    @property
    def doubtful(self) -> MindConfig | None:
        """Who was set and cannot be counted on, whoever answers instead."""
        return next((mind for mind in self.minds if self.place(mind) in WITHOUT), None)

    def choice(self, tier: Tier, model: str | None = None) -> TierChoice:
        """Who answers; `model` is what an agent's record says of its own."""
        usable = [mind for mind in self.minds if self.place(mind) not in WITHOUT]
        return preferring(choose(self.minds, tier, self.place, self._due), usable, model)

    def _due(self, mind: MindConfig) -> bool:
        return self.place(mind) in ("refused", "unproven") and mind.name not in self.again


class Minds:
    """`await minds.mind(tenant, tier)` is the mind to ask. With nothing set it is the scripted one."""

    def __init__(
        self,
        pool: Pool,
        vault: SecretSource,
        clock: Clock,
        env: Mapping[str, str] | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._pool = pool
        self._vault = vault
        self._clock = clock
        self._env = os.environ if env is None else env
        self._pause = pause
        self._read: dict[UUID, tuple[float, TenantMinds]] = {}
        self._made: dict[tuple[UUID, Tier, str | None], tuple[TenantMinds, Mind]] = {}
        self._http: httpx2.AsyncClient | None = None

    async def mind(self, tenant: UUID, tier: Tier = "default", model: str | None = None) -> Mind:
        company = await self.company(tenant)
        known = self._made.get((tenant, tier, model))
        if known is None or known[0] is not company:
            choice = company.choice(tier, model)
            made = self._make(tenant, company, choice.asked, self._scripted)
            until = min(company.again.values(), default=None)
            known = (company, made if choice.asked or not choice.lacking else StandIn(made, choice.why, until))
            self._made[tenant, tier, model] = known
        return known[1]

    async def one(self, tenant: UUID, config: MindConfig, *, knocks: bool = False) -> Mind:
        """A single mind of a company, without those that would take its place."""
        return self._make(tenant, await self.company(tenant), [config], knocks=knocks)

    async def company(self, tenant: UUID, conn: Connection | None = None) -> TenantMinds:
        """Read on the connection of whoever is at work for it already, or on one of its own."""
        known = self._read.get(tenant)
        if known and time.monotonic() - known[0] < FRESH:
            return known[1]
        found = await self._look(tenant, conn)
        if known and found == known[1]:  # what was made of it can go on being used
            found = known[1]
        self._read[tenant] = (time.monotonic(), found)
        return found

    async def key_place(self, tenant: UUID, mind: MindConfig) -> KeyPlace:
        """Where the key of a mind is that may not be set yet."""
        if not mind.key_name:
            return "not needed"
        async with in_company(self._pool, tenant) as conn:
            rows = await self._vault.sealed(conn, [mind.key_name])
        return "vault" if rows else "environment" if self._from_env(mind.key_name) else "missing"

    async def lacking(self, tenant: UUID, conn: Connection | None = None) -> str:
        """What keeps whoever was set from answering, in words for people; nothing where that is well."""
        company = await self.company(tenant, conn)
        mind = company.lacking
        return f"{in_plain_words(mind, company.place(mind))}; until then the script answers" if mind else ""

    def forget(self, tenant: UUID) -> None:
        """Something was set: read again at the next question."""
        self._read.pop(tenant, None)

    async def closed(self, tenant: UUID, conn: Connection | None = None) -> dict[str, OpenCircuit]:
        """Which minds have to wait, by name."""
        company = await self.company(tenant, conn)
        doors = {mind.name: door_of(mind, company.key(mind)) for mind in company.minds}
        shut = await Doors(self._pool, self._clock, tenant).closed(list(doors.values()), conn)
        return {name: shut[door] for name, door in doors.items() if door in shut}

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()

    async def _look(self, tenant: UUID, conn: Connection | None) -> TenantMinds:
        async with in_company(self._pool, tenant, conn) as inside:
            set_ = [config_of(row) for row in await RowReader(inside).rows(SQL["minds"], into=MindRow)]
            candidates = set_ or minds_of([], lambda _: "vault")
            names = {mind.key_name for mind in candidates if mind.key_name}
            rows = await self._vault.sealed(inside, sorted(names))
        in_vault = {row.name: self._vault.open(tenant, row) for row in rows}
        in_env = {name: value for name in names if (value := self._from_env(name))}
        places: dict[str, KeyPlace] = {name: _place(name, in_vault, in_env) for name in names}
        company = TenantMinds((), in_env | in_vault, places)
        minds = tuple(minds_of(set_, company.place))
        doors = {mind.name: door_of(mind, company.key(mind)) for mind in minds if mind.wire != "script"}
        shut = await Doors(self._pool, self._clock, tenant).troubled([*doors.values()], conn) if doors else {}
        found = {name: shut[door] for name, door in doors.items() if door in shut}
        refused = frozenset(name for name, each in found.items() if each.refused)
        unproven = frozenset(name for name, each in found.items() if each.unproven)
        again = {name: found[name].until for name in refused | unproven if found[name].closed}
        return TenantMinds(minds, company.keys, places, refused, unproven, again)

    def _from_env(self, name: str) -> str | None:
        return self._env.get(name.upper()) or (self._env.get("GEMINI_API_KEY") if name == "google_api_key" else None)

    def _make(
        self,
        tenant: UUID,
        company: TenantMinds,
        chain: Sequence[MindConfig],
        script: Callable[[], Mind] | None = None,
        *,
        knocks: bool = False,
    ) -> Mind:
        if not chain or all(config.wire == "script" for config in chain):
            return self._scripted()
        links = [self._link(company, config) for config in chain]
        return FallbackChain(links, Doors(self._pool, self._clock, tenant), script, knocks=knocks)

    def _link(self, company: TenantMinds, config: MindConfig) -> ChainLink:
        if config.wire == "script":
            return ChainLink(self._scripted(), None)
        if company.place(config) == "missing":
            return ChainLink(Keyless(config.name, config.key_name or ""), None)
        import httpx2

        from hq.minds.provider import ProviderMind

        if self._http is None:
            self._http = httpx2.AsyncClient(timeout=httpx2.Timeout(600, connect=10), follow_redirects=False)
        key = company.key(config)
        return ChainLink(ProviderMind(config, key, self._http, self._clock, self._pause), door_of(config, key))

    def _scripted(self) -> Mind:
        from hq.minds.scripted.mind import shipped

        return shipped()


def _place(name: str, in_vault: Mapping[str, str], in_env: Mapping[str, str]) -> KeyPlace:
    return "vault" if name in in_vault else "environment" if name in in_env else "missing"


def config_of(row: MindRow) -> MindConfig:
    tiers: tuple[Tier, ...] = tuple(tier for tier in TIERS if tier in row.tiers)
    return MindConfig(
        row.name, row.provider, row.model, row.base_url, row.key_name, tiers=tiers, rank=row.rank, seconds=row.seconds
    )
