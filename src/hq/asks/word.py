"""A word in the chat: what a person says in the conversation is taken as the answer to what waits, where that is certain.

Whoever speaks with the CEO, by whichever client, comes by here before any mind hears it.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from hq.asks.answer import answer
from hq.asks.faces import draw
from hq.asks.interpreter import AskCandidate, Several, TakenAnswer, read
from hq.asks.open_asks import SQL, OpenAsk, waiting
from hq.asks.rows import PutBeforeRow
from hq.door.tx import Call, Tx
from hq.errors import Refused


async def heard(tx: Tx, text: str, thread: UUID | None, reply_to: str | None = None) -> str | None:
    """Take a text for what it answers. What whoever listens has to know of that; nothing where it answers nothing."""
    asks = await waiting(tx, "founder")
    if not asks:
        return None
    candidates = await _candidates(tx, asks, thread)
    named = next((each.slug for each in asks if reply_to in (each.slug, str(each.id), str(each.card))), None)
    if reply_to is not None and named is None:
        raise Refused.not_found(f"{reply_to!r} does not wait for an answer", hint="`hq ask list` shows what does")
    match read(text, candidates, named):
        case TakenAnswer() as taken:
            return await _taken(tx, taken)
        case Several(asks=several):
            tx.follow_ups += [_with_buttons(tx, each.ask) for each in several]
            return (
                "That may be the answer to something that waits for you, so it is put before you with buttons: "
                + "; ".join(each.title for each in several)
                + ". Nothing was decided yet."
            )
        case None:
            return None


async def _taken(tx: Tx, taken: TakenAnswer) -> str:
    ask = await tx.get(taken.ask.ask)
    label = next((label for key, label in taken.ask.options if key == taken.option), taken.text or "")
    try:
        async with tx.attempted():
            told = await answer(tx, ask, taken.option, taken.text, said=True)
    except Refused as error:
        return f"I could not take that as the answer to “{taken.ask.title}”: {error.message}"
    if told.already:
        return f"“{taken.ask.title}” was answered already, by {told.answered_by}."
    return f"Taken as your answer to “{taken.ask.title}”: {label}."


def _with_buttons(tx: Tx, ask: str) -> Call:
    args = {"kind": "attention", "severity": "warning", "ask": ask}
    return Call("card.send", args, tx.call.token, parent_id=tx.action_id, actor=tx.call.actor)


async def _candidates(tx: Tx, asks: Sequence[OpenAsk], thread: UUID | None) -> list[AskCandidate]:
    rows = await tx.rows(SQL["put_before"], {"asks": [each.id for each in asks], "thread": thread}, into=PutBeforeRow)
    put = {row.ask: row for row in rows}
    made = []
    for each in asks:
        drawn = draw(tx, each)
        made.append(
            AskCandidate(
                each.slug,
                drawn["title"],
                [(option["key"], option["label"]) for option in drawn["options"]],
                takes_text=drawn["takes_text"],
                permission=drawn["permission"],
                before=put[each.id].before,
                overtaken=put[each.id].overtaken,
            )
        )
    return made
