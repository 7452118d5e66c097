"""Secrets at rest. AES-GCM under a key outside the database, bound to tenant, name and version; no verb shows one."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
import secrets
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypedDict
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from psycopg import AsyncConnection
from pydantic import Field

from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.door.access import FOUNDER
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.errors import Outage, Refused
from hq.guard.rows import ListedSecretRow, SealedSecretRow, SecretRow

SQL = beside(__file__)
NAME = r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$"


class Vault:
    """Encrypts and decrypts. Only code that needs a secret for a connection asks it; nothing shows one.

    The keys stand in the home's 0600 key file, newest first, or in HQ_VAULT_KEY for clusters. Old keys stay, so that
    a backup made under one still opens.
    """

    def __init__(self, file: Path, given: str | None = None) -> None:
        self._file = file
        self._given = given
        self._keys: list[bytes] = []

    def seal(self, tenant: UUID, name: str, version: int, plain: str) -> SealedSecretRow:
        key, nonce = self._load()[0], secrets.token_bytes(12)
        text = AESGCM(key).encrypt(nonce, plain.encode(), _bound(tenant, name, version))
        return SealedSecretRow(name, version, key_name(key), nonce, text)

    def open(self, tenant: UUID, row: SealedSecretRow) -> str:
        try:
            return (
                AESGCM(self._by_name(row.key_id))
                .decrypt(row.nonce, row.ciphertext, _bound(tenant, row.name, row.version))
                .decode()
            )
        except InvalidTag:
            raise Outage(f"the secret {row.name!r} does not open: its row or the vault key was changed") from None

    def wrap(self, purpose: str, plain: bytes) -> str:
        """Something of ours that others carry for us: they can neither read nor change it, and it opens for its purpose only."""
        nonce = secrets.token_bytes(12)
        text = AESGCM(_carried(self._load()[0])).encrypt(nonce, plain, purpose.encode())
        return base64.urlsafe_b64encode(nonce + text).decode().rstrip("=")

    def unwrap(self, purpose: str, text: str) -> bytes | None:
        """What was wrapped; nothing if that was not by us, or for something else."""
        try:
            raw = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        except ValueError:
            return None
        for again in (False, True):  # another process may have renewed the key since
            for key in self._load(again):
                with suppress(InvalidTag, ValueError):
                    return AESGCM(_carried(key)).decrypt(raw[:12], raw[12:], purpose.encode())
        return None

    async def sealed(self, conn: AsyncConnection[Any], names: Sequence[str]) -> list[SealedSecretRow]:
        """Those of these secrets that the company of the transaction has, still encrypted; `open` takes each."""
        return await RowReader(conn).rows(SQL["vault_sealed"], {"names": names}, into=SealedSecretRow)

    def renew(self) -> str:
        """Put a fresh key in front. Where the keys come from the environment, the first one there is the fresh one."""
        if not self._given:
            self._load()
            with open(self._file, "rb") as lock:  # one process at a time, each on what the one before left
                fcntl.flock(lock, fcntl.LOCK_EX)
                keys = [secrets.token_bytes(32), *self._load(again=True)]
                _write_keys(self._file, keys)
            self._keys = keys
        return key_name(self._load()[0])

    def _make_first(self) -> None:
        fresh = self._file.with_suffix(f".{os.getpid()}")
        _write_keys(fresh, [secrets.token_bytes(32)])
        with suppress(FileExistsError):  # another process was first: its key is the key
            os.link(fresh, self._file)
        fresh.unlink()

    def _by_name(self, name: str) -> bytes:
        for again in (False, True):  # another process may have renewed the key since
            for key in self._load(again):
                if key_name(key) == name:
                    return key
        raise Outage(f"the vault key {name} is not here; bring back the vault.key file the secret was made with")

    def _load(self, again: bool = False) -> list[bytes]:
        if self._keys and not again:
            return self._keys
        if not self._given and not self._file.exists():
            self._make_first()
        text = self._given or self._file.read_text()
        try:
            self._keys = [bytes.fromhex(part) for part in text.replace(",", " ").split()]
        except ValueError:
            self._keys = []
        if not self._keys or any(len(key) != 32 for key in self._keys):
            source = "HQ_VAULT_KEY" if self._given else str(self._file)
            raise Outage(f"the vault key in {source} is not 64 hexadecimal digits; put back the one that was there")
        return self._keys


async def keep(tx: Tx, name: str, plain: str) -> int:
    """Put a secret away as part of another verb's work; its version."""
    row = await tx.one(SQL["vault_get"], {"name": name}, into=SecretRow)
    return await _put(tx, name, row.version + 1 if row else 1, plain)


async def _put(tx: Tx, name: str, version: int, plain: str) -> int:
    sealed = tx.use(Vault).seal(tx.caller.tenant_id, name, version, plain)
    await tx.conn.execute(SQL["vault_put"], {**asdict(sealed), "now": tx.now, "by": tx.caller.actor})
    return version


async def drop(tx: Tx, name: str) -> None:
    await tx.conn.execute(SQL["vault_remove"], {"name": name})


@dataclass(frozen=True)
class StoredSecret:
    plain: str = field(repr=False)
    set_at: datetime


async def fetch(tx: Tx, name: str) -> StoredSecret | None:
    """A secret for code that needs it, within a call."""
    return await fetch_for(tx.conn, tx.use(Vault), tx.caller.tenant_id, name)


async def fetch_for(conn: AsyncConnection[Any], vault: Vault, tenant: UUID, name: str) -> StoredSecret | None:
    """The same for a duty, which has no call: in a transaction of its own for that tenant."""
    async with conn.transaction():
        await conn.execute("select set_config('hq.tenant', %s, true)", [str(tenant)])
        row = await RowReader(conn).one(SQL["vault_get"], {"name": name}, into=SecretRow)
    return StoredSecret(vault.open(tenant, row), row.created_at) if row else None


def _write_keys(file: Path, keys: list[bytes]) -> None:
    """Whole or not at all, under a name of its own until then."""
    descriptor, fresh = tempfile.mkstemp(dir=file.parent, prefix=file.name)  # mkstemp makes it 0600
    with os.fdopen(descriptor, "w") as out:
        out.write("".join(key.hex() + "\n" for key in keys))
        out.flush()
        os.fsync(out.fileno())
    os.replace(fresh, file)


def key_name(key: bytes) -> str:
    return hashlib.sha256(b"hq vault" + key).hexdigest()[:12]


def _carried(key: bytes) -> bytes:
    """A key of its own for what others carry: how much of that there is, they decide."""
    return hashlib.sha256(b"hq carried" + key).digest()


def _bound(tenant: UUID, name: str, version: int) -> bytes:
    return f"{tenant}/{name}/{version}".encode()


class VaultSetArgs(Args):
    """A secret and its name."""

    name: str = first(pattern=NAME)
    """Such as anthropic_api_key."""
    value: str = Field(min_length=1, max_length=65_536, json_schema_extra={"secret": True})
    """The secret itself; the command line asks for it or reads it from a pipe, never from its arguments."""


class SecretStored(Result):
    name: str
    version: int


@verb(
    "vault.set",
    "write",
    for_=FOUNDER,
    scope="founder",
    secret=["value"],
    emits="vault.set",
    text="set secret {name} (version {version})",
)
async def set_(tx: Tx, args: VaultSetArgs) -> SecretStored:
    """Put a secret into the vault, encrypted; a new value takes the place of the old."""
    return SecretStored(name=args.name, version=await keep(tx, args.name, args.value))


async def reveal(tx: Tx, name: str) -> str:
    """A secret's value, for code that is about to connect with it. It must go nowhere else."""
    row = await tx.one(SQL["vault_get"], {"name": name}, into=SecretRow)
    if row is None:
        raise Refused.not_found(
            f"there is no secret {name!r} in the vault", hint=f"`hq vault set {name}` puts it there"
        )
    return tx.use(Vault).open(tx.caller.tenant_id, row)


class VaultListArgs(Args):
    """Nothing to choose."""


class SecretItem(TypedDict):
    """A secret, never its value."""

    name: str
    version: int
    key: str
    set_at: str
    by: str


async def secret_names(tx: Tx) -> list[str]:
    return [row.name for row in await tx.rows(SQL["vault_list"], into=ListedSecretRow)]


@verb("vault.list", "read", for_=FOUNDER, past=False, scope="founder", examples=[{}])
async def list_(tx: Tx, args: VaultListArgs) -> Listing[SecretItem]:
    """The names of the secrets, their versions and ages. Never a value."""
    rows = await tx.rows(SQL["vault_list"], into=ListedSecretRow)
    return Listing[SecretItem](
        items=[
            {
                "name": r.name,
                "version": r.version,
                "key": r.key_id,
                "set_at": r.created_at.isoformat(),
                "by": r.created_by,
            }
            for r in rows
        ]
    )


class VaultRotateArgs(Args):
    """Nothing to choose: every secret is encrypted again."""


class Rotated(Result):
    rotated: int
    key: str


@verb(
    "vault.rotate",
    "write",
    for_=FOUNDER,
    scope="founder",
    emits="vault.rotated",
    examples=[{}],
    text="rotated to key {key}, so many secrets: {rotated}",
)
async def rotate(tx: Tx, args: VaultRotateArgs) -> Rotated:
    """Encrypt every secret again under a fresh key; the old key stays in the file for backups."""
    vault = tx.use(Vault)
    key = vault.renew()
    rows = await tx.rows(SQL["vault_all"], into=SealedSecretRow)
    for row in rows:
        await _put(tx, row.name, row.version + 1, vault.open(tx.caller.tenant_id, row))
    return Rotated(rotated=len(rows), key=key)


class VaultRemoveArgs(Args):
    """Which secret."""

    name: str = first(pattern=NAME)
    """As `hq vault list` shows it."""


class SecretRemoved(Result):
    name: str


@verb(
    "vault.remove",
    "write",
    for_=FOUNDER,
    scope="founder",
    emits="vault.removed",
    gate="destructive",
    text="removed secret {name}",
)
async def remove(tx: Tx, args: VaultRemoveArgs) -> SecretRemoved:
    """Forget a secret for good."""
    name = await tx.scalar(SQL["vault_remove"], {"name": args.name}, of=str)
    if name is None:
        raise Refused.not_found(f"there is no secret {args.name!r}", hint="`hq vault list` shows them")
    return SecretRemoved(name=name)


VERBS = (set_, list_, rotate, remove)
