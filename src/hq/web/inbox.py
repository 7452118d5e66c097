"""The inbox: what waits for the founder, as cards with buttons; what is asked and in which ways it is answered, the ask says."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace

from hq.asks.faces import DrawnAsk
from hq.chat.card_shape import CardButtonItem, CardItem, CardRemarkItem
from hq.json_types import CallArgs
from hq.web.markdown import html
from hq.web.page_reads import PageReader

MOST = 100
STAFFING = "staffing"
"""The class of calls that hire."""
ANSWERED_IN_WORDS = "/inbox"
"""Where a card in a terminal sends who wants to answer in words; on a page that is done on the card itself."""


@dataclass(frozen=True)
class InboxButton:
    """One verb, ready to be called. The verb itself acts once, so whoever presses it twice, anywhere, acts once."""

    label: str
    verb: str = ""
    args: CallArgs = field(default_factory=dict)
    key: str = ""
    """Nothing where the verb itself acts once."""
    main: bool = False
    does: str = ""
    """What pressing it does, told by the house, where it does more than answer."""
    link: str = ""

    @property
    def path(self) -> str:
        return "/api/" + self.verb.replace(".", "/")

    @property
    def body(self) -> str:
        return json.dumps(self.args)


@dataclass(frozen=True)
class CardOffer:
    """Somewhere to go from a card, whatever becomes of the card itself."""

    label: str
    link: str

    @property
    def apart(self) -> bool:
        """What is opened stands beside hq, not in its place."""
        return self.link.endswith("/open")


@dataclass(frozen=True)
class InboxCard:
    slug: str
    kind: str
    title: str
    at: str
    text: str = ""
    facts: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[InboxButton] = field(default_factory=list)
    state: str = "open"
    became: str = ""
    """What came of it, once it is not open any more."""
    said: bool = False
    """It stands in the conversation too."""
    asks: bool = True
    """It needs somebody; else it only tells."""
    by: str = ""
    """The agent whose words the text is."""
    remark: tuple[str, str] | None = None
    """What somebody says beside it, and who."""
    answer: str = ""
    """The argument that takes an answer in words, where there is one."""
    folded: bool = False
    """Its title says what is asked, in the house's own words; the rest is there for who wants to know it exactly."""
    offers: list[CardOffer] = field(default_factory=list)

    @property
    def html(self) -> str:
        return html(self.text)

    def of_the_past(self) -> InboxCard:
        """To be looked at: what its buttons would do, they would do now."""
        return replace(self, buttons=[], answer="", offers=[])


@dataclass(frozen=True)
class InboxContents:
    """What nobody has decided or answered, or had then: permissions first, the oldest of each first."""

    cards: list[InboxCard]
    more: int
    """How many more wait than are shown."""

    total: int
    """How much waits in all."""


async def waiting(reader: PageReader, mission: str | None = None) -> InboxContents:
    """All of it, or only what one mission waits for: that stands on the mission's own page, so nothing there leads to it."""
    found, lacking = await asyncio.gather(reader.read("ask.list", to="founder", limit=MOST), _lacking(reader))
    cards = [of_ask(each) for each in found["items"] if mission in (None, each.get("mission"))]
    if mission:
        cards = [replace(card, offers=[]) for card in cards]
    shown = [card.of_the_past() for card in cards] if reader.at else cards if mission else [*lacking, *cards]
    return InboxContents(shown, found["more"], len(found["items"]) + found["more"])


async def _lacking(reader: PageReader) -> list[InboxCard]:
    """What keeps the model that was chosen from answering now, and the way to mend it."""
    if reader.at:
        return []
    lacking = (await reader.read("mind.list")).get("lacking")
    if not lacking:
        return []
    way = "Give it a key" if "key" in lacking["says"] else "Try it again"
    mend = InboxButton(f"{way}, or choose another", link="/onboarding#provider", main=True)
    text = "Until then the script that comes with hq answers: the company goes on, with less to say."
    return [InboxCard("mind-lacking", "model", lacking["says"], "", text, buttons=[mend], asks=False)]


def of_ask(ask: DrawnAsk) -> InboxCard:
    """An ask, with its ways to answer."""
    slug = ask["slug"]
    buttons = [
        InboxButton(
            each["label"],
            "ask.answer",
            {"ask": slug, "option": each["key"]},
            main=each["main"],
            does=each.get("does", ""),
        )
        for each in ask["options"]
    ]
    if ask["takes_text"]:
        buttons.insert(0, InboxButton("Answer", "ask.answer", {"ask": slug}, main=not ask["options"]))
    buttons.append(InboxButton("Tomorrow", "ask.snooze", {"ask": slug}))
    return InboxCard(
        ask.get("card") or slug,
        _sort(ask),
        ask["title"],
        ask["at"],
        ask.get("text", ""),
        [(fact["name"], fact["value"]) for fact in ask["facts"]],
        buttons,
        said="card" in ask,
        by=_who(ask) if (ask.get("from") or "").startswith(("agent:", "worker:")) else "",
        answer="text" if ask["takes_text"] else "",
        folded=ask.get("gate") == STAFFING,
        offers=[CardOffer("See the mission", f"/missions/{mission}")] if (mission := ask.get("mission")) else [],
    )


def _who(ask: DrawnAsk) -> str:
    return ask.get("from_name") or (ask.get("from") or "").partition(":")[2].partition("/")[0]


def _sort(ask: DrawnAsk) -> str:
    who = _who(ask)
    return f"{who} asks" if ask["type"] == "approval" and who else ask["kind"].replace("_", " ")


def of_conversation(card: CardItem) -> InboxCard:
    """A card that the CEO put into the conversation."""
    id, pressed, remark = card["id"], card.get("pressed"), card.get("remark")
    answers = next((each for each in card["buttons"] if each.get("link") == ANSWERED_IN_WORDS), None)
    asked = card.get("ask") if card["state"] == "open" else None
    words = answers is not None and asked is not None
    buttons = [_button(id, each) for each in card["buttons"] if not (words and each is answers)]
    if words and answers:
        buttons.insert(0, InboxButton("Answer", "ask.answer", {"ask": asked}, main=answers.get("main", False)))
    label = next((each["label"] for each in card["buttons"] if each["key"] == pressed), "")
    # Where the files lie on the disk is for a terminal: here a button shows them.
    offered = {each["label"].lower() for each in card.get("offers", ())}
    over = ": ".join(filter(None, ("No longer needed", card.get("became"))))
    if answer := card.get("answer"):
        over = f"Answered: {answer} ✓"
    became = {"pressed": f"{label} ✓", "over": over}.get(card["state"], "")
    return InboxCard(
        id,
        "permission" if card["kind"] in ("call", "operation") else card["kind"],
        card["title"],
        card["at"],
        card.get("text", ""),
        [(fact["name"], fact["value"]) for fact in card["facts"] if fact["name"] not in offered],
        buttons if card["state"] == "open" else [],
        state=card["state"],
        became=became,
        said=True,
        asks=card["asks"],
        answer="text" if words else "",
        remark=(_said_by(card, remark), remark["text"]) if remark else None,
        folded=card.get("gate") == STAFFING,
        offers=[CardOffer(each["label"], each["link"]) for each in card.get("offers", ())],
    )


def _said_by(card: CardItem, remark: CardRemarkItem) -> str:
    slug = remark["by"].rpartition(":")[2]
    name = card.get("name") or slug if slug == card.get("by") else slug
    return name.capitalize() if name.islower() else name


def _button(card: str, button: CardButtonItem) -> InboxButton:
    args = {"card": card, "button": button["key"]}
    main, does, link = button.get("main", False), button.get("does", ""), button.get("link", "")
    return InboxButton(button["label"], "card.press", args, main=main, does=does, link=link)
