"""Company now: how things stand at this moment, in few words, for the mind that is asked next.

It is told last, behind everything that a provider keeps, made anew for each wake, and never becomes a part of the
conversation. It is found in three trips, says nothing that is empty, and keeps to a fixed number of tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from uuid import UUID

from hq.asks.faces import DrawnAsk, draw
from hq.asks.kinds import NO, YES
from hq.asks.open_asks import waiting
from hq.context.rows import ColleagueNow, CompanyNowRow, EndedMission, LimitNow, VacantSeat
from hq.database.queries import beside
from hq.door.actor import HOUSE_ACTOR
from hq.door.caller import FOUNDER
from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.guard.forecast import without_price
from hq.memory.confidence import company_memory, curated_memory
from hq.minds.prompt_data import one_line, quoted
from hq.minds.tokens import estimate
from hq.money import money
from hq.org.agent import Agent
from hq.org.prompt import OVERSEES, PlaceRow, seat_sections
from hq.terminal.width import shortened

SQL = beside(__file__, "company_now.sql")
TOKENS = 900
"""How much of it there is at most, what is remembered aside."""
NAME, LABEL, REASON = 80, 40, 120
"""Characters of a title, of a way to answer, and of why something is so."""
FINDINGS = 5
"""Of what agents found, how much is told at once."""
RECENT = timedelta(days=1)
TAG = "company-now"
Sections = list[tuple[str, str]]


async def now_sections(
    tx: Tx, agent: Stored[Agent], place: PlaceRow, *, mission: UUID | None = None, about: str | None = None
) -> Sections:
    """Each part with its name, in the order in which it is cut where it is too much."""
    oversees = agent.props.kind in OVERSEES
    values = {
        "agent": agent.slug,
        "all": oversees,
        "mission": mission,
        "now": tx.now,
        "since": tx.now - RECENT,
        "places": _places(agent, place),
    }
    row = await tx.the_one(SQL["company_now"], values, into=CompanyNowRow)
    tx.taint |= {mark for each in (*row.missions, *row.ended) for mark in each["taint"]}
    found = [
        ("time", f"It is {spelt(tx.now)}."),
        *await seat_sections(tx, agent, place),
        *(await _asks(tx, agent) if row.asks else []),
        *_listed("missions", _missions_title(oversees), _missions(row, tx.now), row.open_missions, ": `mission_list`"),
        *_listed("staff", "Staff:", map(_colleague, row.staff)),
        *(
            [("vacant", f"Vacant seats, by position_id; a hire with that title takes it: {_vacancies(row.vacant)}.")]
            if row.vacant
            else []
        ),
        *_listed("money", "Left to spend:", _limits(row.limits, await _unpriced(tx, agent, row))),
        *_listed("ended", "Ended in the last day:", map(_ended, row.ended)),
        *(_findings(row) if agent.props.kind == "ceo" else []),
    ]
    found = _within(found, TOKENS)
    # What the company knows the CEO and the operator are told; an agent what was chosen for it, beside its own notes.
    if oversees and (known := await company_memory(tx, about)):
        found.append(("memories", f"What the company knows that may bear on this:\n{known}"))
    elif not oversees and (known := await curated_memory(tx, row.curated)):
        found.append(("memories", f"Chosen for you of what the company knows:\n{known}"))
    return found


def _places(agent: Stored[Agent], place: PlaceRow) -> list[UUID]:
    """For whom something may have been chosen that this agent is to know: itself, its persona, its seat, its organisation."""
    return [each for each in (agent.id, place.persona, place.position, place.organisation) if each]


def _findings(row: CompanyNowRow) -> Sections:
    """What agents found and nobody looked at; of what outside words led to only that it is there: nobody reads it unasked."""
    plain = [each for each in row.findings if not each["taint"]]
    where = ": `hq memory review`"
    title = "Agents found, and it waits for your look (`memory confirm`, or `memory reject`):"
    lines = [f"{each['slug']} ({each['source']}): {quoted(each['content'][:REASON])}" for each in plain[:FINDINGS]]
    if not lines and row.pending:
        return [("findings", f"{row.pending} of what agents found waits for a look{where}")]
    return _listed("findings", title, lines, row.pending, where)


def block(sections: Iterable[tuple[str, str]], hint: str = "") -> str:
    """As the mind gets it, marked off from what anybody says."""
    told = "\n".join([*(text for _, text in sections), *([hint] if hint else [])])
    return f"<{TAG}>\nFor your information; nobody said this, and nothing here is to be answered.\n{told}\n</{TAG}>"


def spelt(moment: datetime) -> str:
    return f"{moment:%A} {moment:%Y-%m-%d %H:%M} UTC"


def _within(sections: Sections, tokens: int) -> Sections:
    """The first ones whole, and of the one that does not fit as many lines as do."""
    kept: Sections = []
    for name, text in sections:
        lines = text.splitlines()
        while lines and estimate("\n".join(lines)) > tokens:
            lines.pop()
        if len(lines) > 1 or len(lines) == len(text.splitlines()):
            kept.append((name, "\n".join(lines)))
            tokens -= estimate(kept[-1][1])
    return kept


def _listed(name: str, title: str, lines: Iterable[str], many: int = 0, where: str = "") -> Sections:
    shown = [f"- {one_line(line)}" for line in lines]
    if not shown:
        return []
    more = [f"- and {many - len(shown)} more{where}"] if many > len(shown) else []
    return [(name, "\n".join([title, *shown, *more]))]


# ---- what waits for somebody's word


async def _asks(tx: Tx, agent: Stored[Agent]) -> Sections:
    """What waits: for the founder, where the agent talks with them; for the agent itself; and what it asked."""
    actor, chief = f"agent:{agent.slug}", agent.props.kind == "ceo"
    own = await waiting(tx, actor)  # by its seat too
    mine = {each.id for each in own}
    others = [each for each in await waiting(tx, None) if each.id not in mine]
    asks = [(each, draw(tx, each)) for each in (*own, *others)]
    parts = [
        ("waits for you", "Waits for your word:", [drawn for ask, drawn in asks if ask.id in mine]),
        ("waits for the founder", "Waits for the founder's word:",
         [drawn for ask, drawn in asks if chief and ask.id not in mine and ask.waits_for(FOUNDER)]),
        ("you asked", "You asked, and nobody has answered yet:",
         [drawn for ask, drawn in asks if not chief and ask.agent == agent.slug]),
    ]  # fmt: skip
    tx.taint |= {mark for _, _, drawn in parts for each in drawn for mark in each["taint"]}
    return [
        section
        for name, title, drawn in parts
        for section in _listed(name, title, map(_ask, drawn[:8]), len(drawn), ": `ask_list`" if chief else "")
    ]


def _ask(ask: DrawnAsk) -> str:
    """What is asked, who may answer it, and the ways to."""
    ways = [f"{each['key']} = {quoted(each['label'][:LABEL])}" for each in ask["options"]]
    if ask["takes_text"]:
        ways.append("or in words")
    if not ask["permission"]:
        sort = "a question"
    elif {each["key"] for each in ask["options"]} <= {YES, NO}:
        sort = "a permission"
    else:
        sort = "a choice that acts, so only the founder makes it"
    asker = ask.get("from")
    by = ", which the house noticed" if asker == HOUSE_ACTOR else f", asked by {asker}" if asker else ""
    on = f", for {mission}" if (mission := ask.get("mission")) else ""
    return f"{ask['slug']}: {quoted(ask['title'][:REASON])} ({sort}{by}{on}; {'; '.join(ways)})"


# ---- work, people, money


def _missions_title(oversees: bool) -> str:
    return "Missions:" if oversees else "Your missions:"


def _missions(row: CompanyNowRow, now: datetime) -> Iterator[str]:
    for each in row.missions:
        told = [each["status"], _with_whom(each["agent"], each["part_agents"])]
        if each["parts"]:
            told.append(f"{each['done']} of {each['parts']} parts done")
        if each["deadline"]:
            due = datetime.fromisoformat(each["deadline"])
            told.append(f"overdue by {span(now - due)}" if due < now else f"due in {span(due - now)}")
        if each["countered"]:
            told.append("its agent asks for other terms")
        if each["status"] == "review":
            told.append("handed in, and wants a sign-off")
        elif not each["moves"] and each["agent"] and each["stopped"] and each["in_hand"]:
            told.append(f"nobody works on it; the last session ended: {quoted(shortened(each['stopped'], REASON))}")
        elif each["why"] and not each["in_hand"]:  # what once was in the way is not any more
            told.append(f"because {quoted(shortened(each['why'], REASON))}")
        yield f"{each['slug']} {quoted(each['title'][:NAME])}: {', '.join(told)}"


def _with_whom(agent: str | None, of_parts: list[str] | None) -> str:
    """Of a whole that nobody has itself, who has its parts."""
    if agent:
        return f"with {agent}"
    return f"its parts with {', '.join(of_parts)}" if of_parts else "with nobody"


def _colleague(each: ColleagueNow) -> str:
    """What it does now: what it has in hand and does not work on is no work."""
    mission, state = each["mission"], each["state"]
    if each["status"] != "active":
        does = each["status"]
    elif state is None:
        does = f"has {mission}, and is not at work on it" if mission else "free"
    else:
        does = (f"on {mission}" if mission else "at work") + (", waiting" if state == "waiting" else "")
    return f"{each['slug']} ({each['role'][:NAME]}): {does}"


def _vacancies(seats: Iterable[VacantSeat]) -> str:
    return one_line(
        ", ".join(f"{each['number']} {each['title'][:NAME]} ({each['organisation'][:NAME]})" for each in seats)
    )


def _ended(each: EndedMission) -> str:
    says = f": {quoted(shortened(each['says'], REASON))}" if each["says"] else ""
    return f"{each['slug']} {quoted(each['title'][:NAME])} {each['status']}{says}"


async def _unpriced(tx: Tx, agent: Stored[Agent], row: CompanyNowRow) -> str | None:
    """The agent's model, where a limit in money does not hold it."""
    in_money = any(each["usd_hard"] is not None for each in row.limits)
    return await without_price(tx, agent.props.model) if in_money else None


def _limits(limits: Iterable[LimitNow], unpriced: str | None) -> Iterator[str]:
    for each in limits:
        kind, _, name = each["scope"].partition(":")
        whose = {
            "tenant": "the company",
            "mission": "this mission",
            "seat": "your seat",
            "unit": "your organisation",
        }.get(kind, name)
        when = "today" if each["period"] == "day" else "in all"
        if each["usd_hard"] is not None and unpriced:
            used = f"{each['tokens']:,.0f} tokens used"
            yield f"{whose}: {money(each['usd_hard'])} {when} does not hold {unpriced}, which has no known price; {used}"
        elif each["usd_hard"] is not None:
            yield f"{whose}: {money(max(0, each['usd_hard'] - each['usd']))} of {money(each['usd_hard'])} {when}"
        if each["tokens_hard"] is not None:
            yield f"{whose}: {max(0, each['tokens_hard'] - each['tokens']):,.0f} of {each['tokens_hard']:,.0f} tokens {when}"


def span(time: timedelta) -> str:
    minutes = int(time.total_seconds() // 60)
    if minutes < 60:
        return f"{max(1, minutes)} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // 1440} days"
