"""Faces of an ask: drawn once, for the page, the terminal, the conversation and whoever reads JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from hq.asks.effect_text import Effect, Titles, effect_text, titles_of
from hq.asks.forecast import FACT, forecast_of
from hq.asks.kinds import Kind, Kinds, ways
from hq.asks.open_asks import OpenAsk
from hq.asks.quotation import one_line
from hq.door.actor import HOUSE_ACTOR
from hq.door.tx import Tx
from hq.terminal.width import shortened


class AskFact(TypedDict):
    """Something to know before answering."""

    name: str
    value: str


class AskOption(TypedDict):
    """A way to answer."""

    key: str
    label: str
    main: bool
    does: NotRequired[str]
    """What is behind it, where it does more than answer."""


class AskGround(TypedDict):
    """By what outside words came in."""

    mark: str
    source: str
    at: str


Asker = TypedDict("Asker", {"from": NotRequired[str]})


class DrawnAsk(Asker):
    """An ask as every face has it; what is empty is left out."""

    slug: str
    id: str
    type: str
    kind: str
    title: str
    text: NotRequired[str]
    facts: list[AskFact]
    options: list[AskOption]
    takes_text: bool
    permission: bool
    severity: str
    card: NotRequired[str]
    from_name: NotRequired[str]
    """What the agent that asks is called."""
    gate: NotRequired[str]
    """Of an approval, the class of the call."""
    to: list[str]
    mission: NotRequired[str]
    about: NotRequired[str]
    deadline: NotRequired[str]
    state: str
    status: NotRequired[str]
    answer: NotRequired[str]
    answered_by: NotRequired[str]
    answered_at: NotRequired[str]
    note: NotRequired[str]
    ended_by: NotRequired[str]
    why: NotRequired[str]
    taint: list[str]
    grounds: list[AskGround]
    at: str


async def draw_all(tx: Tx, asks: Sequence[OpenAsk]) -> list[DrawnAsk]:
    """As somebody sees them who is to answer: what an answer does is told with the names of what it is done to."""
    kinds = tx.use(Kinds)
    ways = [(kinds.of(ask.props), ask, option) for ask in asks for option in kinds.of(ask.props).options(ask.props)]
    effects = [found for kind, ask, option in ways if (found := kind.effect(ask.props, option))]
    titles = await titles_of(tx, effects)
    names = await names_of(tx, [ask.agent for ask in asks if ask.agent])
    costs = {}
    for ask in asks:
        if (
            ask.props.stands == "open" and tx.as_of is None and ask.type != "approval"
        ):  # that has its own from when it was asked
            found = [
                effect for kind, each, option in ways if each is ask and (effect := kind.effect(ask.props, option))
            ]
            if cost := await forecast_of(tx, found):
                costs[ask.id] = cost.says
    return [draw(tx, ask, titles, names, costs.get(ask.id, "")) for ask in asks]


async def names_of(tx: Tx, agents: Sequence[str]) -> Mapping[str, str]:
    """What agents are called, by their slugs, as people say it."""
    found = {node.slug: node.title for node in await tx.named(set(agents)) if node.type == "agent"}
    return {slug: title.capitalize() if title.islower() else title for slug, title in found.items()}


def draw(
    tx: Tx, ask: OpenAsk, titles: Titles | None = None, names: Mapping[str, str] | None = None, cost: str = ""
) -> DrawnAsk:
    """What is asked, by whom, what one should know, and the ways to answer."""
    kind = tx.use(Kinds).of(ask.props)
    by, at = ask.props.decision
    asker = kind.asker(ask)
    drawn = {
        "slug": ask.slug,
        "id": str(ask.id),
        "type": ask.type,
        "kind": kind.name,
        "title": _by_name(one_line(kind.title(ask)), ask, names or {}),
        "text": kind.text(ask),
        "facts": [{"name": one_line(name), "value": short(value)} for name, value in _facts(kind, ask, cost)],
        "options": [
            {"key": key, "label": one_line(kind.label(ask, option)), "main": number == 0}
            | _does(tx, kind.effect(ask.props, option), titles)
            for number, (key, option) in enumerate(ways(kind, ask.props).items())
        ],
        "takes_text": kind.takes_text,
        "permission": kind.is_permission(ask.props),
        "severity": getattr(ask.props, "severity", kind.severity),
        "card": str(ask.card) if ask.card else None,
        "from": asker,
        "from_name": "the house" if asker == HOUSE_ACTOR else (names or {}).get(ask.agent or ""),
        "gate": getattr(ask.props, "gate", None),
        "to": [*(ask.addressed or ("founder",)), *kind.also_to],
        "mission": ask.mission,
        "about": ask.about,
        "deadline": ask.deadline.isoformat() if ask.deadline else None,
        "state": ask.props.stands,
        "status": ask.status,
        "answer": None if ask.props.stands == "open" else kind.counted(ask.props),
        "answered_by": by,
        "answered_at": at.isoformat() if at else None,
        "note": getattr(ask.props, "note", None) if ask.ended is None else None,
        "ended_by": ask.ended.by if ask.ended else None,
        "why": ask.ended.why if ask.ended else None,
        "taint": list(ask.taint),
        "grounds": [
            {"mark": each.mark, "source": short(each.source), "at": each.at.isoformat()} for each in ask.grounds
        ],
        "at": ask.at.isoformat(),
    }
    return DrawnAsk(**{name: value for name, value in drawn.items() if value not in (None, "")})


def _by_name(title: str, ask: OpenAsk, names: Mapping[str, str]) -> str:
    """A title that begins with who asks, by what they are called."""
    called, begins = names.get(ask.agent or ""), f"{ask.agent} "
    return f"{called} {title.removeprefix(begins)}" if called and title.startswith(begins) else title


def _does(tx: Tx, effect: Effect | None, titles: Titles | None) -> dict[str, str]:
    """What is behind it, where it does more than answer."""
    return {"does": effect_text(tx, effect, titles)} if effect else {}


def _facts(kind: Kind, ask: OpenAsk, cost: str) -> list[tuple[str, Any]]:
    facts = [*([(FACT, cost)] if cost else []), *kind.facts(ask)]
    if ask.mission and (ask.mission_title or ask.mission) not in kind.title(ask):
        facts.append(("mission", ask.mission_title or ask.mission))
    came_by = {each.mark: f"{each.mark} (by {each.source})" for each in ask.grounds}
    if ask.taint:
        facts.append(("from outside", ", ".join(came_by.get(mark, mark) for mark in ask.taint)))
    if ask.deadline:
        facts.append(("expires", ask.deadline.isoformat()[:16].replace("T", " ")))
    return facts


def short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shortened(text, 300)
