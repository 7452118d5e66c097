"""The pages: the conversation, the inbox, the work, the agents. Each is one template over what a few verbs answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from starlette.responses import HTMLResponse, Response

from hq.errors import Refused
from hq.missions.life import OPEN, OVER
from hq.web import agents
from hq.web.assets import page, part
from hq.web.inbox import InboxCard, of_conversation, waiting
from hq.web.page_reads import PageReader
from hq.web.stream_html import drawn

LINES = 50
WORK = 100
OPEN_TASKS = ("in_progress", "review", "blocked", "todo")
Asked = Mapping[str, str]
"""What the address said: parts of its path, and what is behind the question mark."""


@dataclass(frozen=True)
class CeoView:
    """The CEO's name, and how it is."""

    name: str
    state: str
    why: str
    unread: int = 0
    """Lines and cards of the conversation that this device has not shown."""
    frozen: bool = False
    """Everything is stopped."""


@dataclass(frozen=True)
class PageFrame:
    """What every page has around it, which is always of now."""

    company: str
    ceo: CeoView
    cards: list[InboxCard]
    total: int
    """How much waits for the founder, whether the page shows it or not."""
    at: str | None
    """The moment the page is of."""
    after: str = ""
    """The place in the conversation behind what the page shows."""
    more: int = 0
    """How many more wait than there are cards."""


@dataclass(frozen=True)
class WorkRow:
    slug: str
    title: str
    priority: str | None
    due: str | None


@dataclass(frozen=True)
class WorkGroup:
    """Missions or tasks of one status."""

    noun: str
    status: str
    rows: list[WorkRow]
    more: str | None
    """Where the rest begins."""


async def chat(reader: PageReader, asked: Asked) -> Response:
    around, (lines, after, earlier) = await asyncio.gather(frame(reader), _lines(reader))
    cards, more = ([], 0) if reader.at else (_beside(around.cards), around.more)
    around = replace(around, cards=cards, more=more, after=after)
    return page("chat.html", here="chat", lines=lines, earlier=earlier, **vars(around))


async def inbox(reader: PageReader, asked: Asked) -> Response:
    around, found = await asyncio.gather(frame(reader), waiting(reader))
    return page("inbox.html", here="inbox", **vars(replace(around, cards=found.cards, more=found.more)))


async def work(reader: PageReader, asked: Asked) -> Response:
    around, groups = await asyncio.gather(frame(reader), _work(reader))
    return page("work.html", here="work", groups=groups, **vars(around))


async def everybody(reader: PageReader, asked: Asked) -> Response:
    around, members = await asyncio.gather(frame(reader), agents.everybody(reader))
    return page("agents.html", here="agents", members=members, **vars(around))


async def agent(reader: PageReader, asked: Asked) -> Response:
    around, found = await asyncio.gather(frame(reader), agents.profile(reader, asked["agent"]))
    return page("agent.html", here="agent", found=found, **vars(around))


async def session(reader: PageReader, asked: Asked) -> Response:
    around, found = await asyncio.gather(frame(reader), agents.session(reader, asked["session"]))
    return page("session.html", here="session", found=found, **vars(around))


async def onboarding(reader: PageReader, asked: Asked) -> Response:
    around, questions = await asyncio.gather(frame(reader), reader.now.read("onboard.show"))
    return page("onboarding.html", here="onboarding", asked=questions, **vars(around))


async def cards_part(reader: PageReader, asked: Asked) -> Response:
    """Only the cards, for a page that is open already."""
    found, ceo = await asyncio.gather(waiting(reader, asked.get("mission")), _ceo(reader))
    shown = _beside(found.cards) if asked.get("here") == "chat" else found.cards
    return HTMLResponse(part("cards.html", cards=shown, ceo=ceo, total=found.total, more=found.more))


async def card_part(reader: PageReader, asked: Asked) -> Response:
    """One card of the conversation, as it stands now."""
    found = await reader.read("card.show", card=asked.get("id", ""))
    return HTMLResponse(part("card.html", card=of_conversation(found)))


async def work_part(reader: PageReader, asked: Asked) -> Response:
    return HTMLResponse(part("groups.html", groups=await _work(reader), at=reader.at))


async def more_work_part(reader: PageReader, asked: Asked) -> Response:
    """The rest of a group that is too long to be shown at once."""
    if asked["noun"] not in ("mission", "task"):
        raise Refused.not_found(f"there is no work of kind {asked['noun'][:60]!r}")
    group = await _group(reader, asked["noun"], asked["status"], asked.get("after"))
    return HTMLResponse(part("work-rows.html", group=group, at=reader.at))


async def lines_part(reader: PageReader, asked: Asked) -> Response:
    """Earlier lines."""
    lines, _, earlier = await _lines(reader, asked.get("before"))
    return HTMLResponse(part("lines.html", lines=lines, earlier=earlier, at=reader.at))


async def agents_part(reader: PageReader, asked: Asked) -> Response:
    return HTMLResponse(part("members.html", members=await agents.everybody(reader), at=reader.at))


async def agent_part(reader: PageReader, asked: Asked) -> Response:
    return HTMLResponse(part("profile.html", found=await agents.profile(reader, asked["agent"]), at=reader.at))


async def sessions_part(reader: PageReader, asked: Asked) -> Response:
    """Earlier sessions of an agent."""
    rows, more = await agents.sessions(reader, asked["agent"], asked.get("after"))
    return HTMLResponse(part("sessions.html", agent=asked["agent"], rows=rows, more=more, at=reader.at))


async def steps_part(reader: PageReader, asked: Asked) -> Response:
    """More of a session: what came since a step, or what was before one."""
    after, before = _step(asked, "after"), _step(asked, "before")
    found = await agents.session(reader, asked["session"], after, before)
    return HTMLResponse(part("steps.html", found=found, at=reader.at))


def _step(asked: Asked, name: str) -> int | None:
    said = asked.get(name)
    if said is not None and not (said.isascii() and said.isdigit() and len(said) < 10):
        raise Refused.invalid(f"{name} is {said[:20]!r}; it takes the number of a step")
    return int(said) if said else None


async def frame(reader: PageReader) -> PageFrame:
    now = reader.now
    company, ceo, found = await asyncio.gather(now.read("tenant.show"), _ceo(now), waiting(now))
    return PageFrame(company["name"], ceo, found.cards, found.total, reader.at, more=found.more)


async def _ceo(now: PageReader) -> CeoView:
    """How the CEO is. A company may have none, and its pages are there all the same."""
    try:
        status = await now.read("chat.status")
    except Refused as error:
        return CeoView("CEO", "stopped", error.message)
    name = str(status["name"])
    shown = name.capitalize() if name.islower() else name
    return CeoView(shown, status["state"], status["why"], status["unread"], status["frozen"])


def _beside(cards: list[InboxCard]) -> list[InboxCard]:
    """What does not stand in the conversation anyway."""
    return [card for card in cards if not card.said]


async def _lines(reader: PageReader, before: str | None = None) -> tuple[list[str], str, str | None]:
    """The lines as HTML, the place behind the last of them, and where earlier ones are."""
    args = {"after": before} if before else {}
    # Before the lines are read, so that none falls in between.
    after = "" if reader.at else (await reader.read("chat.follow"))["after"]
    found = await reader.read("chat.history", limit=LINES, **args)
    return [drawn(line, past=bool(reader.at)) for line in found["items"]], after, found.get("next")


async def _work(reader: PageReader) -> list[WorkGroup]:
    """What is under way, first what moves, then what was done; each group as its title and rows."""
    open_ = [*(("mission", status) for status in OPEN), *(("task", status) for status in OPEN_TASKS)]
    wanted = [*open_, *(("mission", status) for status in OVER), ("task", "done")]
    wanted = [(noun, status) for noun, status in wanted if reader.has(f"{noun}.list")]
    groups = await asyncio.gather(*(_group(reader, noun, status) for noun, status in wanted))
    return [group for group in groups if group.rows]


async def _group(reader: PageReader, noun: str, status: str, after: str | None = None) -> WorkGroup:
    args = {"after": after} if after else {}
    found = await reader.read(f"{noun}.list", status=status, limit=WORK, **args)
    rows = [
        # A mission has a deadline where a task is due.
        WorkRow(each["slug"], each["title"], each.get("priority"), each.get("due") or each.get("deadline"))
        for each in found["items"]
    ]
    return WorkGroup(noun, status, rows, found.get("next"))
