"""The prompt's part on the organisation: who an agent is here, what its persona can, and the intent that decides when two good
things pull apart. It changes only when those do, so it stands where a provider keeps it, behind the rules that never do. Where it
sits, and who is above and below, moves with every hire: that is told apart, with how things stand. What it has learned grows with
every answer: that a session begins with. Whoever talks with the founder for years is told the intent with how things stand."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.minds.prompt_data import escaped, one_line
from hq.minds.tokens import estimate
from hq.org.agent import Agent
from hq.org.content import first_files, intent_of, words_of
from hq.org.intent import HEADINGS
from hq.org.types import Organisation, Persona

SQL = beside(__file__)
OVERSEES = ("ceo", "operator")
"""Who serves every organisation, and is told how all of it stands."""
WORDS = 500
"""Tokens of a persona's skill, and as many of its experience, that its agent is told: of what it can the beginning, of what it
learned the end."""


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """Where an agent works: the company, its seat, whom that reports and escalates to, and who reports to it."""

    company: str
    founder: str | None
    risk_tolerance: str
    ceo: str | None
    position: UUID | None
    seat: str | None
    persona: UUID | None
    organisation: UUID | None
    organisation_name: str | None
    reports_to: str | None
    reports_to_agent: str | None
    escalates_to: str | None
    escalates_to_agent: str | None
    below: list[str]


async def place_of(tx: Tx, agent: Stored[Agent]) -> PlaceRow:
    """Where an agent works. What it is told of that is in several parts, and this is asked once for all of them."""
    return await tx.the_one(SQL["place"], {"agent": agent.slug}, into=PlaceRow)


async def identity_sections(tx: Tx, agent: Stored[Agent], place: PlaceRow) -> list[tuple[str, str]]:
    """Sections for the agent's system text, each with its name; what is not there is left out."""
    sections = [("identity", "\n".join(_identity(agent, place)))]
    if agent.props.kind not in OVERSEES and (intent := await _intent(tx, place)):
        sections.append(("intent", intent))
    if place.persona and (skill := (await _words(tx, place.persona))[0]):
        sections.append(("skill", f"## What you can\n{_cut(skill)}"))
    return sections


async def seat_sections(tx: Tx, agent: Stored[Agent], place: PlaceRow) -> list[tuple[str, str]]:
    """Where it sits now, whom it reports to and who reports to it; and, to who oversees it all, what its organisation holds to."""
    sections = [("seat", _reports(agent, place))]
    if agent.props.kind in OVERSEES and (intent := await _intent(tx, place)):
        sections.append(("intent", intent))
    return sections


async def experience_section(tx: Tx, place: PlaceRow) -> str:
    """What its persona has learned so far, of which the end is told."""
    learned = (await _words(tx, place.persona))[1] if place.persona else ""
    return f"## What you have learned\n{_cut(learned, end=True)}" if learned else ""


def _identity(agent: Stored[Agent], place: PlaceRow) -> list[str]:
    props = agent.props
    called = f", whom the founder calls {one_line(props.name)}" if props.name.casefold() != agent.slug else ""
    role = one_line(props.role)
    lines = ["# Who you are", "", f"You are **{agent.slug}**{called}: {role} at {one_line(place.company)}."]
    if props.description:
        lines[-1] += f" {one_line(props.description)}"
    if props.kind == "ceo":
        known = place.founder not in (None, "Founder")
        whose = f"The founder is {one_line(place.founder or '')}. Their" if known else "The founder's"
        lines.append(f"{whose} risk tolerance is {place.risk_tolerance}.")
    return lines


def _reports(agent: Stored[Agent], place: PlaceRow) -> str:
    """Upward one word: agents who answer to nobody in the chart answer to the CEO, and the CEO to the founder."""
    if agent.props.kind == "ceo":
        up = "the founder"
    else:
        top = f"{place.ceo}, the CEO" if place.ceo else "the founder"
        up = _seat(place.reports_to, place.reports_to_agent, top)
    told = f"You report to {up}"
    if place.escalates_to and place.escalates_to != place.reports_to:
        told += f", and escalate to {_seat(place.escalates_to, place.escalates_to_agent, up)}"
    if place.seat:
        where = f" of {one_line(place.organisation_name)}" if place.organisation_name else ""
        told = f"Your seat is {one_line(place.seat)}{where}. {told}"
    below = f" To you report: {one_line(', '.join(place.below))}." if place.below else ""
    return f"{told}.{below}"


def _seat(title: str | None, agent: str | None, otherwise: str) -> str:
    if title is None:
        return otherwise
    return one_line(f"{title} ({agent})" if agent else f"{title} (vacant, so {otherwise})")


async def _intent(tx: Tx, place: PlaceRow) -> str:
    if not place.organisation:
        return ""
    known = await tx.get(place.organisation, Organisation)
    intent = (await intent_of(tx, known)).lists
    lines = [
        f"- {title}: {'; '.join(one_line(item).rstrip('.;') for item in items)}."
        for name, title in HEADINGS.items()
        if (items := getattr(intent, name))
    ]
    return "\n".join([f"## What {one_line(known.props.name)} holds to", *lines]) if lines else ""


async def _words(tx: Tx, persona: UUID) -> list[str]:
    """What people wrote of what it can, and what it has learned; a file nobody has written in yet says nothing."""
    known = await tx.get(persona, Persona)
    first, texts = list(first_files(known).values()), await words_of(tx, known)
    return ["" if text.strip() == begin.strip() else _body(text) for text, begin in zip(texts, first, strict=True)]


def _body(text: str) -> str:
    """Without its title, which says the name again."""
    lines = escaped(text).strip().splitlines()
    return "\n".join(lines[1:] if lines and lines[0].startswith("# ") else lines).strip()


def _cut(text: str, *, end: bool = False) -> str:
    lines, kept = text.splitlines(), list[str]()
    for line in reversed(lines) if end else lines:
        if estimate("\n".join([*kept, line])) > WORDS:
            kept.append("…")
            break
        kept.append(line)
    return "\n".join(reversed(kept) if end else kept)
