"""The founder's one thread with an agent: never begun anew, continued by every message, whatever restarts (001 §6.1)."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from pydantic import Field

from hq.asks.word import NOTHING_SHOWN, HouseWord, ShownPlace, heard, keep_list
from hq.database.queries import beside
from hq.door.access import STAFF, Touch, within_organisation
from hq.door.actor import HOUSE_ACTOR
from hq.door.caller import FOUNDER
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, verb
from hq.engine.sessions.steps import RunRequest
from hq.engine.sessions.trigger import SessionTrigger
from hq.errors import Refused
from hq.graph.records import Stored
from hq.ids import new_id
from hq.org.agent import Agent
from hq.org.ceo_agent import ceo
from hq.sessions.handoff.phrases import asks_for_handoff
from hq.sessions.handoff.verbs import by_phrase
from hq.sessions.inbound import tell_session
from hq.sessions.rows import ThreadRow
from hq.sessions.session_start import listening_agent, open_session, working_agent
from hq.sessions.undo_word import asks_for_undo, undone_by_word

SQL = beside(__file__)


class ThreadRefArgs(Args):
    """With whom."""

    agent: Ref | None = None
    """The agent at the other end; the CEO unless said otherwise."""


class ThreadSayArgs(ThreadRefArgs):
    """What to say, and to whom."""

    text: str = Field(min_length=1, max_length=20_000)
    """The message."""


class Thread(Result):
    id: str
    """The message itself."""
    session: str
    """The session that the thread is; `hq session tail` follows it."""
    agent: str
    state: str
    """What it was doing: queued, running, waiting, or new."""
    handoff: str | None = None
    """The handoff that was asked for in words; `hq handoff show` follows it."""
    house: str | None = None
    """What the house says to it."""
    undecided: list[str] = Field(default_factory=list)
    """What it may have been meant for, where that is not certain."""


@verb(
    "thread.say",
    "write",
    for_=STAFF,
    touches=(within_organisation("agent"), Touch("agent", "agent_or_ceo", agent="tenant", not_own=True)),
    of_people="founder",
    internal=True,
    emits="thread.said",
)
async def say(tx: Tx, args: ThreadSayArgs) -> Thread:
    """Say something in the thread with an agent. It goes on where it was; only where there is none one is begun."""
    return await speak(tx, args.agent or await ceo(tx), args.text)


async def speak(
    tx: Tx,
    to: str,
    text: str,
    run: RunRequest | None = None,
    *,
    reply_to: str | None = None,
    own_words: bool = True,
    shown: ShownPlace = NOTHING_SHOWN,
    took: HouseWord | None = None,
) -> Thread:
    """What a person says that answers what waits is the answer, and the agent is told so. Words that are not the person's own ask for nothing and answer nothing;
    `took` is what the house made of them already."""
    # A person's word is always kept, and may be the very yes that lets who stands at a limit go on.
    waits = tx.caller.in_person and (run is None or run.mention is not None)
    agent = await (listening_agent if waits else working_agent)(tx, to)
    if (
        own_words
        and tx.caller.in_person
        and not run
        and asks_for_handoff(text)
        and (handed := await by_phrase(tx, agent))
    ):
        return Thread(
            id=handed.session, session=handed.session, agent=agent.slug, state="handing off", handoff=handed.handoff
        )
    name = thread_name(tx, agent.slug)
    known = await tx.one(SQL["thread"], {"name": name}, into=ThreadRow)
    thread = known.id if known else None
    note = await _taken(tx, agent.slug, text, thread, reply_to, shown) if own_words else None
    note = HouseNote(took, frozenset()) if took else note
    told = {"house": note.word.text, "undecided": list(note.word.undecided)} if note else {}
    if known:
        id = new_id()
        kind = "answer" if note and note.word.is_house_matter else "command"
        was = await tell_session(tx, known.id, agent.slug, text, kind, id=id, run=run)
        if was is not None:
            await _note(tx, known.id, agent.slug, note)
            return Thread(id=str(id), session=str(known.id), agent=agent.slug, state=was, **told)
    trigger = SessionTrigger(text=text, sender=tx.caller.actor, runs=[run] if run else [])
    session = await open_session(tx, agent.slug, "dm", trigger, kind="thread")
    await tx.conn.execute(SQL["name_thread"], {"id": session, "name": name})
    await _note(tx, session, agent.slug, note)
    return Thread(id=str(session), session=str(session), agent=agent.slug, state="new", **told)


@dataclass(frozen=True)
class HouseNote:
    """What the house adds to what was said, with the marks of what it speaks of; the words of the person have none of these."""

    word: HouseWord
    taint: frozenset[str]


async def _taken(
    tx: Tx, agent: str, text: str, thread: UUID | None, reply_to: str | None, shown: ShownPlace
) -> HouseNote | None:
    """What a person says to the CEO may be the answer to what waits."""
    if not tx.caller.in_person or agent != await ceo(tx):
        return None
    with tx.looking():
        told = await heard(tx, text, thread, reply_to, shown)
        if told is None and asks_for_undo(text):
            told = await undone_by_word(tx, thread, text)
        return HouseNote(told, frozenset(tx.taint)) if told else None


async def _note(tx: Tx, session: UUID, agent: str, note: HouseNote | None) -> None:
    if note is not None:
        tx.taint |= note.taint
        id = new_id()
        await tell_session(tx, session, agent, note.word.text, kind="fyi", id=id, by=HOUSE_ACTOR)
        await keep_list(tx, id, note.word)


@verb("thread.show", "read", for_=STAFF, internal=True, past=False)
async def show(tx: Tx, args: ThreadRefArgs) -> Thread:
    """The thread with an agent: which session it is and what it is doing."""
    agent = args.agent or await ceo(tx)
    known = await tx.one(SQL["thread"], {"name": thread_name(tx, agent)}, into=ThreadRow)
    if known is None:
        raise Refused.not_found(f"there is no thread with {agent} yet; say something first")
    return Thread(id=str(known.id), session=str(known.id), agent=known.agent, state=known.state)


async def founders_thread(tx: Tx, agent: Stored[Agent]) -> UUID | None:
    """The conversation that the founder has with the CEO; with others there is none to report in."""
    if agent.props.kind != "ceo":
        return None
    known = await tx.one(SQL["thread"], {"name": f"thread:{FOUNDER}:{agent.slug}"}, into=ThreadRow)
    return known.id if known else None


def thread_name(tx: Tx, agent: str) -> str:
    """The founder is the same person on every device, and what an agent calls its own thread is the one with the founder."""
    me = tx.caller.speaks_as if tx.caller.in_person else tx.caller.actor
    return f"thread:{FOUNDER if me == f'agent:{agent}' else me}:{agent}"


VERBS = (say, show)
