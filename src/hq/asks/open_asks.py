"""Open asks, and whom they wait for: the one list, now or as it was at any moment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from hq.asks.kinds import Kind, Kinds, kind_of
from hq.asks.rows import EndedAskRow, GroundsRow, WaitingAskRow
from hq.asks.types import ASKS
from hq.database.queries import beside
from hq.door.caller import FOUNDER
from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.catalogue import Catalogue
from hq.graph.records import Stored
from hq.graph.view import NodeFilter

SQL = beside(__file__)
MOST = 200
OF_ONE = 20
"""How many asks of one agent wait at most."""
PERMISSIONS = ("approval", "proposal")
"""What is looked at first, however much else was asked."""


@dataclass(frozen=True)
class TaintSource:
    """By what an outside mark came into the session that asked."""

    mark: str
    source: str
    """The call that read it, or who brought it."""
    at: datetime


@dataclass(frozen=True)
class OpenAsk:
    """One ask with what whoever answers has to know of it."""

    id: UUID
    type: str
    slug: str
    status: str
    title: str
    says: str | None
    props: Any
    """Its own properties, as its type has them."""
    taint: Sequence[str]
    at: datetime
    updated_at: datetime
    asked_by: str | None
    agent: str | None
    mission: str | None
    mission_title: str | None
    about: str | None
    addressed: Sequence[str] | None
    deadline: datetime | None
    card: UUID | None = None
    """The card in the conversation that is its face."""
    grounds: Sequence[TaintSource] = ()
    """By what its outside marks came in, where that was looked up."""
    ended: EndedAskRow | None = None
    """Of one that is over without an answer: who ended it, and why."""

    def waits_for(self, actor: str) -> bool:
        """Whether it is `actor` to whom it was put; what was put to nobody in particular is the founder's."""
        return actor in (self.addressed or (FOUNDER,))

    @classmethod
    def of(cls, row: WaitingAskRow, catalogue: Catalogue) -> OpenAsk:
        values = {field.name: getattr(row, field.name) for field in fields(row)}
        return cls(**{**values, "props": catalogue.read(row.type, row.props)})


async def waiting(tx: Tx, to: str | None, *, types: Sequence[str] | None = None, most: int = MOST) -> list[OpenAsk]:
    """What waits for `founder`, for an actor, or for anybody, or waited then: permissions first, and the oldest of each first."""
    verbs = [
        verb.name for kind in await _kinds_by_seat(tx, to) for verb in tx.door.registry if kind.for_call(verb.name)
    ]
    values = {"to": to, "now": tx.now, "types": None if types is None else list(types), "most": most, "verbs": verbs}
    if tx.as_of is None:
        rows = await tx.rows(SQL["waiting"], values, into=WaitingAskRow)
    else:
        rows = await tx.rows(SQL["waited"], {**values, **tx.moment_values()}, into=WaitingAskRow)
    found = [OpenAsk.of(row, tx.catalogue) for row in rows]
    seen = await _seen(tx, [each.id for each in found]) if tx.look else None
    return [each for each in found if seen is None or each.id in seen]


async def before(tx: Tx, *, types: Sequence[str] | None = None, most: int = MOST) -> list[OpenAsk]:
    """What comes before whoever calls: what waits for them, and before the CEO, who carries the answer, what waits for the founder."""
    mine = await waiting(tx, tx.caller.speaks_as, types=types, most=most)
    if tx.caller.role != "ceo":
        return mine
    theirs = await waiting(tx, FOUNDER, types=types, most=most)
    return _in_order([*mine, *(each for each in theirs if each not in mine)])[:most]


async def _kinds_by_seat(tx: Tx, to: str | None) -> list[Kind]:
    """The kinds of asks that wait for a seat, or for an agent by the seat it sits in."""
    agent = _agent(to) if to and to.startswith("agent:") else None
    return [kind for kind in tx.use(Kinds).kinds if to in kind.also_to or (agent and await kind.waits_for(tx, agent))]


def _in_order(asks: Sequence[OpenAsk]) -> list[OpenAsk]:
    return sorted(asks, key=lambda each: (each.type not in PERMISSIONS, each.at, each.id))


async def check_few(tx: Tx) -> None:
    """An agent asks no more than somebody can look through: what others ask is not buried under it."""
    if not tx.caller.agent:
        return
    values = {"producer": tx.caller.producer_id, "types": [ask.type for ask in ASKS]}
    if await tx.the_scalar(SQL["asked_and_open"], values, of=int) >= OF_ONE:
        raise Refused.conflict(
            f"{OF_ONE} of what you asked still waits for an answer, and more at once nobody can look through",
            hint="`hq ask withdraw` takes back what you no longer need; `hq ask list --to all` shows what waits",
        )


async def _seen(tx: Tx, ids: list[UUID]) -> set[UUID]:
    """Those of these asks that who looks sees, and those that are theirs to answer."""
    with tx.looking():
        seen = {node.id for node in await tx.find(NodeFilter(ids=ids, limit=len(ids)))}
        look, tx.look = tx.look, None
        for node in await tx.find(NodeFilter(ids=[id for id in ids if id not in seen], limit=len(ids))):
            if tx.caller.agent and await kind_of(tx, node).may_answer(tx, node):
                seen.add(node.id)
        tx.look = look
    return seen


async def one(tx: Tx, ask: Stored[Any]) -> OpenAsk:
    """An ask, open or not, with what belongs to it."""
    links = [link for link in await tx.links(ask) if link.outward]
    named = {link.type: link.other_slug for link in reversed(links)}
    addressed = [_address(link.other_type, link.other_slug) for link in links if link.type == "addressed_to"]
    asker = await tx.scalar(SQL["asked_by"], {"id": ask.id}, of=str)
    card = await tx.scalar(SQL["card_of"], {"ask": ask.id, "at": tx.true_at}, of=UUID)
    return OpenAsk(
        id=ask.id,
        type=ask.type,
        slug=ask.slug,
        status=ask.status or "",
        title=ask.title,
        says=getattr(ask.props, ask.props.says_field) if ask.props.says_field else None,
        props=ask.props,
        taint=sorted(ask.taint),
        at=ask.created_at,
        updated_at=ask.updated_at,
        asked_by=asker,
        agent=_agent(asker),
        mission=named.get("for_mission"),
        mission_title=next((link.other_title for link in links if link.type == "for_mission"), None),
        about=named.get("about"),
        addressed=addressed or None,
        deadline=ask.props.until,
        card=card,
        grounds=await _grounds(tx, ask) if ask.taint else (),
        ended=await ended(tx, ask),
    )


async def ended(tx: Tx, ask: Stored[Any]) -> EndedAskRow | None:
    """Who ended an ask without an answer, and why; nothing where it waits or was answered."""
    if ask.props.stands in ("open", "answered") or ask.props.decision[0] is not None:
        return None
    return await tx.one(SQL["ended"], {"ask": ask.id}, into=EndedAskRow)


async def _grounds(tx: Tx, ask: Stored[Any]) -> list[TaintSource]:
    rows = await tx.rows(SQL["grounds"], {"ask": ask.id}, into=GroundsRow)
    return [TaintSource(row.mark, _source(row), row.at) for row in rows if row.mark in ask.taint]


def _source(step: Any) -> str:
    if step.verb:
        return f"{step.verb} {json.dumps(step.input, ensure_ascii=False)}"
    if step.senders:
        return f"a message from {', '.join(step.senders)}"
    return "what it was told when it began" if step.kind == "open" else "what came to its mind"


def _address(type_: str, slug: str) -> str:
    return FOUNDER if type_ == "contact" else f"{type_}:{slug}"


def _agent(actor: str | None) -> str | None:
    kind, _, name = (actor or "").partition(":")
    return name.partition("/")[0] if kind in ("agent", "worker") else None
