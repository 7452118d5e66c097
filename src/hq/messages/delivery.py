"""Delivery of messages: what waited for a seat goes to whoever sits there now, what nobody took wakes its agent, what
was left too long goes further up, and a question whose session ended is answered with what that said last."""

from __future__ import annotations

from typing import LiteralString
from uuid import UUID

from pydantic import Field

from hq.agents.wakeup import WakeChain
from hq.asks.types import Question
from hq.database.queries import beside
from hq.door.access import HOUSE
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.engine.sessions.life import LIVE
from hq.graph.records import Stored
from hq.jobs.job import Every, Job, JobResult, Topic, found_by
from hq.jobs.run import JobRun
from hq.memory.discretion import founder_decides
from hq.messages.addresses import FOUNDER, To, above
from hq.messages.answers import keep_answer, send_answer, settle
from hq.messages.post import WorkHook, join, trigger
from hq.messages.questions import ask_founder, question_of
from hq.messages.rows import MailDueRow, MessageRow, WaitingMailRow
from hq.sessions.session_start import working_agent

SQL = beside(__file__)
WAYS: dict[LiteralString, str] = {
    SQL["left_open"]: "message.conclude",
    SQL["overdue"]: "message.expire",
    SQL["seated"]: "message.deliver",
    SQL["waiting_agents"]: "message.deliver",
    SQL["unasked"]: "message.ask_founder",
}
"""What is looked for, in this order, and what is then called with each row that is found."""
HELD = 5.0
"""Seconds until mail that lies there is looked at again: that a session ends up without a turn for it is not announced."""


class MessageDeliverArgs(Args):
    """To whom."""

    agent: str = Field(max_length=200)
    """The agent."""
    message: UUID | None = None
    """Mail of its seat, from before it sat there."""


class Delivered(Result):
    message: str | None = None
    state: str | None = None
    session: str | None = None


@verb("message.deliver", "write", for_=HOUSE, internal=True)
async def deliver(tx: Tx, args: MessageDeliverArgs) -> Delivered:
    """Give an agent the mail of its seat, and wake it with its mail where nothing else would."""
    agent = await working_agent(tx, args.agent)
    if args.message:
        row = await _still(tx, args.message, "queued")
        if row is None:
            return Delivered()
        await _move(tx, row, "queued", To(agent.slug, row.seat))
    oldest = await tx.scalar(SQL["oldest"], {"recipient": f"agent:{agent.slug}"}, of=UUID)
    row = await _still(tx, oldest, "queued") if oldest else None
    if row is None or await join(tx, agent.slug, await tx.use(WorkHook).meant(tx, agent.slug, row.body)):
        return Delivered()
    tx.taint |= set(row.taint)
    told = trigger(row.kind, row.body, row.sender, row.id, WakeChain(row.hops, row.root))
    session = await tx.use(WorkHook).open(tx, agent.slug, told)
    await _move(tx, row, "delivered", To(agent.slug, row.seat), session)
    return Delivered(message=str(row.id), state="delivered", session=str(session))


class MessageRefArgs(Args):
    """Which message."""

    message: UUID
    """Its id."""


@verb("message.expire", "write", for_=HOUSE, internal=True)
async def expire(tx: Tx, args: MessageRefArgs) -> Delivered:
    """The time of a message is up: from an empty seat it goes further up, from anywhere else it is given up."""
    row = await _still(tx, args.message, "queued", "delivered", "read")
    if row is None or row.deadline is None or row.deadline > tx.now:
        return Delivered()
    if row.state == "queued" and row.recipient is None:
        to = await above(tx, row.seat, "escalates_to") or To(founder=True)
        await _move(tx, row, "delivered" if to.founder else "queued", to)
        if to.founder and row.kind == "question":
            await ask_founder(tx, row.id, row.body, row.sender)
        tx.emit("message.escalated", message=str(row.id), to=to.actor, kind=row.kind)
        return Delivered(message=str(row.id), state="queued")
    if await _choice(tx, row) is not None:
        return await _to_founder(tx, row)
    if row.sender_session is None and row.session_state in LIVE:
        # A person's own time is up, but the agent is at it: the answer comes late, and is there when they look.
        await tx.conn.execute(SQL["no_deadline"], {"id": row.id})
        return Delivered(message=str(row.id), state=row.state)
    await settle(tx, row, "expired")
    return Delivered(message=str(row.id), state="expired")


@verb("message.conclude", "write", for_=HOUSE, internal=True)
async def conclude(tx: Tx, args: MessageRefArgs) -> Delivered:
    """A session is over, or took a question up and waits on, and left it open. Opened or woken for it, its last words are the
    answer; else it is asked anew."""
    row = await _still(tx, args.message, "delivered", "read")
    if row is None or (row.session_state in LIVE and not row.aside):
        return Delivered()
    if not row.woke and not row.aside:
        await _move(tx, row, "queued", To((row.recipient or "").removeprefix("agent:"), row.seat))
        return Delivered(message=str(row.id), state="queued")
    choice = await _choice(tx, row)
    said = (row.session_text or "").strip() if row.session_state == "done" or row.aside else ""
    if choice is not None and (not said or founder_decides(tx, choice.props.risk, choice.taint, known=False)):
        return await _to_founder(tx, row)  # an answer in passing rests on nothing
    if said:
        if choice is not None:
            await keep_answer(tx, choice, said[:20_000], row.recipient or "")
        await send_answer(tx, row, said[:20_000], by=row.recipient)
        return Delivered(message=str(row.id), state="answered")
    await settle(tx, row, "expired")
    return Delivered(message=str(row.id), state="expired")


@verb("message.ask_founder", "write", for_=HOUSE, internal=True)
async def ask_founder_(tx: Tx, args: MessageRefArgs) -> Delivered:
    """Lay a question before the founder that came to nobody else, as an older hq left it."""
    row = await _still(tx, args.message, "queued", "delivered", "read")
    if row is None or row.recipient != FOUNDER or await ask_founder(tx, row.id, row.body, row.sender) is None:
        return Delivered()
    return Delivered(message=str(row.id), state=row.state)


async def _choice(tx: Tx, row: MessageRow) -> Stored[Question] | None:
    """The ask behind a question with answers to choose from, while an agent is to decide it."""
    asked = await question_of(tx, row.id) if row.recipient != FOUNDER else None
    return asked if asked is not None and asked.props.stands == "open" else None


async def _to_founder(tx: Tx, row: MessageRow) -> Delivered:
    """What nobody below decided is the founder's to decide; who asked goes on waiting."""
    await _move(tx, row, "delivered", To(founder=True))
    await ask_founder(tx, row.id, row.body, row.sender)
    tx.emit("message.escalated", message=str(row.id), to=FOUNDER, kind=row.kind)
    return Delivered(message=str(row.id), state="delivered")


async def _still(tx: Tx, id: UUID, *states: str) -> MessageRow | None:
    """The message, if it is still where it was seen; nobody else moves it meanwhile."""
    held = await tx.scalar(SQL["lock_message"], {"id": id}, of=str)
    return await tx.one(SQL["message"], {"id": id}, into=MessageRow) if held and held in states else None


async def _move(tx: Tx, row: MessageRow, state: str, to: To, session: UUID | None = None) -> None:
    moved = to.actor != row.recipient
    later = tx.now + row.patience if row.patience and moved and not to.founder else None
    await tx.conn.execute(
        SQL["move"],
        {
            "id": row.id,
            "state": state,
            "recipient": to.actor,
            "seat": to.seat,
            "session": session,
            "step": None,
            "deadline": later if moved else row.deadline,
            "now": tx.now,
        },
    )


async def deliver_mail(run: JobRun) -> JobResult | None:
    moved = 0
    for query, does in WAYS.items():
        for row in await run.rows(query, {"now": run.now}, into=WaitingMailRow):
            named = {"message": row.message, "agent": row.agent}
            outcome = await run.call(does, {name: str(of) for name, of in named.items() if of is not None})
            moved += bool(outcome.ok and outcome.data.get("message"))
    run.again = HELD
    return JobResult(f"moved {moved} message{'s' if moved > 1 else ''}", moved) if moved else None


VERBS = (deliver, expire, conclude, ask_founder_)
JOBS = (
    Job(
        name="mail",
        says="delivers what waited for a seat, wakes agents for their mail, moves what waits too long further up",
        on=(Topic("*"), Every(60)),
        due=found_by("select * from ops.mail_due(%(now)s)", into=MailDueRow),
        work=deliver_mail,
    ),
)
