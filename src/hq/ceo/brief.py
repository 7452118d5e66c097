"""`hq ceo brief`: what changed since you left, in plain words. In the morning and once a week it comes by itself.

All of it is read from the record; no model is asked, and where nothing happened nothing is said.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import groupby
from typing import Literal, TypedDict

from pydantic import Field

from hq.ceo.actions import SendCard
from hq.ceo.card_parts import Button, CardFact
from hq.ceo.rows import BriefItemRow, SpentRow
from hq.database.queries import beside
from hq.door.access import HOUSE, OVERSEERS
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Args, MomentText, Result, verb
from hq.door.verbs.credentials import ensure_principal
from hq.graph.moment import parse_moment
from hq.jobs.job import Cron, Job, JobResult
from hq.jobs.run import JobFailed, JobRun
from hq.json_types import CallArgs
from hq.money import spent_text
from hq.org.agent import Agent
from hq.org.ceo_agent import ceo
from hq.schedules.verbs import active, starts_of
from hq.terminal.width import shortened

SQL = beside(__file__)
A_DAY = timedelta(days=1)
AWAY = timedelta(minutes=30)
"""Whoever does nothing for so long has left; what comes after is another visit."""
SAYS = 299
"""Characters of what is said of one thing; the query gives one more."""
NEWS = ("done", "failed", "called off", "taken back", "went wrong", "decided", "learned")
"""What happened, as against what is so."""


class CeoBriefArgs(Args):
    """Since when."""

    since: MomentText | None = None
    """A date, a time, or 7d for the last seven days; left out, since you were last here before this visit."""


class BriefItem(TypedDict):
    """A line of a brief."""

    slug: str
    title: str
    says: str | None


class BriefSection(TypedDict):
    """A section of a brief."""

    section: str
    items: list[BriefItem]


class CeoBrief(Result):
    since: str
    text: str
    """All of it, to be read."""
    news: int
    """How much happened; nothing means that only what is open is said."""
    sections: AsJson[list[BriefSection]] = Field(default_factory=list)
    spent: str


@verb(
    "ceo.brief",
    "read",
    for_=OVERSEERS,
    past=False,
    alias="catch-up",
    examples=[{}, {"since": "7d"}],
    text="hq.ceo.ceo_text:brief",
)
async def brief(tx: Tx, args: CeoBriefArgs) -> CeoBrief:
    """What changed since you left: what was done, what failed, what waits for you, what it cost, what comes next."""
    if args.since:
        since = parse_moment(args.since, tx.now)
    else:
        last = await tx.scalar(SQL["last_here"], {"seq": tx.seq, "now": tx.now, "away": AWAY}, of=datetime)
        since = last or tx.now - A_DAY
    return await brief_since(tx, since)


async def brief_since(tx: Tx, since: datetime) -> CeoBrief:
    rows = await tx.rows(SQL["brief"], {"since": since, "now": tx.now}, into=BriefItemRow)
    tx.taint |= {mark for row in rows for mark in row.taint}
    sections: list[BriefSection] = [
        {"section": name, "items": [{"slug": row.slug, "title": row.title, "says": _short(row.says)} for row in group]}
        for name, group in groupby(rows, key=lambda row: row.section)
    ]
    if coming := await _coming(tx):
        sections.append({"section": "comes next", "items": coming})
    cost = await tx.the_one(SQL["spent"], {"since": since}, into=SpentRow)
    spent = spent_text(
        cost.usd,
        int(cost.tokens),
        cached=int(cost.cached),
        unpriced=int(cost.unpriced),
        estimated=int(cost.estimated),
    )
    return CeoBrief(
        since=since.isoformat(),
        text=_text(sections, spent),
        news=sum(len(each["items"]) for each in sections if each["section"] in NEWS),
        sections=sections,
        spent=spent,
    )


async def _coming(tx: Tx) -> list[BriefItem]:
    """What is scheduled within a day."""
    found = [(at, each) for each in await active(tx) for at in starts_of(each.props, tx.now, 1) if at <= tx.now + A_DAY]
    found.sort(key=lambda start: start[0].isoformat())
    return [{"slug": each.slug, "title": each.props.name, "says": at.isoformat()} for at, each in found[:10]]


def _text(sections: list[BriefSection], spent: str) -> str:
    lines: list[str] = []
    for each in sections:
        lines.append(f"**{each['section'].capitalize()}**\n")
        lines += [_line(item["title"], item["says"]) for item in each["items"]]
        lines.append("")
    return "\n".join([*lines, f"Spent: {spent}."]) if lines else f"Nothing happened. Spent: {spent}."


def _short(says: str | None) -> str | None:
    return shortened(says, SAYS) if says else says


def _line(title: str, says: str | None) -> str:
    """What is remembered is a whole sentence, and goes on after its full stop."""
    return f"- {title.removesuffix('.')}: {says}" if says else f"- {title}"


Period = Literal["day", "week"]


class CeoBriefCardArgs(Args):
    """Which brief."""

    period: Period
    """The morning's, or the week's."""
    since: MomentText
    """When the last one was."""


class BriefCardSent(Result):
    news: int
    agent: str | None = None
    """Who puts it there."""
    card: CallArgs | None = None
    """What is to be put before the founder, as arguments of `card.send`; nothing where nothing happened."""


@verb("ceo.brief_card", "write", for_=HOUSE, internal=True)
async def brief_card(tx: Tx, args: CeoBriefCardArgs) -> BriefCardSent:
    """The morning brief or the weekly digest as a card, where there is anything to say."""
    agent = await ceo(tx)
    if await tx.look_up(agent, Agent) is None:
        return BriefCardSent(news=0)
    await ensure_principal(tx, "agent", agent)
    found = await brief_since(tx, parse_moment(args.since, tx.now))
    if not found.news:
        return BriefCardSent(news=0)
    card = SendCard(
        kind="report",
        title="Good morning: this happened since the last brief" if args.period == "day" else "The week, in short",
        text=found.text[:8000],
        facts=[CardFact(name="spent", value=found.spent)],
        buttons=[Button(key="ok", label="Thanks")],
    )
    return BriefCardSent(news=found.news, agent=agent, card=card.call[1])


async def _put_before_founder(run: JobRun, period: Period) -> JobResult | None:
    """Where anything happened since the last one; asked for before there was any, since a day or a week ago."""
    since = run.last_at or run.now - (A_DAY if period == "day" else 7 * A_DAY)
    found = await run.call("ceo.brief_card", {"period": period, "since": since.isoformat()})
    if not found.ok:
        raise JobFailed((found.error or {}).get("message", "it could not be written"))
    if not found.data.get("card"):
        return None
    how = {"agent": found.data["agent"], "taint": found.taint}
    sent = await run.call("card.send", found.data["card"], run.key, **how)
    if not sent.ok:
        raise JobFailed((sent.error or {}).get("message", "it could not be sent"))
    return JobResult("brief sent")


async def brief_founder(run: JobRun) -> JobResult | None:
    return await _put_before_founder(run, "day")


async def digest_week(run: JobRun) -> JobResult | None:
    return await _put_before_founder(run, "week")


VERBS = (brief, brief_card)
JOBS = (
    Job(
        name="morning-brief",
        says="puts what happened before the founder at 07:00",
        on=(Cron("0 7 * * *"),),
        work=brief_founder,
    ),
    Job(
        name="weekly-digest",
        says="sums the week up on Mondays at 07:30",
        on=(Cron("30 7 * * 1"),),
        work=digest_week,
    ),
)
