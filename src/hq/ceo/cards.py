"""Cards: what the CEO puts before the founder, with buttons that are verbs. One shape for the terminal, the page and the API.

A card is a line of the conversation. Whoever presses a button, on whichever device, acts once, and everybody sees it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from hq.agents.ceo import ceo
from hq.agents.sessions import EXAMPLE, moment
from hq.ceo.quiet import Severity, when_to_speak
from hq.database.queries import beside
from hq.door.access import FOUNDER, LEADERS, STAFF
from hq.door.door import parse
from hq.door.results import Listing
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.door.verbs.auth import ensure_principal
from hq.errors import Refused
from hq.graph.moment import parse_moment
from hq.ids import new_id, parse_id

SQL = beside(__file__)
Kind = Literal["hire", "skill", "budget", "report", "mission", "attention", "choice", "alert"]
MAY_CALL = frozenset(
    {
        "agent.create", "agent.hire", "agent.pause", "agent.resume", "agent.send", "budget.raise", "chat.say",
        "delegation.approve", "delegation.reject", "escalation.resolve", "mission.answer", "mission.assign",
        "mission.fail", "mission.pause", "mission.resume", "mission.settle_plan", "mission.sign_off", "proposal.reject",
        "review.resolve", "schedule.pause", "skill.enable",
    }
)  # fmt: skip
"""What a button may do. It acts with the founder's own rights, so no approval, key or rule is ever behind one."""
LATER = timedelta(seconds=20)
"""When it is tried again while somebody is speaking in the conversation."""
UNDER_WAY = timedelta(seconds=10)


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Fact(Part):
    """One thing to know before deciding."""

    name: str = Field(min_length=1, max_length=60)
    """What it is."""
    value: str = Field(max_length=1000)
    """How it is."""


class Button(Part):
    """One way to answer: a call, a page to go to, or nothing but the answer itself."""

    key: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,30}$")
    """Its name within the card."""
    label: str = Field(min_length=1, max_length=60)
    """What it says."""
    verb: str | None = Field(default=None, max_length=60)
    """The verb it calls."""
    args: dict[str, JsonValue] = Field(default_factory=dict)
    """With these arguments."""
    link: str | None = Field(default=None, pattern=r"^/[a-z/]*$", max_length=60)
    """The page it leads to."""
    main: bool = False
    """Whether it is what the CEO would do."""

    @property
    def only_says(self) -> bool:
        return self.verb in (None, "chat.say")


class Content(Args):
    """What to put before the founder."""

    kind: Kind
    """What sort of card it is."""
    title: str = Field(min_length=1, max_length=300)
    """The thing itself, in one sentence."""
    text: str = Field(default="", max_length=8000)
    """More of it, in markdown."""
    facts: list[Fact] = Field(default_factory=list, max_length=20)
    """What one should know before deciding."""
    buttons: list[Button] = Field(default_factory=list, max_length=8)
    """Ways to answer."""
    severity: Severity = "info"
    """How much it matters; only what is critical is said in quiet hours."""
    about: Ref | None = None
    """What it concerns."""
    open_while: list[str] | None = Field(default=None, max_length=8)
    """States of that in which an answer is still wanted."""
    expires: str | None = Field(default=None, max_length=40)
    """When an answer is no longer wanted."""


class Sent(Result):
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
async def send(tx: Tx, args: Content) -> Sent:
    """Put something before the founder, in the conversation with the CEO: now, or once it is no longer quiet."""
    agent = await ceo(tx)
    _check_buttons(tx, args.buttons)
    about = await tx.get(args.about) if args.about else None
    due = when_to_speak(await tx.one(SQL["when_to_speak"], {"now": tx.now}), args.severity, tx.now)
    id = new_id()
    await tx.conn.execute(
        SQL["put_card"],
        {
            "id": id,
            "agent": agent,
            "kind": args.kind,
            "severity": args.severity,
            "title": args.title,
            "body": args.text,
            "facts": Jsonb([fact.model_dump() for fact in args.facts]),
            "buttons": Jsonb([button.model_dump(exclude_none=True) for button in args.buttons]),
            "asks": any(button.verb or args.kind == "choice" for button in args.buttons),
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
    return Sent(
        id=str(id),
        kind=args.kind,
        title=args.title,
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
    if (await tx.one(SQL["place_card"], values)).placed:
        return tx.now
    await tx.conn.execute(SQL["hold_card"], {"id": card, "due": tx.now + LATER})
    return tx.now + LATER


async def show_due(tx: Tx) -> int:
    """Show what was held and whose time has come, as much as the founder's attention allows. How much that was."""
    shown = 0
    for held in await tx.rows(SQL["due_cards"], {"now": tx.now}):
        due = when_to_speak(await tx.one(SQL["when_to_speak"], {"now": tx.now}), held.severity, tx.now)
        if due > tx.now:
            await tx.conn.execute(SQL["hold_card"], {"id": held.id, "due": due})
        else:
            shown += await place(tx, held.id) <= tx.now
    return shown


def _check_buttons(tx: Tx, buttons: list[Button]) -> None:
    if len({button.key for button in buttons}) < len(buttons):
        raise Refused.invalid("buttons: two have the same key")
    for button in buttons:
        if button.verb is None:
            continue
        if button.verb not in MAY_CALL:
            raise Refused.invalid(f"a button cannot call {button.verb}; it may call {', '.join(sorted(MAY_CALL))}")
        parse(tx.door.registry.get(button.verb), button.args)
        if tx.taint and not button.only_says:
            raise Refused.forbidden(
                f"what came from outside ({', '.join(sorted(tx.taint))}) had a part in this card, so its buttons may "
                "only say something; ask for an approval instead"
            )


class Which(Args):
    """Which card."""

    card: str = first(max_length=60)
    """Its id, as `hq card list` shows it."""


class Press(Which):
    """Which card, and which of its buttons."""

    button: str = first(max_length=31)
    """The button's key."""


class Pressed(Result):
    id: str
    pressed: str
    """The button that counts: the first that was pressed."""
    already: bool = False
    """Somebody had pressed it before; nothing was done again."""


@verb(
    "card.press",
    "write",
    for_=FOUNDER,
    scope="founder",
    emits="card.pressed",
    examples=[{"card": EXAMPLE, "button": "a"}],
)
async def press(tx: Tx, args: Press) -> Pressed:
    """Press a button of a card. It acts once, however often and from wherever it is pressed."""
    card = await tx.one(SQL["to_press"], {"id": parse_id(args.card)})
    if card is None:
        raise Refused.not_found(f"there is no card {args.card!r}; `hq card list` shows them")
    buttons = {each["key"]: Button.model_validate(each) for each in card.buttons}
    if args.button not in buttons:
        raise Refused.invalid(f"the card has no button {args.button!r}; it has {', '.join(buttons) or 'none'}")
    key = f"card:{card.id}:{card.pressed or args.button}"
    if card.pressed is not None and await _counts(tx, card, buttons, args.button, key):
        return Pressed(id=str(card.id), pressed=card.pressed, already=True)
    values = {"id": card.id, "button": args.button, "by": tx.caller.actor, "now": tx.now}
    await tx.conn.execute(SQL["press"], values)
    button, pressed = buttons[args.button], Press(card=str(card.id), button=args.button)
    if call := _call(card, button):
        tx.then.append(
            Call(
                *call,
                tx.call.token,
                key=key,
                reason=f"card: {button.label}",
                parent_id=tx.action_id,
                actor=tx.call.actor,
                taint=frozenset(card.taint),
                otherwise=Call("card.let_go", pressed.model_dump(), tx.call.token, parent_id=tx.action_id),
            )
        )
    return Pressed(id=str(card.id), pressed=args.button)


@verb("card.let_go", "write", for_=FOUNDER, scope="founder", emits="card.let_go", hidden=True, while_frozen=True)
async def let_go(tx: Tx, args: Press) -> Pressed:
    """What a button calls was refused: it can be pressed again, on every device and after any reload."""
    key = {"key": f"card:{args.card}:{args.button}"}
    if not (await tx.one(SQL["made_under"], key)).made:
        await tx.conn.execute(SQL["let_go"], {"id": parse_id(args.card), "button": args.button})
    return Pressed(id=args.card, pressed=args.button)


def _call(card: Any, button: Button) -> tuple[str, dict[str, Any]] | None:
    """What a press calls. A choice that calls nothing of itself is told to the CEO."""
    if button.verb:
        return button.verb, dict(button.args)
    return ("chat.say", {"text": f"{card.title} {button.label}"}) if card.kind == "choice" else None


async def _counts(tx: Tx, card: Any, buttons: dict[str, Button], button: str, key: str) -> bool:
    """Whether the press before this one holds: its call was made, or is being made just now."""
    pressed = buttons.get(card.pressed)
    if pressed is None or _call(card, pressed) is None or button != card.pressed:
        return True
    return card.pressed_at > tx.now - UNDER_WAY or (await tx.one(SQL["made_under"], {"key": key})).made


class ListCards(Args):
    """Which cards."""

    open: bool = False
    """Only those that still ask for something."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""
    after: str | None = Field(default=None, max_length=60)
    """The `next` of the page before."""


@verb("card.list", "read", for_=STAFF, examples=[{}, {"open": True}])
async def list_(tx: Tx, args: ListCards) -> Listing:
    """What the CEO put before the founder, newest first."""
    values = {"open": args.open, "limit": args.limit + 1, "now": tx.now, "then": moment(tx)}
    rows = await tx.rows(SQL["cards"], values | {"before": parse_id(args.after) if args.after else None})
    page = rows[: args.limit]
    shapes = [row.shape for row in page if not args.open or row.shape["state"] == "open"]
    return Listing(items=shapes, next=str(page[-1].id) if len(rows) > args.limit else None)


class Shown(Result):
    id: str
    kind: str
    title: str
    state: str
    """open, held, pressed, or over because nobody needs an answer any more."""


@verb("card.show", "read", for_=STAFF, examples=[{"card": EXAMPLE}])
async def show(tx: Tx, args: Which) -> Shown:
    """One card: what it says, its buttons, and which was pressed."""
    found = (await tx.one(SQL["card"], {"id": parse_id(args.card), "now": tx.now, "then": moment(tx)})).shape
    if found is None:
        raise Refused.not_found(f"there is no card {args.card!r}; `hq card list` shows them")
    return Shown.model_validate(found)


VERBS = (send, press, let_go, list_, show)
