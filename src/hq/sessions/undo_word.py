"""Undo by a word: `undo that` in the conversation takes back what the founder's own word did last, where that is certain.

The house reads it, never a mind, and the call is the founder's own. What is not certain is only told, with the command that does it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from hq.asks.quotation import in_line, quoted
from hq.asks.word import HouseWord
from hq.database.queries import beside
from hq.door.actor import HOUSE_ACTOR
from hq.door.tx import Call, Tx
from hq.door.verb import Verb
from hq.door.verbs.ledger import recorded
from hq.door.verbs.undo import Undone, previewed, undo
from hq.errors import Refused
from hq.ids import event_name
from hq.json_types import CallArgs, CallResult
from hq.sessions.rows import CausedCallRow

SQL = beside(__file__)
RECENT = timedelta(hours=1)
"""How long `that` is what was done last; what lies further back is told, not taken back."""
TOLD = 3
_TALK = frozenset(("chat", "card", "thread", "session", "message", "handoff", "ask", "approval", "auth", "run"))
"""Nouns of the conversation itself: who says `that` means none of these."""
_LOOKS = frozenset(("workspace.open", "workspace.begin"))
"""They lay out files to be looked at or worked on, also after something was taken back: nobody's deed."""
_PHRASE = re.compile(
    r"(?:please,? |no,? |oops,? |por favor,? |não,? )*(?:undo|take back|revert|desfaz|desfaça|desfazer|anula|volta atrás)"
    r"(?: (?:that|it|this|(?:the|my|that) (?:last )?(?:one|thing|reminder|task|change(?: (?:of|to|in) (?:the|my|our) [\w -]{2,60})?)|isso|isto"
    r"|(?:o|a|esse|essa) (?:último |última )?(?:coisa|lembrete|tarefa|alteração|mudança)?))?(?:,? (?:please|again|por favor))?[\s.!]*",
    re.IGNORECASE,
)

_LIKED = r"i (?:liked|prefer(?:red)?|want) (?:the |its )?(?:old|previous|earlier|other) (?:one|version|look|colou?r|name|way)(?: better| more| back)?"
_OLD_ONE = re.compile(
    r"(?:hm+[,. ]+|please,? |no,? |actually,? )*"
    rf"(?:{_LIKED}|i liked it (?:better|more) (?:before|as it was)|give me (?:back )?the (?:old|previous) (?:one|version|look|colou?r|name)(?: back)?"
    rf"|(?:take|put|turn|change) (?:it|that|(?:the|that) (?P<what>[\w -]{{3,40}}?)) back(?: (?:as|how) it was)?(?:[,.]? {_LIKED})?)(?:,? please)?[\s.!]*",
    re.IGNORECASE,
)
"""Said of a change of what was made, a moment after it."""
_CHANGES = ".change"
"""How what changes work that was handed in is called."""


def asks_for_undo(text: str) -> bool:
    """Only where that is all that is said: `undo the booking of Ana` is for somebody who can think about it."""
    return any(phrase.fullmatch(text.strip()) for phrase in (_PHRASE, _OLD_ONE))


async def undone_by_word(tx: Tx, thread: UUID | None, text: str = "undo that") -> HouseWord | None:
    """Take back what was done last, or say why that is not done by a word. Nothing where it is the old one that is wanted back, and
    what was done last changed nothing that is called so."""
    who = {"thread": thread, "actor": tx.caller.actor, "house": HOUSE_ACTOR}
    rows = await tx.rows(SQL["caused_by_word"], who, into=CausedCallRow)
    calls = [(row, verb) for row in rows if (verb := tx.door.registry.verbs.get(row.action_type)) and _counts(verb)]
    if (old := _OLD_ONE.fullmatch(text.strip())) and not (
        calls
        and calls[0][0].action_type.endswith(_CHANGES)
        and (old["what"] or "").lower() in (calls[0][0].title or "").lower()
    ):
        return None
    if not calls:
        return HouseWord(
            "Nothing was done by your word that could be taken back. `hq action list` shows all that was done."
        )
    last, verb = calls[0]
    call = await recorded(tx, str(last.id))
    found = await previewed(tx, call, verb)
    name = f"{_called(last)} (`{event_name(last.id)}`)"
    if not found.possible:
        why = "; ".join(map(in_line, found.blocked_by))
        return HouseWord(f"I did not take back {name}: {why}. {_others(calls[1:])}")
    if doubt := _doubt(tx, last, verb, call.input or {}, call.output or {}):
        return HouseWord(
            f"The last thing that was done is {name}, and {doubt}, so look first: {_restored(found)}. "
            f"`hq undo {event_name(last.id)}` does it. {_others(calls[1:])}"
        )
    args = {"id": event_name(last.id)}
    try:
        async with tx.rehearsed():
            await tx.inner(undo.name, args)
            became = await _became(tx, found)
    except Refused as refused:
        return HouseWord(f"I did not take back {name}: {in_line(refused.message)}. {_others(calls[1:])}")
    tx.follow_ups.append(
        Call(
            undo.name,
            args,
            tx.call.token,
            reason="Said in the conversation.",
            actor=tx.call.actor,
            parent_id=tx.action_id,
        )
    )
    return HouseWord(f"I take back {name}: {became or _restored(found)}.", settles=True)


async def _became(tx: Tx, found: Undone) -> str:
    """What is so afterwards of a change of files, which stays on the record; nothing where what a call made is gone."""
    made = [each["what"] for each in found.restores if each["kind"] == "node" and each["made"]]
    nodes = [await tx.look_up(each) for each in made]
    back = [each.slug for each in nodes if each is not None and each.status == "taken_back"]
    return f"{back[0]} is taken back, and the files are as they were before it" if back else ""


def _counts(verb: Verb) -> bool:
    return (
        verb.changes and not verb.internal and verb.noun not in _TALK and verb is not undo and verb.name not in _LOOKS
    )


def _doubt(tx: Tx, call: CausedCallRow, verb: Verb, given: CallArgs, brought: CallResult) -> str | None:
    """Why a word is not enough to take it back."""
    if verb.undo != "exact" and not _within(tx, verb, given, brought):
        return "taking that back does something more"
    if not call.by_word:
        return "it was an answer to somebody else"
    return "it was done a while ago" if tx.now - call.created_at > RECENT else None


def _within(tx: Tx, verb: Verb, given: CallArgs, brought: CallResult) -> bool:
    """Whether what makes up for a call stays within the company and is risky in no way, such as ending a reminder that was set."""
    name = verb.undo_by(given, brought)[0] if verb.undo_by else ""
    back = tx.door.registry.verbs.get(name)
    return back is not None and (back.kind, back.gate, back.scope) == ("write", "internal", "write")


def _called(call: CausedCallRow) -> str:
    said = call.action_type.replace(".", " ").replace("_", " ")
    return f"{said} {quoted(call.title, 100)}" if call.title else said


def _restored(found: Undone) -> str:
    """What goes back, and what was read since."""
    parts = [
        f"{each['what']} {'is gone' if each['made'] else 'is as it was'}"
        for each in found.restores
        if each["kind"] == "node"
    ]
    return (
        "; ".join([*map(in_line, dict.fromkeys(parts[:5])), *map(in_line, found.warnings)])
        or "what it wrote is as it was"
    )


def _others(calls: Sequence[tuple[CausedCallRow, Verb]]) -> str:
    """What else could be taken back, newest first."""
    told = [f"{_called(row)}: `hq undo {event_name(row.id)}`" for row, verb in calls if verb.undo != "none"][:TOLD]
    return "Before it: " + "; ".join(told) + "." if told else ""
