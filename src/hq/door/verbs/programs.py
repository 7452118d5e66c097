"""Programs outside that the founder lets in: a code becomes a token that lives an hour and a secret that renews it, each used once.

All of one permission hang together by what they were made from. A code or secret that comes twice was stolen or lost, and ends
them all.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import FOUNDER, Who
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.door.verbs.credentials import Issued, ensure_principal, granted_scopes, issue
from hq.door.verbs.rows import RevokedRow
from hq.errors import Refused
from hq.graph.slugs import slugify

SQL = beside(__file__)
PROGRAM: tuple[Who, ...] = ("service",)
CODE = timedelta(minutes=1)
ACCESS = timedelta(hours=1)
RENEWAL = timedelta(days=30)


class AuthConnectArgs(Args):
    """Which program, and what it may do."""

    program: str = Field(min_length=1, max_length=100)
    """What it calls itself."""
    fingerprint: str = Field(pattern="^[0-9a-f]{8,64}$")
    """What tells it from others that call themselves the same."""
    scopes: list[str] = Field(min_length=1, max_length=20)
    """read, write, effect; or narrower: write:task, task.create."""


@verb(
    "auth.connect",
    "write",
    for_=FOUNDER,
    scope="founder",
    emits="auth.connected",
    gate="system",
    shown_once=["token"],
    internal=True,
)
async def connect(tx: Tx, args: AuthConnectArgs) -> Issued:
    """Let a program outside in, as a service of its own: a code for it that is good once, within a minute."""
    scopes = granted_scopes("service", args.scopes, tx)
    called = slugify(args.program, 40)
    principal = await ensure_principal(tx, "service", f"{called}-{args.fingerprint[:8]}")
    return await issue(tx, principal, f"code {called}", scopes, "code", CODE, single_use=True)


class AuthRedeemArgs(Args):
    """The code, or the secret that renews, is the credential of this call."""

    scopes: list[str] = Field(default_factory=list, max_length=20)
    """Less than was allowed, for this token; left out, all of it."""


class Redeemed(Result):
    token: str | None = None
    """Shown this once; nothing where the code was used before."""
    renewal: str | None = None
    """Shown this once: gets the next token, once."""
    scopes: list[str]
    seconds: int
    """How long the token is good for."""


@verb(
    "auth.redeem",
    "write",
    for_=PROGRAM,
    scope="read",
    while_frozen=PROGRAM,
    emits="auth.redeemed",
    shown_once=["token", "renewal"],
    internal=True,
)
async def redeem(tx: Tx, args: AuthRedeemArgs) -> Redeemed:
    """Turn a code, or a secret that renews, into a token of an hour and the next such secret. The second use ends all of them."""
    me = tx.caller
    if not me.single_use:
        raise Refused.invalid("only a code or a secret that renews can be turned into a token")
    if not set(args.scopes) <= me.scopes:
        raise Refused.forbidden("nobody is given more than the founder allowed")
    scopes, seconds = args.scopes or sorted(me.scopes), int(ACCESS.total_seconds())
    if not await tx.scalar("select ops.use_up(%s)", [me.credential_id], of=bool):
        await _end_all(tx)
        return Redeemed(scopes=[], seconds=0)
    called = me.actor.partition(":")[2]
    renewal = await issue(
        tx, me.principal_id, f"renewal {called}", sorted(me.scopes), "renewal", RENEWAL, single_use=True, origin=me.credential_id
    )  # fmt: skip
    access = await issue(tx, me.principal_id, f"access {called}", scopes, "access", ACCESS, origin=UUID(renewal.id))
    return Redeemed(token=access.token, renewal=renewal.token, scopes=scopes, seconds=seconds)


class AuthDisconnectArgs(Args):
    """Nothing to say: the credential says which."""


class Disconnected(Result):
    ended: int


@verb(
    "auth.disconnect",
    "write",
    for_=PROGRAM,
    scope="read",
    while_frozen=PROGRAM,
    emits="auth.disconnected",
    internal=True,
)
async def disconnect(tx: Tx, args: AuthDisconnectArgs) -> Disconnected:
    """Give back a permission: this credential and all that hang together with it end."""
    return Disconnected(ended=await _end_all(tx))


async def _end_all(tx: Tx) -> int:
    root = await tx.the_scalar(SQL["first_of"], {"id": tx.caller.credential_id}, of=UUID)
    return len(await tx.rows(SQL["revoke"], {"id": root, "now": tx.now}, into=RevokedRow))


VERBS = (connect, redeem, disconnect)
