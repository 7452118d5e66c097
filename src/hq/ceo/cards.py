"""Cards: what the CEO puts before the founder, with buttons that are verbs. One shape for the terminal, the page and the API.

A card is a line of the conversation. Whoever presses a button, on whichever device, acts once, and everybody sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from hq.asks.answer import answer, found
from hq.asks.kinds import kind_of, ways
from hq.asks.open_asks import one
from hq.asks.snooze import put_off
from hq.asks.types import Question
from hq.ceo.card_asks import CardQuestion, ask_by_card
from hq.ceo.card_faces import check_lines, check_own, face_of, own_face
from hq.ceo.card_parts import Button, Content
from hq.ceo.quiet_hours import AttentionRow, when_to_speak
from hq.ceo.rows import AdoptableCardRow, DueCardRow, PressedCardRow
from hq.database.queries import beside
from hq.door.access import FOUNDER, HOUSE, LEADERS
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.door.verbs.credentials import ensure_principal
from hq.errors import Refused
from hq.graph.moment import parse_moment
from hq.graph.records import Stored
from hq.ids import is_id, new_id, parse_id
from hq.org.ceo_agent import ceo
from hq.sessions.session_verbs import EXAMPLE

SQL = beside(__file__)
LATER = timedelta(seconds=20)
"""When it is tried again while somebody is speaking in the conversation."""


class CardSent(Result):
    id: str
    kind: str
    title: str
    state: str
    """open; held while it is quiet, while enough was said, or while somebody speaks."""
    shown_after: str | None = None
    """When it is shown, if not now."""


@verb(
    "card.send",
    "write",
    shows=("title", "text", "facts", "buttons", "severity"),
    for_=LEADERS,
    emits="card.sent",
    examples=[
        {
            "kind": "choice",
            "title": "Which name?",
            "buttons": [{"key": "a", "label": "The Weekly"}, {"key": "b", "label": "Field Notes"}],
        }
    ],
)
async def send(tx: Tx, args: Content) -> CardSent:
    """Put something before the founder, in the conversation with the CEO: now, or once it is no longer quiet."""
    check_lines(args)
    await check_own(tx, args.buttons)
    return await put(tx, args, acts_as=None if tx.caller.in_person else tx.caller.actor)


@verb("card.ask", "write", for_=HOUSE, internal=True, emits="card.sent")
async def ask(tx: Tx, args: Content) -> CardSent:
    """Ask the founder, by a rule of the house and in its own words: a button acts with the rights of who presses it."""
    return await put(tx, args)


async def put_asked(tx: Tx, ask: Stored[Any]) -> None:
    """What the CEO asks for in the conversation stands there too, in the house's own words: then a yes is meant for it."""
    where = {"session": tx.call.session_id, "name": f"thread:founder:{await ceo(tx)}"}
    if tx.call.session_id and await tx.the_scalar(SQL["in_conversation"], where, of=bool):
        await put(tx, Content(kind="attention", severity="warning", ask=ask.slug))


async def put(tx: Tx, args: Content, *, acts_as: str | None = None) -> CardSent:
    agent = await ceo(tx)
    id = new_id()
    asked = await found(tx, args.ask) if args.ask else None
    face = await face_of(tx, args, asked) if asked is not None else await own_face(tx, args)
    about = await tx.get(args.about) if args.about else None
    asks = asked is not None or any(button.verb or args.kind == "choice" for button in args.buttons)
    if asks and asked is None:
        asked = await ask_by_card(tx, id, args, about, acts_as=acts_as)
    due = when_to_speak(
        await tx.the_one(SQL["when_to_speak"], {"now": tx.now}, into=AttentionRow),
        args.severity,
        tx.now,
        waited_for=asks or (args.kind == "report" and about is not None and about.type == "mission"),
    )
    await tx.conn.execute(
        SQL["put_card"],
        {
            "id": id,
            "agent": agent,
            "kind": face.kind,
            "severity": args.severity,
            "title": face.title,
            "body": face.text,
            "facts": Jsonb([fact.model_dump() for fact in face.facts]),
            "buttons": Jsonb([button.model_dump(exclude_none=True) for button in face.buttons]),
            "remark": Jsonb(face.remark.model_dump()) if face.remark else None,
            "asks": asks,
            "ask": asked.id if asked else None,
            "about": about.id if about else None,
            "open_while": args.open_while if about else None,
            "expires_at": parse_moment(args.expires, tx.now) if args.expires else None,
            "due": due,
            "taint": sorted(tx.taint),
            "now": tx.now,
        },
    )
    if due <= tx.now:
        due = await place(tx, id)
    held = due > tx.now
    return CardSent(
        id=str(id),
        kind=face.kind,
        title=face.title,
        state="held" if held else "open",
        shown_after=due.isoformat() if held else None,
    )


async def place(tx: Tx, card: UUID) -> Any:
    """Into the conversation with it; says when, if that is not now."""
    agent = await ceo(tx)
    values = {
        "id": card,
        "name": f"thread:founder:{agent}",
        "agent": agent,
        "principal": await ensure_principal(tx, "agent", agent),
        "session": new_id(),
        "task": new_id(),
        "now": tx.now,
    }
    if await tx.the_scalar(SQL["place_card"], values, of=bool):
        return tx.now
    await tx.conn.execute(SQL["hold_card"], {"id": card, "due": tx.now + LATER})
    return tx.now + LATER


async def show_due(tx: Tx) -> int:
    """Show what was held and whose time has come, as much as the founder's attention allows. How much that was."""
    shown = 0
    for held in await tx.rows(SQL["due_cards"], {"now": tx.now}, into=DueCardRow):
        row = await tx.the_one(SQL["when_to_speak"], {"now": tx.now}, into=AttentionRow)
        due = when_to_speak(row, held.severity, tx.now, waited_for=held.waited_for)
        if due > tx.now:
            await tx.conn.execute(SQL["hold_card"], {"id": held.id, "due": due})
        else:
            shown += await place(tx, held.id) <= tx.now
    return shown


class CardShowArgs(Args):
    """Which card."""

    card: str = first(max_length=200)
    """Its id, as `hq card list` shows it."""


class CardPressArgs(CardShowArgs):
    """Which card, and which of its buttons."""

    button: str = first(max_length=31)
    """The button's key."""


class Pressed(Result):
    id: str
    pressed: str
    """The button that counts: the first that was pressed."""
    already: bool = False
    """Somebody had pressed it before; nothing was done again."""
    pressed_by: str | None = None
    """Who had."""
    pressed_at: str | None = None
    """When."""
    counted: bool = True
    """Whether the button that was pressed now is the one that counts."""
    title: str = ""
    """What the card is about."""
    label: str = ""
    """What the button that was pressed now is called."""


@verb(
    "card.press",
    "write",
    answers=True,
    for_=FOUNDER,
    scope="founder",
    emits="card.pressed",
    examples=[{"card": EXAMPLE, "button": "a"}],
    text="{label}: {title}",
)
async def press(tx: Tx, args: CardPressArgs) -> Pressed:
    """Press a button of a card. It acts once, however often and from wherever it is pressed."""
    card = await tx.one(SQL["to_press"], {"id": await _card_id(tx, args.card)}, into=PressedCardRow)
    if card is None:
        raise Refused.not_found(f"there is no card {args.card!r}; `hq card list` shows them")
    buttons = [str(each["key"]) for each in card.buttons]
    if args.button not in buttons:
        raise Refused.invalid(f"the card has no button {args.button!r}; it has {', '.join(buttons) or 'none'}")
    if buttons.count(args.button) > 1:  # an earlier hq let an option have the key of the house's own button
        hint = f"`hq ask answer {card.ask}` answers it by its options" if card.ask else None
        raise Refused.conflict(f"two buttons of the card are called {args.button!r}", hint=hint)
    asked = await _asked(tx, card)
    kind = kind_of(tx, asked) if asked is not None else None
    options = ways(kind, asked.props) if kind and asked else {}
    if asked is not None and args.button in options:
        told = await answer(tx, asked, args.button)
        by = told.answered_by if told.already else None
        return Pressed(
            id=str(card.id),
            pressed=next(
                (name for name, each in options.items() if each.key == told.answer), told.answer or args.button
            ),
            already=told.already,
            pressed_by=by,
            pressed_at=told.answered_at if told.already else None,
            counted=told.counted,
            title=card.title,
            label=str(_button(card, args.button)["label"]),
        )
    if card.pressed is not None:
        when = card.pressed_at.isoformat() if card.pressed_at else None
        return Pressed(
            id=str(card.id),
            pressed=card.pressed,
            already=True,
            pressed_by=card.pressed_by,
            pressed_at=when,
            counted=card.pressed == args.button,
        )
    if asked is not None and asked.props.stands == "open" and not _button(card, args.button).get("link"):
        await put_off(tx, asked)  # the house's own button beside its options: later
    values = {"id": card.id, "button": args.button, "by": tx.caller.actor, "now": tx.now}
    await tx.conn.execute(SQL["press"], values)
    return Pressed(
        id=str(card.id), pressed=args.button, title=card.title, label=str(_button(card, args.button)["label"])
    )


def _button(card: PressedCardRow, key: str) -> Mapping[str, Any]:
    return next(each for each in card.buttons if each["key"] == key)


async def _card_id(tx: Tx, ref: str) -> UUID | None:
    """A card by its id, or by the name of the ask that it is a face of."""
    return parse_id(ref) if is_id(ref) else (await one(tx, await found(tx, ref))).card


async def _asked(tx: Tx, card: PressedCardRow) -> Stored[Any] | None:
    """What a card is a face of. One that an older hq wrote gets its ask now."""
    if card.ask is not None:
        return await tx.get(card.ask)
    return await adopt(tx, card.id) if card.asks and card.pressed is None else None


async def adopt(tx: Tx, card: UUID) -> Stored[Question]:
    """The ask of a card that has buttons and none yet."""
    row = await tx.the_one(SQL["to_adopt"], {"id": card}, into=AdoptableCardRow)
    content = Content(
        kind=row.kind,
        title=row.title,
        text=row.body,
        buttons=[Button.model_validate({name: each[name] for name in each if name != "does"}) for each in row.buttons],
        severity=row.severity,
        open_while=row.open_while,
    )
    tx.taint |= set(row.taint)
    about = await tx.get(row.about) if row.about else None
    asked = await ask_by_card(tx, card, content, about, expires=row.expires_at)
    await tx.conn.execute(SQL["adopted"], {"id": card, "ask": asked.id})
    return asked


KINDS = (CardQuestion(),)
VERBS = (send, ask, press)
