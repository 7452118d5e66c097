"""`hq org persona`: identities that sit in seats, with what they can and what they have learned."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from pydantic import Field

from hq.door.access import EVERYONE, STAFF, Touch
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.org import results
from hq.org.authority import directed
from hq.org.chart import every_seat, find_persona, find_role, holdings, lock, personas
from hq.org.content import begin_files, company, first_files, words_of
from hq.org.files import OrgFiles, experience_path, skill_path
from hq.org.invariants import in_order
from hq.org.results import OrgChanged, OrgListing, org_changed
from hq.org.seats import agents_of, leave_seat
from hq.org.types import Persona

LONGEST = 200_000


class PersonaCreateArgs(Args):
    """Who it is."""

    name: str = Field(min_length=1, max_length=500)
    """What the persona is called, such as Robbo."""
    role: str = Field(min_length=1, max_length=200)
    """Its role, by name; the slug begins with it."""
    description: str | None = None
    """Who it is, in a sentence or two."""


@verb(
    "persona.create",
    "write",
    for_=STAFF,
    touches=directed("name", "chart"),
    undo="exact",
    invariant=in_order,
    emits="persona.created",
    examples=[{"name": "Robbo", "role": "architect"}],
)
async def create(tx: Tx, args: PersonaCreateArgs) -> OrgChanged:
    """Create a persona with a skill file and an experience file."""
    await lock(tx)
    tx.target = persona = await add_persona(tx, args.name, args.role, args.description)
    return org_changed(persona, name=persona.props.name)


async def add_persona(tx: Tx, name: str, role: str, description: str | None = None) -> Stored[Persona]:
    known = await find_role(tx, role)
    persona = await tx.create(
        Persona(name=name, role=known.props.name, description=description), links=[NewLink("has_role", known)]
    )
    await begin_files(tx, personas=[persona])
    return persona


class PersonaListArgs(Args):
    """Which of them."""

    active: bool = False
    """Only those that can be given a seat."""
    role: str | None = Field(None, max_length=200)
    """Only of this role."""


@verb("persona.list", "read", for_=EVERYONE, examples=[{}], text="hq.org.yaml_text:answer")
async def list_(tx: Tx, args: PersonaListArgs) -> OrgListing[results.PersonaItem]:
    """List personas."""
    role = (await find_role(tx, args.role)).props.name if args.role else None
    return OrgListing[results.PersonaItem](
        items=[
            results.persona(each)
            for each in await personas(tx)
            if (not args.active or each.props.status == "active") and role in (None, each.props.role)
        ]
    )


class PersonaRefArgs(Args):
    """Which persona."""

    slug: str = Field(min_length=1, max_length=200)
    """Its slug, such as architect-robbo-3."""


class Dossier(Result):
    persona_id: int
    slug: str
    name: str
    role: str
    status: str


@verb("persona.show", "read", for_=EVERYONE, examples=[{"slug": "architect-robbo-1"}], text="hq.org.yaml_text:answer")
async def show(tx: Tx, args: PersonaRefArgs) -> Dossier:
    """A persona's dossier: its seats in all organisations, its agents, its files."""
    persona = await find_persona(tx, args.slug)
    tx.target = persona
    seats = [
        {
            "organisation": chart.organisation.slug,
            "position_id": seat.position.number,
            "title": seat.title,
            "assigned_at": seat.holding.assignment.props.assigned_at.isoformat(),
        }
        for chart in (await every_seat(tx)).values()
        for seat in chart.seats.values()
        if seat.holding and seat.holding.persona.id == persona.id
    ]
    return Dossier.model_validate(
        {
            **results.persona(persona),
            "positions": seats,
            "agents": [agent.slug for agent in await _agents(tx, persona)],
            "skill_file": skill_path(persona.slug),
            "experience_file": experience_path(persona.slug),
        }
    )


async def _agents(tx: Tx, persona: Stored[Persona]) -> list[Stored[Any]]:
    return (await agents_of(tx, {persona.id})).get(persona.id, [])


class PersonaUpdateArgs(PersonaRefArgs):
    """What to change; what is not named stays."""

    name: str | None = Field(None, min_length=1, max_length=500)
    """Another name; the slug and the files stay."""
    role: str | None = Field(None, min_length=1, max_length=200)
    """Another role, by name."""
    description: str | None = None
    """Who it is."""
    status: Literal["active", "archived"] | None = None
    """active brings an archived persona back."""


@verb(
    "persona.update",
    "write",
    for_=STAFF,
    touches=directed("slug", "chart"),
    undo="exact",
    invariant=in_order,
    emits="persona.updated",
    target="slug",
    examples=[{"slug": "architect-robbo-1", "description": "Thinks first"}],
)
async def update(tx: Tx, args: PersonaUpdateArgs) -> OrgChanged:
    """Change a persona, or bring an archived one back."""
    await lock(tx)
    persona = await find_persona(tx, args.slug)
    said = {name: value for name in ("name", "description", "status") if (value := getattr(args, name)) is not None}
    if not said and args.role is None:
        raise Refused.invalid("nothing to change; `hq org persona update --help` lists what can be")
    if said.get("status") == "archived" and await _seats(tx, persona):
        raise Refused.conflict(
            f"{persona.slug} still sits somewhere", hint="`hq org persona archive --unassign` ends that"
        )
    if args.role is not None:
        role = await find_role(tx, args.role)
        said["role"] = role.props.name
        await tx.link(persona, "has_role", role)
    tx.target = persona = await tx.change(persona, said)
    return org_changed(persona, status=persona.props.status)


class PersonaArchiveArgs(PersonaRefArgs):
    """Which persona, and whether it may leave its seats."""

    unassign: bool = False
    """End its assignments first."""


@verb(
    "persona.archive",
    "write",
    for_=STAFF,
    touches=directed("slug", "chart"),
    undo="exact",
    invariant=in_order,
    emits="persona.archived",
    target="slug",
    examples=[{"slug": "architect-robbo-1"}],
    text="archived persona {slug}[; without a seat now: {agents}]",
)
async def archive(tx: Tx, args: PersonaArchiveArgs) -> OrgChanged:
    """Put a persona to rest; `hq org persona update --status active` brings it back."""
    await lock(tx)
    persona = await find_persona(tx, args.slug)
    seats = await _seats(tx, persona)
    if seats and not args.unassign:
        held = ", ".join(each.assignment.props.label for each in seats)
        raise Refused.conflict(f"{persona.slug} still sits somewhere: {held}", hint="--unassign ends that first")
    for each in seats:
        await leave_seat(tx, each, "the persona was archived")
    tx.target = persona = await tx.move(persona, to="archived")
    agents = [agent.slug for agent in await _agents(tx, persona)]
    return org_changed(persona, status=persona.props.status, unassigned=len(seats), agents=agents)


async def _seats(tx: Tx, persona: Stored[Persona]) -> list[Any]:
    return [each for each in await holdings(tx) if each.persona.id == persona.id]


class PersonaText(Result):
    slug: str
    path: str
    text: str


@verb("persona.skill", "read", for_=EVERYONE, past=False, examples=[{"slug": "architect-robbo-1"}], text=".text")
async def skill(tx: Tx, args: PersonaRefArgs) -> PersonaText:
    """What a persona can, from its skill.md."""
    persona = await find_persona(tx, args.slug)
    return PersonaText(slug=persona.slug, path=skill_path(persona.slug), text=(await words_of(tx, persona))[0])


@verb("persona.experience", "read", for_=EVERYONE, past=False, examples=[{"slug": "architect-robbo-1"}], text=".text")
async def experience(tx: Tx, args: PersonaRefArgs) -> PersonaText:
    """What a persona has learned, from its experience.md."""
    persona = await find_persona(tx, args.slug)
    return PersonaText(slug=persona.slug, path=experience_path(persona.slug), text=(await words_of(tx, persona))[1])


class PersonaWriteArgs(PersonaRefArgs):
    """What the file says from now on."""

    body: str = Field(min_length=1, max_length=LONGEST)
    """The whole text."""


class PersonaWritten(Result):
    slug: str
    path: str


async def _prepare(tx: Tx, args: Any) -> tuple[Stored[Persona], str]:
    tx.target = persona = await find_persona(tx, args.slug)
    return persona, await company(tx)


@verb(
    "persona.write_skill",
    "effect",
    for_=STAFF,
    touches=directed("slug", "chart"),
    scope="write",
    emits="persona.skill_written",
    target="slug",
    prepare=_prepare,
    examples=[{"slug": "architect-robbo-1", "body": "# Robbo\n\nDraws plans others can build."}],
)
async def write_skill(tx: Tx, args: PersonaWriteArgs) -> PersonaWritten:
    """Write a persona's skill.md anew."""
    persona, home = tx.prepared
    path = skill_path(persona.slug)
    await asyncio.to_thread(tx.use(OrgFiles).write, home, path, args.body.rstrip() + "\n")
    return PersonaWritten(slug=persona.slug, path=path)


class PersonaLearnedArgs(PersonaWriteArgs):
    instead_of: str | None = Field(None, max_length=LONGEST)
    """What of it no longer holds, word for word: it is taken out."""


@verb(
    "persona.append_experience",
    "effect",
    # What others learned is theirs to say.
    for_=STAFF,
    touches=Touch("slug", "persona", ceo="own", operator="own"),
    scope="write",
    speaks=True,
    emits="persona.learned",
    target="slug",
    prepare=_prepare,
    examples=[{"slug": "architect-robbo-1", "body": "Small plans get built."}],
)
async def append_experience(tx: Tx, args: PersonaLearnedArgs) -> PersonaWritten:
    """Add to a persona's experience.md."""
    persona, home = tx.prepared
    path, files = experience_path(persona.slug), tx.use(OrgFiles)
    if args.instead_of:
        await asyncio.to_thread(files.take_out, home, path, args.instead_of)
    await asyncio.to_thread(files.append, home, path, args.body, first_files(persona)[path])
    return PersonaWritten(slug=persona.slug, path=path)


VERBS = (create, list_, show, update, archive, skill, write_skill, experience, append_experience)
