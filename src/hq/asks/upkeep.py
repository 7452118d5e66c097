"""Asks by the clock: who is asked is reminded, then told that it is urgent; then it is over. What nobody needs any more is taken
back by itself, and an answer that was lost on its way is asked for again. When is in functions.sql (`ops.asks_due`)."""

from __future__ import annotations

from hq.asks.answer import WhichAsk, found
from hq.asks.follow_up import reopen
from hq.asks.rows import AskDueRow
from hq.asks.types import Approval
from hq.asks.withdrawal import expire, withdraw
from hq.database.queries import beside
from hq.door.access import HOUSE
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import verb
from hq.errors import Refused
from hq.jobs.job import Every, Job, JobResult, Topic, found_by
from hq.jobs.run import JobRun

SQL = beside(__file__)
UNANSWERED = "nobody decided; go on without it, or ask again"


@verb("ask.remind", "write", for_=HOUSE, internal=True, target="ask")
async def remind(tx: Tx, args: WhichAsk) -> Row:
    """Remind who is asked of what waits."""
    return await _reminded(tx, args, "nudged")


@verb("ask.urge", "write", for_=HOUSE, internal=True, target="ask")
async def urge(tx: Tx, args: WhichAsk) -> Row:
    """Tell who is asked that it is urgent."""
    return await _reminded(tx, args, "escalated")


async def _reminded(tx: Tx, args: WhichAsk, became: str) -> Row:
    tx.target = ask = await found(tx, args.ask)
    if ask.props.stands != "open":
        raise Refused.conflict(f"{ask.slug} is already {ask.status}")
    await tx.conn.execute(SQL["reminded"], {"ask": ask.id, "now": tx.now, "urgent": became == "escalated"})
    asker = await tx.scalar(SQL["asked_by"], {"id": ask.id}, of=str)
    what = ask.props.verb if isinstance(ask.props, Approval) else ask.title
    says = getattr(ask.props, ask.props.says_field) if ask.props.says_field else None
    hours = int((tx.now - ask.created_at).total_seconds() // 3600)
    tx.emit(f"{ask.type}.{became}", id=str(ask.id), slug=ask.slug, verb=what, by=asker, why=says, hours=hours)
    return row(ask)


@verb("ask.expire", "write", for_=HOUSE, internal=True, target="ask")
async def expire_(tx: Tx, args: WhichAsk) -> Row:
    """End an ask whose time is over; whoever waits for it goes on."""
    ask = await found(tx, args.ask)
    if ask.props.until is None or ask.props.until > tx.now:
        raise Refused.conflict(f"{ask.slug} can still be answered")
    return row(await expire(tx, ask, UNANSWERED))


@verb("ask.release", "write", for_=HOUSE, internal=True, target="ask")
async def release(tx: Tx, args: WhichAsk) -> Row:
    """Take an ask back whose asker is gone, or whose subject has moved on."""
    ask = await found(tx, args.ask)
    why = await tx.scalar(SQL["unwanted"], {"id": ask.id, "now": tx.now}, of=str)
    if why is None:
        raise Refused.conflict(f"{ask.slug} is still wanted")
    return row(await withdraw(tx, ask, why))


DOES = {"nudged": remind, "escalated": urge, "expired": expire_, "withdrawn": release, "unfinished": reopen}


async def tend_ask(run: JobRun) -> JobResult | None:
    """One call for each thing that is due."""
    if not isinstance(due := run.found.facts, AskDueRow):
        return None
    outcome = await run.call(DOES[due.what].name, {"ask": str(due.id)})
    return JobResult(f"{due.what}: {due.slug}") if outcome.ok else None


VERBS = (remind, urge, expire_, release)
JOBS = (
    Job(
        name="asks",
        says="reminds of what waits, ends what nobody answered, takes back what nobody needs any more",
        on=(Topic("*", pause=0.5), Every(30)),
        due=found_by("select a.*, a.what || ':' || a.slug as item from ops.asks_due(%(now)s) a", into=AskDueRow),
        work=tend_ask,
    ),
)
