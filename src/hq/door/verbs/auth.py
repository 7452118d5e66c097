"""`hq auth`: who may come in, with what scopes, until when. Tokens are shown once and kept only as hashes."""

from __future__ import annotations

from datetime import timedelta
from typing import TypedDict

from pydantic import ConfigDict, Field

from hq.database.queries import beside
from hq.door.access import EVERYONE, FOUNDER, Owner
from hq.door.actor import name_of
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Result, exactly_one, first, verb
from hq.door.verbs.credentials import DEFAULT_SCOPES, EVERYDAY, Issued, ensure_principal, granted_scopes, issue
from hq.door.verbs.rows import ListedPrincipalRow, PrincipalRow, RevokedRow, StaffRow
from hq.errors import Refused
from hq.graph.slugs import slugify
from hq.ids import is_id, parse_id
from hq.suggestion import nearest

SQL = beside(__file__)
SESSION = timedelta(days=7)
LINK = timedelta(minutes=15)
SESSION_OF = "session "
"""How the name of a session's credential begins."""


class AuthTokenArgs(Args):
    """For whom, and with what rights."""

    model_config = ConfigDict(json_schema_extra=exactly_one("device", "agent", "worker", "service"))

    device: str | None = Field(None, min_length=1, max_length=60)
    """A device of the founder's, by a name of your choice."""
    agent: str | None = Field(None, min_length=1, max_length=60)
    """An agent, by its slug or as `agent:` and its slug; or a name of your choice for a program outside."""
    worker: str | None = Field(None, min_length=1, max_length=60)
    """A worker process."""
    service: str | None = Field(None, min_length=1, max_length=60)
    """A service, such as a connector."""
    scopes: list[str] = Field(default_factory=list, max_length=20)
    """read, write, effect, sql, founder; or narrower: write:task, task.create. Left out: what that kind usually
    has; of a service nobody knows that, so it has to be said."""
    days: float | None = Field(None, gt=0, le=3650)
    """How long it is valid; left out, until it is revoked."""


@verb(
    "auth.token",
    "write",
    for_=FOUNDER,
    scope="founder",
    undo="compensating",
    emits="auth.token_issued",
    undo_by=lambda _input, output: ("auth.revoke", {"id": output["id"]}),
    while_frozen=FOUNDER,
    examples=[{"device": "phone"}],
    gate="system",
    shown_once=["token"],
)
async def token(tx: Tx, args: AuthTokenArgs) -> Issued:
    """Issue a bearer token to a device, agent, worker or service; it is printed once."""
    named = [(kind, name) for kind in ("device", "agent", "worker", "service") if (name := getattr(args, kind))]
    if len(named) != 1:
        raise Refused.invalid("say for whom: exactly one of --device, --agent, --worker, --service")
    kind, said = named[0]
    name = name_of(kind, said)
    outside = kind == "agent" and await _is_outside(tx, name)
    scopes = granted_scopes(kind, args.scopes, tx, (*DEFAULT_SCOPES["agent"], *EVERYDAY) if outside else ())
    principal = await ensure_principal(tx, kind, name)
    return await issue(tx, principal, f"{kind} {name}", scopes, kind, timedelta(days=args.days) if args.days else None)


async def _is_outside(tx: Tx, name: str) -> bool:
    """Whether nobody here has that name: then it is a program outside, unless somebody here is meant by it: by what they are, or
    nearly by their name."""
    staff = await tx.rows(SQL["staff"], into=StaffRow)
    if any(name == each.slug for each in staff):
        return False
    called = {slugify(word): each.slug for each in staff for word in (each.kind, each.role, each.title) if word}
    meant = called.get(name)
    near = meant or nearest(name, [each.slug for each in staff], cutoff=0.8)
    if near and not await tx.one(SQL["principal_by_actor"], {"actor": f"agent:{name}"}, into=PrincipalRow):
        raise Refused.not_found(
            f"nobody here is called {name!r}; did you mean agent:{near}?",
            hint="a program outside takes a name that is not so like an agent's",
        )
    return True


class AuthLoginArgs(Args):
    """A way in for a browser or another machine."""


class LoginLink(Result):
    code: str
    """Good for one use within 15 minutes."""
    path: str


@verb(
    "auth.login",
    "write",
    for_=FOUNDER,
    scope="founder",
    while_frozen=FOUNDER,
    examples=[{}],
    shown_once=["code", "path"],
)
async def login(tx: Tx, args: AuthLoginArgs) -> LoginLink:
    """Make a one-time login link for the founder's browser."""
    principal = await ensure_principal(tx, "device", "browser")
    # Who logs out of one browser stays in the others; what a secret opened ends with the secret.
    origin = None if await _is_session(tx) else tx.caller.credential_id
    scopes = DEFAULT_SCOPES["device"]
    made = await issue(tx, principal, "login link", scopes, "login", LINK, single_use=True, origin=origin)
    return LoginLink(code=made.token, path=f"/login?code={made.token}")


class AuthExchangeArgs(Args):
    """The one-time code is the credential of this call."""

    device: str = Field("browser", min_length=1, max_length=60)
    """A name for the device that logs in."""


@verb(
    "auth.exchange",
    "write",
    for_=FOUNDER,
    scope="read",
    while_frozen=FOUNDER,
    emits="auth.logged_in",
    shown_once=["token"],
    internal=True,
)
async def exchange(tx: Tx, args: AuthExchangeArgs) -> Issued:
    """Turn a one-time login code into a session of seven days."""
    if not tx.caller.single_use:
        raise Refused.invalid("only a one-time login code can be exchanged")
    if not await tx.scalar("select ops.use_up(%s)", [tx.caller.credential_id], of=bool):
        raise Refused.unauthenticated("this login link was used before", hint="`hq auth login` makes a new one")
    principal = await ensure_principal(tx, "device", args.device)
    name, scopes = f"{SESSION_OF}{args.device}", DEFAULT_SCOPES["device"]
    return await issue(tx, principal, name, scopes, "session", SESSION, origin=tx.caller.credential_id)


class AuthSessionArgs(Args):
    """The device's own secret is the credential of this call."""


@verb(
    "auth.session",
    "write",
    for_=FOUNDER,
    scope="read",
    while_frozen=FOUNDER,
    emits="auth.logged_in",
    shown_once=["token"],
    internal=True,
)
async def session(tx: Tx, args: AuthSessionArgs) -> Issued:
    """Turn a device's secret into a session of seven days with the same rights."""
    me = tx.caller
    if me.kind != "device" or await _is_session(tx):
        raise Refused.forbidden(
            "only a device's own secret opens a session, and no session opens another",
            hint="`hq auth token --device NAME` prints a secret",
        )
    name = me.actor.partition(":")[2]
    return await issue(
        tx, me.principal_id, f"{SESSION_OF}{name}", sorted(me.scopes), "session", SESSION, origin=me.credential_id
    )


async def _is_session(tx: Tx) -> bool:
    name = await tx.scalar(SQL["credential"], {"id": tx.caller.credential_id}, of=str)
    return name is None or name.startswith(SESSION_OF)


class AuthListArgs(Args):
    """Which credentials."""

    all: bool = False
    """Also those that are revoked, used or expired."""


class CredentialItem(TypedDict):
    """A credential, never with its token."""

    id: str
    actor: str
    kind: str
    name: str | None
    scopes: list[str]
    created_at: str
    expires_at: str | None
    revoked_at: str | None


@verb("auth.list", "read", for_=FOUNDER, scope="founder", examples=[{}])
async def list_(tx: Tx, args: AuthListArgs) -> Listing[CredentialItem]:
    """Who may come in: every credential with its actor, scopes and expiry. Never a token."""
    rows = await tx.rows(SQL["principals"], {"all": args.all, "now": tx.seen_at}, into=ListedPrincipalRow)
    return Listing[CredentialItem](
        items=[
            {
                "id": str(r.id),
                "actor": r.actor,
                "kind": r.kind,
                "name": r.name,
                "scopes": list(r.scopes),
                "created_at": r.created_at.isoformat(),
                "expires_at": r.expires_at.isoformat() if r.expires_at else None,
                "revoked_at": r.revoked_at.isoformat() if r.revoked_at else None,
            }
            for r in rows
        ]
    )


class AuthRevokeArgs(Args):
    """Which credential."""

    id: str = first(max_length=60)
    """The id of a credential, as `hq auth list` shows it, or an actor for all of its credentials."""


class Revoked(Result):
    revoked: list[str]


@verb(
    "auth.revoke",
    "write",
    for_=FOUNDER,
    scope="founder",
    emits="auth.revoked",
    while_frozen=FOUNDER,
    text="revoked credential {revoked}",
)
async def revoke(tx: Tx, args: AuthRevokeArgs) -> Revoked:
    """End a credential at once, or all those of an actor; sessions that were opened with it end too."""
    principal = await tx.one(SQL["principal_by_actor"], {"actor": args.id}, into=PrincipalRow)
    if principal is None and not is_id(args.id):
        raise Refused.not_found(f"there is no actor {args.id!r}", hint="`hq auth list` shows them")
    rows = await tx.rows(
        SQL["revoke"], {"id": principal.id if principal else parse_id(args.id), "now": tx.now}, into=RevokedRow
    )
    if not rows:
        raise Refused.not_found(f"there is no live credential {args.id!r}", hint="`hq auth list` shows them")
    return Revoked(revoked=[str(row.id) for row in rows])


class AuthWidenArgs(Args):
    """Whose, and by what."""

    actor: str = first(min_length=1, max_length=200)
    """An agent, worker or service, as `hq auth list` shows it."""
    scopes: list[str] = Field(min_length=1, max_length=20)
    """What it may do from now on: read, write, effect; or narrower: write:task, task.create."""


class Widened(Result):
    actor: str
    scopes: list[str]
    credentials: int


@verb(
    "auth.widen",
    "write",
    for_=FOUNDER,
    scope="founder",
    emits="auth.widened",
    gate="system",
    text="gave {actor} {scopes}",
)
async def widen(tx: Tx, args: AuthWidenArgs) -> Widened:
    """Give more scopes to the live credentials of an agent, worker or service."""
    principal = await tx.one(SQL["principal_by_actor"], {"actor": args.actor}, into=PrincipalRow)
    if principal is None:
        raise Refused.not_found(f"there is no actor {args.actor!r}", hint="`hq auth list` shows them")
    scopes = granted_scopes(args.actor.partition(":")[0], args.scopes, tx)
    widened = await tx.scalar("select ops.widen(%s, %s)", [principal.id, scopes], of=int)
    if not widened:
        raise Refused.conflict(f"{args.actor} has no live credential that could be given more")
    return Widened(actor=args.actor, scopes=scopes, credentials=widened)


class AuthWhoamiArgs(Args):
    """Nothing to say: the credential says it."""


class Me(Result):
    actor: str
    kind: str
    scopes: list[str]
    tenant_id: str
    credential: str
    """Its id, as `hq auth list` shows it and `hq auth revoke` takes it."""


@verb("auth.whoami", "read", for_=EVERYONE, past=False, examples=[{}], alias="whoami")
async def whoami(tx: Tx, args: AuthWhoamiArgs) -> Me:
    """Who this credential says you are."""
    me = tx.caller
    return Me(
        actor=me.actor,
        kind=me.kind,
        scopes=sorted(me.scopes),
        tenant_id=str(me.tenant_id),
        credential=str(me.credential_id),
    )


async def owner_of_person(tx: Tx, ref: str) -> Owner | None:
    """The founder, of what stands for somebody who comes in as a person; everything else is nobody's in particular."""
    node = await tx.look_up(ref)
    if node is None:
        return None
    if node.id != tx.caller.founder_id and not await tx.the_scalar(SQL["is_person"], {"id": node.id}, of=bool):
        return None
    return Owner(
        "the founder",
        why=f"{node.slug} stands for a person who comes in here; only people say who that is",
        ask="founder",
    )


VERBS = (token, login, exchange, session, list_, revoke, widen, whoami)
