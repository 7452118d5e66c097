"""`hq org intent`: the document that says what an organisation is for when two good things pull apart."""

from __future__ import annotations

from pydantic import Field

from hq.door.access import EVERYONE, STAFF
from hq.door.tx import Tx
from hq.door.verb import Result, verb
from hq.errors import Refused
from hq.org.authority import directed
from hq.org.chart import find_organisation, lock
from hq.org.content import intent_of, set_intent
from hq.org.files import intent_path
from hq.org.invariants import in_order
from hq.org.organisations import OrganisationRefArgs
from hq.org.results import OrgChanged, org_changed


class IntentRead(Result):
    slug: str
    path: str
    """Where it is, relative to the company's files."""
    text: str
    intent: dict[str, list[str]]
    """The lists that agents are told."""
    edited: bool
    """Whether the file says something that was not recorded yet."""


@verb("org_intent.read", "read", for_=EVERYONE, examples=[{"org": "Development"}], text=".text")
async def read(tx: Tx, args: OrganisationRefArgs) -> IntentRead:
    """An organisation's intent document."""
    org = await find_organisation(tx, args.org)
    found = await intent_of(tx, org)
    return IntentRead(
        slug=org.slug,
        path=intent_path(org.slug),
        text=found.text,
        intent=found.lists.model_dump(),
        edited=found.edited,
    )


class OrgIntentWriteArgs(OrganisationRefArgs):
    """What it says from now on."""

    body: str = Field(min_length=1, max_length=100_000)
    """Markdown with lists under Optimise for, Protect, Never sacrifice and Constraints."""


@verb(
    "org_intent.write",
    "write",
    for_=STAFF,
    touches=directed("org", "directed_organisation"),
    undo="exact",
    invariant=in_order,
    emits="organisation.intent_written",
    target="org",
    examples=[{"org": "Development", "body": "## Optimise for\n\n- Code quality"}],
)
async def write(tx: Tx, args: OrgIntentWriteArgs) -> OrgChanged:
    """Write an organisation's intent document; every agent of it is told from its next session on."""
    await lock(tx)
    org = await find_organisation(tx, args.org)
    text = args.body.replace("\r\n", "\n").rstrip() + "\n"
    tx.target = org = await set_intent(tx, org, text)
    return org_changed(org, intent=org.props.intent.model_dump())


@verb(
    "org_intent.sync",
    "write",
    for_=STAFF,
    touches=directed("org", "directed_organisation"),
    undo="exact",
    invariant=in_order,
    emits="organisation.intent_written",
    target="org",
)
async def sync(tx: Tx, args: OrganisationRefArgs) -> OrgChanged:
    """Record what somebody wrote into intent.md by hand."""
    await lock(tx)
    org = await find_organisation(tx, args.org)
    found = await intent_of(tx, org)
    if not found.edited:
        raise Refused.conflict(f"{intent_path(org.slug)} says what is recorded already")
    tx.target = org = await set_intent(tx, org, found.text)
    return org_changed(org, intent=org.props.intent.model_dump())


VERBS = (read, write, sync)
