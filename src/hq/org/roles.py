"""`hq org role`: the vocabulary of specialisations that all organisations share."""

from __future__ import annotations

from pydantic import Field

from hq.door.access import EVERYONE, STAFF
from hq.door.tx import Tx
from hq.door.verb import Args, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.org import results
from hq.org.authority import directed
from hq.org.chart import find_role, lock, personas, roles
from hq.org.invariants import in_order
from hq.org.results import OrgChanged, OrgListing, org_changed
from hq.org.types import Role


class RoleCreateArgs(Args):
    """What the role is."""

    name: str = Field(min_length=1, max_length=64)
    """What it is called, such as architect."""
    description: str | None = None
    """What somebody in this role does."""


@verb(
    "role.create",
    "write",
    for_=STAFF,
    touches=directed("name", "chart"),
    undo="exact",
    invariant=in_order,
    emits="role.created",
    examples=[{"name": "architect", "description": "System architecture and review"}],
)
async def create(tx: Tx, args: RoleCreateArgs) -> OrgChanged:
    """Create a role; roles are the whole company's."""
    await lock(tx)
    await _check_free(tx, args.name)
    tx.target = role = await tx.create(Role(name=args.name, description=args.description))
    return org_changed(role, name=role.props.name)


class RoleListArgs(Args):
    """Nothing to choose."""


@verb("role.list", "read", for_=EVERYONE, examples=[{}], text="hq.org.yaml_text:answer")
async def list_(tx: Tx, args: RoleListArgs) -> OrgListing[results.RoleItem]:
    """List all roles."""
    return OrgListing[results.RoleItem](items=[results.role(role) for role in await roles(tx)])


class RoleUpdateArgs(Args):
    """Which role, and what to change."""

    role: str = Field(min_length=1, max_length=200)
    """Its name, slug or role_id."""
    name: str | None = Field(None, min_length=1, max_length=64)
    """Another name."""
    description: str | None = None
    """What somebody in this role does."""


@verb(
    "role.update",
    "write",
    for_=STAFF,
    touches=directed("role", "chart"),
    undo="exact",
    invariant=in_order,
    emits="role.updated",
    target="role",
    examples=[{"role": "architect", "description": "Draws the plans"}],
)
async def update(tx: Tx, args: RoleUpdateArgs) -> OrgChanged:
    """Change a role's name or description, for every organisation."""
    await lock(tx)
    role = await find_role(tx, args.role)
    said = {name: value for name in ("name", "description") if (value := getattr(args, name)) is not None}
    if not said:
        raise Refused.invalid("nothing to change; say --name or --description")
    old = role.props.name
    if "name" in said:
        await _check_free(tx, said["name"], role)
    tx.target = role = await tx.change(role, said)
    if role.props.name != old:
        for persona in await personas(tx, removed=True):
            if persona.props.role == old:
                await tx.change(persona, {"role": role.props.name})
    return org_changed(role, name=role.props.name)


async def _check_free(tx: Tx, name: str, own: Stored[Role] | None = None) -> None:
    if not name.strip():
        raise Refused.invalid("a role needs a name")
    for role in await roles(tx):
        if role.props.name.casefold() == name.strip().casefold() and (own is None or role.id != own.id):
            raise Refused.conflict(f"there is already a role {role.props.name!r} (role_id {role.number})")


VERBS = (create, list_, update)
