"""Card shape: a card as every face has it, made by `ops.card_shape`; what is empty is left out."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class CardFactItem(TypedDict):
    """Something to know."""

    name: str
    value: str


class CardButtonItem(TypedDict):
    """A button: what it is called, and what is behind it."""

    key: str
    label: str
    main: NotRequired[bool]
    does: NotRequired[str]
    link: NotRequired[str]
    verb: NotRequired[str]
    args: NotRequired[dict[str, object]]


class CardRemarkItem(TypedDict):
    """What somebody says of it beside."""

    by: str
    text: str


class CardOfferItem(TypedDict):
    """Where what was made is looked at."""

    label: str
    link: str
    command: str


class CardItem(TypedDict):
    id: str
    kind: str
    severity: str
    title: str
    text: NotRequired[str]
    facts: list[CardFactItem]
    buttons: list[CardButtonItem]
    remark: NotRequired[CardRemarkItem]
    asks: bool
    ask: NotRequired[str]
    about: NotRequired[str]
    by: NotRequired[str]
    name: NotRequired[str]
    """What who put it there is called."""
    gate: NotRequired[str]
    """Of an approval, the class of the call."""
    offers: NotRequired[list[CardOfferItem]]
    state: Literal["held", "open", "pressed", "over"]
    became: NotRequired[str]
    """Why it is over."""
    pressed: NotRequired[str]
    pressed_by: NotRequired[str]
    answer: NotRequired[str]
    """What its question was answered with, in words."""
    answered_by: NotRequired[str]
    at: str
