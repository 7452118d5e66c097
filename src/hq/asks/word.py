"""A word in the chat: what a person says in the conversation is taken as the answer to what waits, where that is certain.

Whoever speaks with the CEO, by whichever client, comes by here before any mind hears it. Whatever a model has said since a card was
shown, in whichever words, leaves a plain yes uncertain: no reading of a model's line tells whether it asked something of its own, and
one that only tells how a permission is given (“a plain yes will do”) is as easily worded to fetch a yes for something that was
never read. So the house puts its own question, which names what waits; a yes to that, once it was shown, counts, for what the person
has seen last is decisive. Nor does such a line take the word away: it is the model's only once the person says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from hq.asks.answer import answer, ended_text, of
from hq.asks.faces import DrawnAsk, draw, names_of
from hq.asks.interpreter import (
    AskCandidate,
    ForHost,
    HouseList,
    PassedOn,
    Several,
    TakenAnswer,
    TakenAnswers,
    answered_by_name,
    read,
)
from hq.asks.kinds import Kinds, kind_of
from hq.asks.open_asks import SQL, OpenAsk, ended, waiting
from hq.asks.plain_words import label_answer, plain_answer
from hq.asks.quotation import in_line, quoted
from hq.asks.rows import HouseListRow, PutBeforeRow, ScriptListRow
from hq.asks.types import Approval, Ask
from hq.door.actor import HOUSE_ACTOR
from hq.door.tx import Call, Tx
from hq.errors import Refused
from hq.terminal.width import shortened

INVITES = r"[?]|\m(yes|ok|okay|confirm|say the word|go ahead|let me know|sim|diz|diga|confirma|confirme)\M"
"""Words that ask for a word, as far as that can be told from them: what stands behind them is answered by no bare yes."""
HIGH_RISK = frozenset(("destructive", "system", "spend", "overspend"))
"""Classes of calls for which a bare yes is not enough where a model said anything before they were shown."""
FREEZE = "freeze.set"
"""The kill switch."""
OF_EACH = ("expires", "from outside")
"""Facts that tell no ask from another."""
OF_SUBJECT, SHORT = ("name", "title", "role", "skill", "agent", "mission", "host", "to", "ref", "budget", "on"), 60
"""Facts that say whom or what an ask is about, as long as they are few words."""


@dataclass(frozen=True)
class HouseWord:
    """What the house says to a word of somebody's."""

    text: str
    asks: Sequence[UUID] = ()
    """The asks that it lists, in their order: of these a number is one."""
    undecided: Sequence[str] = ()
    """The names of these."""
    settles: bool = False
    """Whether it was an answer and no more, to what the house then does: nobody has to hear it to go on."""

    @property
    def is_house_matter(self) -> bool:
        """Whether it is between who said it and the house: taken, or asked back about. Whoever listens gets to know it."""
        return self.settles or bool(self.asks)


@dataclass(frozen=True)
class ShownPlace:
    """How far a conversation was shown to whoever speaks, where they speak."""

    session: UUID
    step: int | None
    """Up to this step; nothing where it is a line that has none yet."""
    at: datetime | None = None
    """When that line was written; nothing where no line was named."""


UNDECIDED = "Nothing was decided by that."
FOR_HOST = "for the CEO"
ELSE = f"If it is for the CEO, say “{FOR_HOST}”; anything else you say goes there too."
NOTHING_SHOWN = ShownPlace(UUID(int=0), 0)


async def heard(
    tx: Tx, text: str, thread: UUID | None, reply_to: str | None = None, shown: ShownPlace = NOTHING_SHOWN
) -> HouseWord | None:
    """Take a text for what it answers. What whoever listens has to know of that; nothing where it answers nothing."""
    asks = await waiting(tx, "founder")
    named = next((each.slug for each in asks if reply_to in (each.slug, str(each.id), str(each.card))), None)
    if reply_to is not None and named is None:
        over = await _over(tx, reply_to)
        raise Refused.not_found(
            over or f"{reply_to!r} does not wait for an answer", hint="`hq ask list` shows what does"
        )
    if over := await _answers_what_is_over(tx, text, asks):
        return HouseWord(over)
    if not asks:
        return None
    candidates = await _candidates(tx, asks, thread, shown)
    match read(text, candidates, named, await _listed(tx, asks, thread, shown)):
        case TakenAnswer() as taken:
            return await _taken(tx, taken)
        case TakenAnswers(answers=answers):
            words = [await _taken(tx, each) for each in answers]
            return HouseWord("\n".join(each.text for each in words), settles=all(each.settles for each in words))
        case ForHost():
            return HouseWord("That goes on to the CEO. Nothing that waits was decided by it.")
        case PassedOn(asks=passed):
            return HouseWord(_passed_on(passed))
        case Several(asks=several):
            tx.follow_ups += [_with_buttons(tx, each.ask) for each in several if not each.carded]
            ids = {each.slug: each.id for each in asks}
            names = [each.ask for each in several]
            return HouseWord(_which(several, plain_answer(text)), [ids[each] for each in names], names)
        case None:
            return None


async def _answers_what_is_over(tx: Tx, text: str, asks: Sequence[OpenAsk]) -> str | None:
    """`yes to <slug>` of one that was answered elsewhere, or ended: whoever says so hears by whom and how."""
    waits = {each.slug for each in asks}
    for ref in answered_by_name(text):
        if ref not in waits and (told := await _over(tx, ref)):
            return told
    return None


async def _over(tx: Tx, ref: str) -> str | None:
    ask = await tx.look_up(ref)
    if ask is None or not isinstance(ask.props, Ask) or ask.props.stands == "open":
        return None
    if over := await ended(tx, ask):
        return f"{ask.slug} {ended_text(ask, over)}. Nothing was decided by that."
    told = of(kind_of(tx, ask), ask)
    by = f" by {told.answered_by}" if told.answered_by else ""
    return f"{ask.slug} was answered already{by}: {in_line(told.answer or told.status or '')}. Your word did not count."


async def keep_list(tx: Tx, message: UUID, word: HouseWord) -> None:
    """Which asks a message lists, so that a number said after it is one of these."""
    if word.asks:
        await tx.conn.execute(SQL["lists"], {"message": message, "asks": list(word.asks)})


def _which(asks: Sequence[AskCandidate], word: str | None) -> str:
    """What waits, and the words that answer it wherever they are typed. Nobody else hears the word until it is clear."""
    lines = [f"{number}. {_told(each)}: {_answered_by(each, word)}" for number, each in enumerate(asks, 1)]
    asked = [
        f"Is that your answer to {quoted(asks[0].title, 300)}? Say it once more. {ELSE}"
        if len(asks) == 1
        else f"Say which you mean, such as “the first”. {ELSE}"
    ]
    return "\n".join([f"{UNDECIDED} This waits for your word:", *lines, *asked])


def _passed_on(asks: Sequence[AskCandidate]) -> str:
    """The words of an option, of a question that was not shown or after which something else was asked."""
    waits = " and ".join(_told(each) for each in asks)
    return f"{UNDECIDED} It goes on to the CEO, who may pass it on as your answer to {waits}."


_LISTED = re.compile(r"^\d+\. (“[^”]*”).*: say “(([^”]+) to [^” ]+)”, press", re.MULTILINE)


def offered_words(text: str) -> list[tuple[str, str]]:
    """Of a line of the house that asks which was meant, the words that settle it, each with what a button of it is called. The
    marks around what others wrote there cannot stand within it."""
    if not text.startswith(f"{UNDECIDED} This waits"):
        return []
    named = [(f"{word} to {title}", says) for title, says, word in _LISTED.findall(text)]
    return [*named, (FOR_HOST, FOR_HOST)]


def _told(ask: AskCandidate) -> str:
    return _line(ask.title, ask.detail)


def line_of(drawn: DrawnAsk) -> str:
    """An ask in one line, as the house lists it."""
    return _line(drawn["title"], _detail(drawn))


def _line(title: str, detail: str) -> str:
    """Words of whoever asked, so that none of them passes for a line or a command of the house."""
    return quoted(title, 300) + (f" ({in_line(detail)})" if detail else "")


def _answered_by(ask: AskCandidate, word: str | None) -> str:
    keys = [key for key, _ in ask.options]
    words = [label_answer(label) or in_line(label) for _, label in ask.options]
    say = f"say “{word if word in words else words[0]} to {ask.ask}”, " if words else ""
    return f"{say}press a button of its card, or `hq ask answer {ask.ask} {'|'.join(keys) or '--text …'}`"


def _told_to(tx: Tx, row: HouseListRow | ScriptListRow, shown: ShownPlace) -> bool:
    """Whether who speaks has read a list: it was shown there, or it came in answer to that one's own word."""
    return row.told == tx.caller.actor if shown.at is None else row.at <= shown.at


async def _listed(tx: Tx, asks: Sequence[OpenAsk], thread: UUID | None, shown: ShownPlace) -> HouseList | None:
    """Which asks the house has just listed, in their order there, if no person has said anything since."""
    where = {"thread": thread, "house": HOUSE_ACTOR}
    slugs = {each.id: each.slug for each in asks}
    found = await tx.one(SQL["last_house_list"], where, into=HouseListRow)
    if found is None:
        return await _listed_by_script(tx, asks, where, shown)
    if not _told_to(tx, found, shown):
        return None
    if not set(found.asks) <= slugs.keys():  # one of them is over, so the numbers are others now
        return None
    word = plain_answer(found.about or "")
    named = [slugs[each] for each in found.asks]
    return HouseList(named, word, found.spoken_since, found.asked_since, put_since=found.put_since)


async def _listed_by_script(
    tx: Tx, asks: Sequence[OpenAsk], where: Mapping[str, Any], shown: ShownPlace
) -> HouseList | None:
    """A script that understood nothing has listed what waits, as the house does. A permission only where nothing else was said with it."""
    slugs = {each.id: each.slug for each in asks}
    found = await tx.one(SQL["last_script_list"], where, into=ScriptListRow)
    if found is None or found.about is None or not found.asks or not set(found.asks) <= slugs.keys():
        return None
    if not _told_to(tx, found, shown):
        return None
    if len(found.asks) == 1 and len(slugs) > 1:  # another has come since
        return None
    if found.beside and any(tx.use(Kinds).of(each.props).is_permission(each.props) for each in asks):
        return None
    return HouseList([slugs[each] for each in found.asks], plain_answer(found.about), said=_asked_about(found))


_STILL = re.compile(r"(?m)^Is “([^”\n]+)” your answer to “")
"""How the script that understands nothing asks once more about words of before, where others were said since."""


def _asked_about(found: ScriptListRow) -> str | None:
    """The words that a yes is about: never those that were said after it was asked, and that are no part of it."""
    still = _STILL.search(found.text or "")
    return still[1] if still else found.about


async def _taken(tx: Tx, taken: TakenAnswer) -> HouseWord:
    ask = await tx.get(taken.ask.ask)
    label = next((label for key, label in taken.ask.options if key == taken.option), taken.text or "")
    try:
        async with tx.attempted():
            told = await answer(tx, ask, taken.option, taken.text, said=True)
    except Refused as error:
        return HouseWord(f"I could not take that as the answer to {quoted(taken.ask.title, 300)}: {error.message}")
    if told.already:
        return HouseWord(f"{quoted(taken.ask.title, 300)} was answered already, by {told.answered_by}.")
    word = f"Taken as your answer to {_told(taken.ask)}: {quoted(label, 300)}."
    return HouseWord(
        word, settles=not (isinstance(ask.props, Ask) and kind_of(tx, ask).is_said(ask.props, taken.option))
    )


@dataclass(frozen=True)
class AskCard:
    """The verb that puts an ask before the founder as a card. The room that has cards hands it in."""

    verb: str


def _with_buttons(tx: Tx, ask: str) -> Call:
    args = {"kind": "attention", "severity": "warning", "ask": ask}
    return Call(tx.use(AskCard).verb, args, tx.call.token, parent_id=tx.action_id, actor=tx.call.actor)


def _detail(drawn: DrawnAsk) -> str:
    facts = [
        f"{fact['name']}: {shortened(fact['value'], 60)}" for fact in drawn["facts"] if fact["name"] not in OF_EACH
    ]
    who = drawn.get("from_name") or drawn.get("from")
    return ", ".join([*facts[:3], *([f"asked by {who}"] if who else [])])


def _subject(drawn: DrawnAsk) -> str:
    """What it is about, without what is told of it at length."""
    return " ".join(
        str(fact["value"]) for fact in drawn["facts"] if fact["name"] in OF_SUBJECT and len(str(fact["value"])) <= SHORT
    )


async def _candidates(tx: Tx, asks: Sequence[OpenAsk], thread: UUID | None, shown: ShownPlace) -> list[AskCandidate]:
    about = {"asks": [each.id for each in asks], "thread": thread, "house": HOUSE_ACTOR, "invites": INVITES}
    place = {"shown_session": shown.session, "shown_step": shown.step, "shown_at": shown.at}
    rows = await tx.rows(SQL["put_before"], about | place, into=PutBeforeRow)
    put = {row.ask: row for row in rows}
    made = []
    names = await names_of(tx, [each.agent for each in asks if each.agent])
    for each in asks:
        drawn, row = draw(tx, each, names=names), put[each.id]
        behind = row.asked_before or (row.spoken_before and _high_risk(tx, each))
        made.append(
            AskCandidate(
                each.slug,
                drawn["title"],
                [(option["key"], option["label"]) for option in drawn["options"]],
                detail=_detail(drawn),
                subject=_subject(drawn),
                takes_text=drawn["takes_text"],
                permission=drawn["permission"],
                carded=row.carded,
                before=row.before and not (behind and drawn["permission"]),
                spoken_since=row.spoken_since,
                asked_since=row.asked_since,
                behind_question=behind,
                house_named=each.type == Approval.type,
                deed=each.props.verb.rpartition(".")[2] if isinstance(each.props, Approval) else "",
                put=row.put,
                asked_open=row.asked_open,
                stops=FREEZE in _effects(tx, each),
            )
        )
    return made


def _high_risk(tx: Tx, ask: OpenAsk) -> bool:
    """Whether an answer may destroy something, spend money, change the machine or the rules, or do what is the founder's alone."""
    # The kill switch takes nothing away and is lifted with a word: who wants all to stop is not asked twice.
    verbs = [tx.door.registry.verbs.get(verb) for verb in _effects(tx, ask) if verb != FREEZE]
    classes = {verb.gate for verb in verbs if verb} | {getattr(ask.props, "gate", "")}
    return not HIGH_RISK.isdisjoint(classes) or any(verb is None or verb.scope == "founder" for verb in verbs)


def _effects(tx: Tx, ask: OpenAsk) -> list[str]:
    """The verbs that its answers call."""
    kind = tx.use(Kinds).of(ask.props)
    return [effect[0] for option in kind.options(ask.props) if (effect := kind.effect(ask.props, option))]
