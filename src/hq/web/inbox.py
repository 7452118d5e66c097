"""What waits for the founder, as cards: what is asked, what one should know, and buttons that are verbs.

What the CEO put into the conversation, what waits for a yes or a choice, and what agents ask in words, all in one shape.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from hq.web.markdown import html
from hq.web.reader import Reader

MOST = 50


@dataclass(frozen=True)
class Button:
    """One verb, ready to be called. Its key is the card's, so whoever presses it twice, anywhere, acts once."""

    label: str
    verb: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    key: str = ""
    """Nothing where the verb itself acts once."""
    main: bool = False
    does: str = ""
    """What is behind it, where that is not its own verb."""
    link: str = ""

    @property
    def path(self) -> str:
        return "/api/" + self.verb.replace(".", "/")

    @property
    def body(self) -> str:
        return json.dumps(self.args)


@dataclass(frozen=True)
class Card:
    slug: str
    kind: str
    title: str
    at: str
    text: str = ""
    facts: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[Button] = field(default_factory=list)
    state: str = "open"
    became: str = ""
    """What came of it, once it is not open any more."""
    said: bool = False
    """It stands in the conversation too."""
    asks: bool = True
    """It needs somebody; else it only tells."""
    answer: str = ""
    """The argument that takes an answer in words, where there is one."""

    @property
    def html(self) -> str:
        return html(self.text)

    def of_the_past(self) -> Card:
        """To be looked at: what its buttons would do, they would do now."""
        return replace(self, buttons=[], answer="")


async def waiting(reader: Reader) -> list[Card]:
    """What nobody has decided or answered, or had then, oldest first."""
    found = await asyncio.gather(
        *(_open(reader, *kind) for kind in KINDS), _put_before(reader), _questions(reader), _escalations(reader)
    )
    cards = sorted((card for cards in found for card in cards), key=lambda card: card.at)
    return [card.of_the_past() for card in cards] if reader.at else cards


async def _put_before(reader: Reader) -> list[Card]:
    listed = await reader.read("card.list", open=True, asks=True, limit=MOST)
    return [of_conversation(each) for each in listed["items"]]


def of_conversation(card: dict[str, Any]) -> Card:
    """A card that the CEO put into the conversation."""
    id, pressed = card["id"], card.get("pressed")
    buttons = [_button(id, each) for each in card["buttons"]]
    label = next((each["label"] for each in card["buttons"] if each["key"] == pressed), "")
    became = {"pressed": f"{label} ✓", "over": "No longer needed"}.get(card["state"], "")
    return Card(
        id,
        card["kind"],
        card["title"],
        card["at"],
        card.get("text", ""),
        [(fact["name"], fact["value"]) for fact in card["facts"]],
        buttons if card["state"] == "open" else [],
        state=card["state"],
        became=became,
        said=True,
        asks=card["asks"],
    )


def _button(card: str, button: dict[str, Any]) -> Button:
    args = {"card": card, "button": button["key"]}
    does = f"{button['verb']} {_short(button.get('args', {}))}" if button.get("verb") else ""
    main = button.get("main", False)
    return Button(button["label"], "card.press", args, main=main, does=does, link=button.get("link", ""))


async def _questions(reader: Reader) -> list[Card]:
    """What agents ask the founder in words."""
    listed = await reader.read("agent.inbox", kind="question", limit=MOST)
    return [
        Card(
            each["message"],
            f"{each['from'].removeprefix('agent:')} asks",
            each["text"],
            each["at"],
            buttons=[Button("Answer", "agent.reply", {"message": each["message"]}, main=True)],
            answer="text",
        )
        for each in listed["items"]
        if each["state"] not in ("answered", "expired")
    ]


async def _escalations(reader: Reader) -> list[Card]:
    """What went up through every seat and came to the founder."""
    return [card for card in await _open(reader, "escalation", "open", _escalation) if card.kind]


def _escalation(node: dict[str, Any]) -> Card:
    asked = [link for link in node.get("links", ()) if link["edge"] == "addressed_to" and link["direction"] == "to"]
    props, slug = node["props"], node["slug"]
    return Card(
        slug,
        "escalation" if any(link["type"] == "contact" for link in asked) else "",
        props["summary"],
        node["created_at"],
        props.get("context_md") or "",
        buttons=[Button("Answer", "escalation.resolve", {"ref": slug}, main=True)],
        answer="answer",
    )


async def _open(reader: Reader, noun: str, status: str, read: Callable[[dict[str, Any]], Card]) -> list[Card]:
    listed = await reader.read(f"{noun}.list", status=status, limit=MOST)
    shown: list[Awaitable[Any]] = [reader.read(f"{noun}.show", ref=item["slug"]) for item in listed["items"]]
    return [read(each) for each in await asyncio.gather(*shown)]


def _approval(node: dict[str, Any]) -> Card:
    props, slug = node["props"], node["slug"]
    noun, _, action = props["verb"].partition(".")
    facts = [(name.replace("_", " "), _short(value)) for name, value in props.get("arguments", {}).items()]
    if props.get("expires_at"):
        facts.append(("expires", props["expires_at"][:16].replace("T", " ")))
    doing = f"{action.replace('_', ' ').capitalize()} {noun.replace('_', ' ')}"
    return Card(
        slug,
        f"{props['requester'].removeprefix('agent:')} asks",
        doing,
        node["created_at"],
        props.get("why", ""),
        facts,
        [
            Button(f"Approve: {doing.lower()}", "approval.approve", {"ref": slug}, f"card:{slug}:approve", main=True),
            Button("Decline", "approval.reject", {"ref": slug}, f"card:{slug}:reject"),
        ],
    )


def _review(node: dict[str, Any]) -> Card:
    props, slug = node["props"], node["slug"]
    options = props.get("options", [])
    return Card(
        slug,
        props.get("kind", "decision").replace("-", " "),
        props["question_text"],
        node["created_at"],
        "",
        [],
        [
            *(
                Button(
                    option.get("label") or option["key"], "review.resolve", {"ref": slug, "choice": option["key"]},
                    f"card:{slug}:{option['key']}"[:200], main=n == 0,
                )
                for n, option in enumerate(options)
            ),
            Button("Tomorrow", "review.defer", {"ref": slug}, f"card:{slug}:defer:{node['updated_at']}"),
        ],
    )  # fmt: skip


def _proposal(node: dict[str, Any]) -> Card:
    props, slug = node["props"], node["slug"]
    change = props.get("change") or {}
    facts = [("would call", change["verb"])] if change.get("verb") else []
    return Card(
        slug,
        "proposal",
        props["kind"].replace("_", " ").capitalize(),
        node["created_at"],
        props.get("body", ""),
        facts,
        [
            Button("Accept proposal", "proposal.accept", {"ref": slug}, f"card:{slug}:accept", main=True),
            Button("Turn down", "proposal.reject", {"ref": slug}, f"card:{slug}:reject"),
        ],
    )


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]}…"


KINDS: tuple[tuple[str, str, Callable[[dict[str, Any]], Card]], ...] = (
    ("approval", "pending", _approval),
    ("review", "open", _review),
    ("proposal", "pending", _proposal),
)
