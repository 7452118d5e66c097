"""Faces of cards: what stands on one. What a button does is told by the house, and of an ask its own words come first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hq.asks.effect_text import effect_text, titles_of
from hq.asks.faces import AskFact, DrawnAsk, draw_all
from hq.asks.forecast import FACT, forecast_of
from hq.asks.kinds import check_apart, check_leaning
from hq.asks.open_asks import one
from hq.asks.quotation import check_line, one_line
from hq.ceo.card_parts import Button, CardFact, Content, Remark
from hq.door.arguments import parse
from hq.door.inner import by_itself
from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import Stored

PROPOSE = "`hq proposal propose` lays a change that you may not make before the founder"
LONGEST, FACTS = 8000, 20
"""How much of an ask stands on its card, and how many facts; that there is more is said there."""
TELLS = "leave its verb out: which button of a choice was pressed is told to you"


class ShownButton(Button):
    """A button as every face has it."""

    label: str
    """What it says, all of it: what is pressed was read."""
    does: str | None = None
    """What pressing it does, told by the house; nothing where it only answers."""


@dataclass(frozen=True)
class CardFace:
    """What stands on a card."""

    kind: str
    title: str
    text: str
    facts: list[CardFact] = field(default_factory=list)
    buttons: list[ShownButton] = field(default_factory=list)
    remark: Remark | None = None
    """What who put it there says beside it, where the words on it are an ask's."""


async def own_face(tx: Tx, content: Content) -> CardFace:
    """A card that is of nothing but itself."""
    if not content.title:
        raise Refused.invalid("title: say the thing itself, in one sentence")
    _check_says(tx, content.buttons)
    with tx.looking():
        titles = await titles_of(tx, [(each.verb, each.args) for each in content.buttons if each.verb])
    buttons = [
        ShownButton(
            **dict(each.model_copy(update={"label": one_line(each.label)})),
            does=effect_text(tx, (each.verb, each.args), titles) if each.verb else None,
        )
        for each in content.buttons
    ]
    facts = [CardFact(name=one_line(each.name) or "-", value=each.value) for each in content.facts]
    if cost := await forecast_of(tx, [(each.verb, each.args) for each in content.buttons if each.verb]):
        facts.insert(0, CardFact(name=FACT, value=cost.says))
    return CardFace(content.kind, one_line(content.title), content.text, facts, buttons)


async def face_of(tx: Tx, content: Content, asked: Stored[Any]) -> CardFace:
    """The card of an ask, in the house's own words, so that nobody who asks words what it grants, nor the button for it."""
    with tx.looking():
        (ask,) = await draw_all(tx, [await one(tx, asked)])
    buttons = [
        ShownButton(key=each["key"], label=each["label"], main=each["main"], does=each.get("does"))
        for each in ask["options"]
    ]
    if ask["takes_text"]:
        buttons.append(ShownButton(key=_free("answer", ask), label="Answer", link="/inbox", main=not buttons))
    who = ask.get("from_name") or ask.get("from")
    facts: list[AskFact] = [{"name": "from", "value": who}] if who else []
    facts += ask["facts"]
    said = [content.title, content.text, *(f"{fact.name}: {fact.value}" for fact in content.facts)]
    remark = "\n".join(filter(None, said))
    text, rest = ask.get("text", ""), f"`hq ask show {ask['slug']}` shows it"
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}…\n\n{len(text) - LONGEST:,} characters more; {rest}"
    if len(facts) > FACTS:
        facts = [*facts[: FACTS - 1], {"name": "more", "value": f"{len(facts) - FACTS + 1} more to know; {rest}"}]
    return CardFace(
        kind=ask["kind"],
        title=ask["title"],
        text=text,
        facts=[CardFact(name=each["name"][:60], value=each["value"]) for each in facts],
        buttons=[*buttons, ShownButton(key=_free("later", ask), label="Later")],
        remark=Remark(by=tx.caller.speaks_as, text=remark) if remark else None,
    )


def _free(key: str, ask: DrawnAsk) -> str:
    """A key for a button of the house's own that no option of the ask has."""
    taken = {each["key"] for each in ask["options"]}
    return next(each for n in range(len(taken) + 1) if (each := f"{key}-{n}" if n else key) not in taken)


def _check_says(tx: Tx, buttons: list[Button]) -> None:
    """What a button can be at all, whoever makes it."""
    if len({button.key for button in buttons}) < len(buttons):
        raise Refused.invalid("buttons: two have the same key")
    for button in buttons:
        if button.verb is None:
            continue
        wanted = tx.door.registry.get(button.verb)
        if not wanted.on_card:
            may = ", ".join(sorted(each.name for each in tx.door.registry if each.on_card))
            raise Refused.invalid(f"a button cannot call {button.verb}; it may call {may}")
        parse(wanted, button.args)
        if tx.taint and not button.only_says:
            raise Refused.forbidden(
                f"what came from outside ({', '.join(sorted(tx.taint))}) had a part in this card, so its buttons may "
                "only say something; ask for an approval instead"
            )


def check_lines(content: Content) -> None:
    """Nothing on a card that could pass for a line of the house."""
    check_line("title", content.title)
    for button in content.buttons:
        check_line(f"the label of button {button.key}", button.label)
        check_leaning(f"button {button.key!r}", button.key, button.label)
    check_apart("buttons", [each.label for each in content.buttons])
    for fact in content.facts:
        check_line("the name of a fact", fact.name)


async def check_own(tx: Tx, buttons: list[Button]) -> None:
    """Buttons of somebody's own do what that one may do by itself. For anything more the founder is asked in the ways that
    are there for it, where the house says what is asked."""
    for button in buttons:
        wanted = tx.door.registry.verbs.get(button.verb or "")
        if wanted is None or not wanted.on_card:
            continue
        try:
            await by_itself(tx, wanted, parse(wanted, button.args))
        except Refused as error:
            hint = TELLS if button.only_says else error.hint or PROPOSE
            raise Refused.forbidden(f"your button cannot do that: {error.message}", hint=hint) from error
