"""Principals and their credentials: made on first use, issued with scopes, kept only as hashes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from hq.database.queries import beside
from hq.door.caller import ALL_SCOPES, new_token, token_hash
from hq.door.tx import Tx
from hq.door.verb import Result
from hq.door.verbs.rows import PrincipalRow
from hq.errors import Refused
from hq.grammar import with_article
from hq.graph.provenance import Producer
from hq.graph.records import Stored
from hq.graph.slugs import slugify
from hq.ids import new_id

SQL = beside(__file__)
EVERYDAY = ("write:task", "write:document", "write:memo", "write:memory")
"""What a program outside writes though agents look after it: said by name, for `write` alone leaves that to them."""
DEFAULT_SCOPES = {
    "founder": ("read", "write", "effect", "sql", "founder"),
    "device": ("read", "write", "effect", "sql", "founder"),
    "agent": ("read", "write", "effect"),
    "worker": ("read", "write", "effect"),
}
PREFIX = {
    "founder": "user",
    "device": "device",
    "agent": "agent",
    "worker": "worker",
    "service": "service",
    "house": "service",
}


class Issued(Result):
    token: str
    """Shown this once."""
    id: str
    actor: str
    scopes: list[str]
    expires_at: str | None = None


async def ensure_principal(tx: Tx, kind: str, name: str) -> UUID:
    """The principal of that kind and name, with a producer to its name; made on first use."""
    actor = f"{PREFIX[kind]}:{slugify(name)}"
    if known := await tx.one(SQL["principal_by_actor"], {"actor": actor}, into=PrincipalRow):
        if known.kind != kind:
            raise Refused.forbidden(f"{actor} is the house's own name; take another")
        return known.id
    producer: Stored[Any] = await tx.create(
        Producer(name=actor, kind="conversation_channel" if kind == "device" else "internal_worker", role=actor),
        slug=slugify(actor),
    )
    made = new_id()
    await tx.conn.execute(
        SQL["add_principal"],
        {"id": made, "kind": kind, "name": name, "actor": actor, "producer": producer.id, "now": tx.now},
    )
    return made


async def issue(
    tx: Tx,
    principal: UUID,
    name: str,
    scopes: Any,
    prefix: str,
    valid: timedelta | None,
    *,
    single_use: bool = False,
    origin: UUID | None = None,
) -> Issued:
    """A new credential. What it was made from takes it along when it ends."""
    secret, made = new_token(prefix), new_id()
    expires = tx.now + valid if valid else None
    await tx.conn.execute(
        SQL["add_credential"],
        {
            "id": made,
            "principal": principal,
            "name": name,
            "hash": token_hash(secret),
            "scopes": list(scopes),
            "single": single_use,
            "now": tx.now,
            "expires": expires,
            "origin": origin,
        },
    )
    actor = await tx.the_scalar(
        "select actor from ops.principals where tenant_id = ops.tenant() and id = %s", [principal], of=str
    )
    return Issued(
        token=secret,
        id=str(made),
        actor=actor,
        scopes=list(scopes),
        expires_at=expires.isoformat() if expires else None,
    )


def granted_scopes(kind: str, wanted: list[str], tx: Tx, usual: Sequence[str] = ()) -> list[str]:
    """What is wanted, or else what such a one usually has; refused where it is no scope, or more than who gives it holds."""
    usual = usual or DEFAULT_SCOPES.get(kind, ())
    if not wanted and not usual:
        raise Refused.invalid(
            f"say what the {kind} may do: --scope read, --scope write:interaction, --scope task.create, …",
            hint="the fewer the better: whoever holds its token can do all of it",
        )
    scopes = wanted or [scope for scope in usual if tx.caller.holds(scope.partition(":")[0])]
    for scope in scopes:
        base = scope.partition(":")[0]
        named = tx.door.registry.verbs.get(scope)
        if base not in ALL_SCOPES and named is None:
            raise Refused.invalid(
                f"{scope!r} is not a scope; take {', '.join(ALL_SCOPES)}, write:task or a verb's name"
            )
        if not (tx.caller.may(named) if named else tx.caller.scopes & {scope, base}):
            raise Refused.forbidden(f"nobody hands out more than they hold: this credential lacks {base!r}")
        if (named.scope if named else base) in ("founder", "install") and kind != "device":
            raise Refused.forbidden(f"{with_article(kind)} never holds the founder's verbs")
    return scopes
