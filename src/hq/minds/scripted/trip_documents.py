"""Trip documents that scripts prepare: a packing list and a budget, made of what was said; whatever was not is marked as assumed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from hq.calendar_words import MONTHS
from hq.minds.scripted.dates import day

NIGHTS, TRAVELLERS, OUTFITS = 3, 1, 8
"""What is assumed where nobody said it; and for how many days clothes are packed before some are washed on the way."""
SYMBOLS = {"€": "€", "eur": "€", "euro": "€", "$": "$", "usd": "$", "dollar": "$", "£": "£", "gbp": "£", "pound": "£"}
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "a": 1}
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_MONTH = "|".join(sorted({*MONTHS, *(name[:3] for name in list(MONTHS)[:12])}, key=len, reverse=True))
_ISO = r"\d{4}-\d\d-\d\d"
_TO = r"\s*(?:to|until|till|and|-|–)\s*(?:the )?"
_DATES = (
    re.compile(rf"\b(?P<a>{_ISO}){_TO}(?P<b>{_ISO})\b"),
    re.compile(rf"\b(?P<a>\d{{1,2}} (?:{_MONTH})\w*){_TO}(?P<b>\d{{1,2}} (?:{_MONTH})\w*)", re.I),
    re.compile(rf"\b(?P<a>\d{{1,2}}){_TO}(?P<b>\d{{1,2}})(?P<month> (?:of )?(?:{_MONTH})\w*(?: \d{{4}})?)\b", re.I),
    re.compile(rf"\b(?P<before>(?:{_MONTH})\w*) (?P<a>\d{{1,2}}){_TO}(?P<b>\d{{1,2}})\b", re.I),
)
_SPAN = re.compile(rf"\b{_COUNT}[ -](?P<unit>night|day|week|weekend)s?\b", re.I)
_WHO = (
    re.compile(rf"\b{_COUNT} (?:people|persons?|adults?|travell?ers?|of us)\b", re.I),
    re.compile(rf"\bfor {_COUNT}(?=\s*(?:[.,;]|$|from\b|in\b|on\b|with\b|and\b))", re.I),
)
_WHERE = (
    re.compile(r"\bfor (?:the|my|our|a|an) (?P<place>[\w'’ -]{2,40}?) (?:trip|journey|visit|holidays?|vacation|weekend|week)\b"),
    re.compile(r"\b(?:trip|travel|journey|visit|holidays?|vacation|weekend|week|flight) (?:to|in) (?P<place>[A-Z][\w'’-]*(?: (?:de |da |do )?[A-Z][\w'’-]*){0,3})"),
)  # fmt: skip
_NO_PLACE = re.compile(
    rf"\s*\b(?:{'|'.join(list(MONTHS)[:12])}|next|upcoming|whole|long|short|weekend|week|summer|winter|spring|autumn|work|business|family|beach|ski|school|conference)\b\s*",
    re.IGNORECASE,
)
"""Words around a trip that name no place."""
_MONEY = re.compile(
    r"(?P<before>[€$£]|\b(?:eur|usd|gbp)) ?(?P<x>\d[\d,. ]*\d|\d)|\b(?P<y>\d[\d,.]*\d|\d) ?(?P<after>[€$£]|(?:eur|usd|gbp|euros?|dollars?|pounds?)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Trip:
    """What is known of a trip. What nobody said is None."""

    place: str | None
    begins: date | None
    ends: date | None
    said_nights: int | None
    said_travellers: int | None
    limit: int | None
    symbol: str | None
    asked: str

    @property
    def nights(self) -> int:
        return self.said_nights if self.said_nights is not None else NIGHTS

    @property
    def days(self) -> int:
        return self.nights + 1

    @property
    def travellers(self) -> int:
        return self.said_travellers or TRAVELLERS

    @property
    def name(self) -> str:
        return f"the {self.place} trip" if self.place else "the trip"

    def speaks_of(self, pattern: str) -> bool:
        return bool(re.search(rf"\b(?:{pattern})\b", self.asked, re.IGNORECASE))

    def money(self, amount: int) -> str:
        return f"{self.symbol or '€'} {amount:,}"


def trip(asked: str, today: str) -> Trip:
    """A trip, from the words in which something was asked for."""
    begins, ends = _dates(asked, datetime.fromisoformat(today).replace(tzinfo=UTC))
    named = [_NO_PLACE.sub(" ", found["place"]).strip() for each in _WHERE if (found := each.search(asked))]
    place = next(filter(None, named), None)
    who = next((_number(found) for pattern in _WHO if (found := pattern.search(asked))), None)
    limit, symbol = _limit(asked)
    nights = (ends - begins).days if begins and ends else _span(asked)
    return Trip(place, begins, ends, nights, who or None, limit, symbol, asked)


def _dates(asked: str, now: datetime) -> tuple[date | None, date | None]:
    for pattern in _DATES:
        if found := pattern.search(asked):
            parts = found.groupdict("")
            beside = parts.get("month", "").replace(" of", ""), parts.get("before", "")
            ends = [day(f"{beside[1]} {parts[each]}{beside[0]}".strip(), now) for each in "ab"]
            if all(ends):
                first, last = (date.fromisoformat(each[:10]) for each in ends)
                if first <= last and (last - first).days <= 366:
                    return first, last
    return None, None


def _span(asked: str) -> int | None:
    if found := _SPAN.search(asked):
        many = _number(found)
        per = {"night": many, "day": max(0, many - 1), "week": 7 * many, "weekend": 2 * many}
        return min(366, per[found["unit"].lower()])
    return 2 if re.search(r"\bweekend\b", asked, re.IGNORECASE) else None


def _number(found: re.Match[str]) -> int:
    return _NUMBERS.get(found["count"].lower()) or int(found["count"])


def _limit(asked: str) -> tuple[int | None, str | None]:
    found = _MONEY.search(asked)
    if found is None:
        return None, None
    text = re.sub(r"[.,]\d{1,2}$", "", (found["x"] or found["y"]).strip())
    unit = (found["before"] or found["after"]).lower().rstrip("s")
    return int(re.sub(r"\D", "", text)), SYMBOLS[unit]


def trip_name(asked: str, today: str) -> str:
    return trip(asked, today).name


def trip_document(objective: str, today: str) -> Mapping[str, Any]:
    """What a mission's objective asks for, by its first words: where it is kept, its text, and what came of it in a line."""
    known = trip(objective, today)
    make = _packing_list if objective.lower().startswith("packing list") else _budget
    return make(known)


def _packing_list(known: Trip) -> Mapping[str, Any]:
    packed = _packed(known)
    many = sum(len(rows) for _, rows in packed)
    text = [f"# Packing list for {known.name}", "", *_known(known)]
    for heading, rows in packed:
        text += ["", f"## {heading}", "", *_table(("Packed", "What", "How many", "Why"), [("☐", *row) for row in rows])]
    text += ["", "What the weather will be nobody has looked up: the jacket and the warm layer are there for that."]
    told = f"{many} kinds of things for {_people(known)} and {_nights(known)}{_assumed(known)}"
    return {"path": "packing-list.md", "text": "\n".join(text) + "\n", "told": told}


def _packed(known: Trip) -> list[tuple[str, list[tuple[str, str, str]]]]:
    each, outfits = known.travellers, min(known.days, OUTFITS)
    wash = f"one a day for {OUTFITS} days, then washed" if known.days > OUTFITS else "one a day"
    clothes = [
        ("Shirts or T-shirts", outfits * each, wash),
        ("Underwear", (outfits + 1) * each, f"{wash}, and one more"),
        ("Pairs of socks", (outfits + 1) * each, f"{wash}, and one more"),
        ("Trousers or skirts", math.ceil(outfits / 3) * each, "one for three days"),
        ("Jumper or warm layer", each, "evenings"),
        ("Light rain jacket", each, "any weather"),
        ("Sleepwear", each, "nights"),
        ("Comfortable shoes", each, "worn on the way"),
    ]
    if known.speaks_of(r"beach|sea|swim\w*|pool|surf\w*"):
        clothes += [("Swimwear", 2 * each, "you spoke of water"), ("Towel for the beach", each, "you spoke of water")]
    if known.speaks_of(r"winter|ski\w*|snow|cold"):
        clothes += [
            ("Coat, hat and gloves", each, "you spoke of cold"),
            ("Thermal layers", 2 * each, "you spoke of cold"),
        ]
    if known.speaks_of(r"business|work|conference|meetings?|client|customers?|fair"):
        clothes.append(("Outfit for meetings", min(2, known.days) * each, "you spoke of work"))
    papers = [
        ("Identity card or passport", each, "valid beyond the way back"),
        ("Tickets and bookings", each, "on the phone, and a copy"),
        ("Insurance card", each, "illness on the way"),
        ("Bank card, and a little cash", each, "kept apart"),
    ]
    wash_bag = [
        ("Toothbrush", each, "each their own"),
        ("Toothpaste, soap, shampoo", 1, "up to 100 ml each in hand luggage"),
        ("Sun cream", 1, "up to 100 ml in hand luggage"),
        ("Own medicines", each, f"for {known.days} days and two more"),
        ("Plasters and painkillers", 1, "for all"),
    ]
    devices = [
        ("Phone and charger", each, "each their own"),
        ("Plug adapter", 1, "look up which sockets they have"),
        ("Power bank", 1, "hand luggage only"),
    ]
    if known.speaks_of(r"business|work|conference|meetings?|client|customers?|fair"):
        devices.append(("Laptop and charger", each, "you spoke of work"))
    bag = [
        ("Day bag", each, "on foot"),
        ("Water bottle", each, "empty at the airport"),
        ("Bag for laundry", 1, "the way back"),
    ]
    sections = {
        "Papers and money": papers,
        "Clothes": clothes,
        "Wash bag": wash_bag,
        "Devices": devices,
        "Besides": bag,
    }
    return [(name, [(what, str(many), why) for what, many, why in rows]) for name, rows in sections.items()]


def _budget(known: Trip) -> Mapping[str, Any]:
    each, rooms = known.travellers, math.ceil(known.travellers / 2)
    lines = [
        ("Travel there and back", f"{each} × ticket", each, 150),
        ("Room, two to one", f"{rooms} × {_nights(known)}", rooms * known.nights, 110),
        ("Food and drink", f"{each} × {known.days} days", each * known.days, 45),
        ("Getting around", f"{each} × {known.days} days", each * known.days, 12),
        ("Entrances and extras", f"{each} × {known.days} days", each * known.days, 20),
        ("Travel insurance", f"{each} × trip", each, 25),
    ]
    amounts = [many * price for _, _, many, price in lines]
    reserve = math.ceil(sum(amounts) / 10)
    total = sum(amounts) + reserve
    rows = [
        (what, many, known.money(price), known.money(amount), "price assumed")
        for (what, many, _, price), amount in zip(lines, amounts, strict=True)
    ]
    rows += [
        ("Reserve", "10 % of the above", "", known.money(reserve), "assumed"),
        ("**Total**", "", "", f"**{known.money(total)}**", "the sum of the lines"),
    ]
    text = [f"# Budget for {known.name}", "", *_known(known, money=True), "", "## What it comes to", ""]
    text += _table(("What", "How many", "Each", "Amount", "Grounds"), rows)
    limit = ""
    if known.limit is not None:
        left = known.limit - total
        limit = f"{known.money(abs(left))} {'is left of' if left >= 0 else 'more than'} {known.money(known.limit)}"
        text += ["", f"By these prices {limit}, which is what you want to spend."]
    text += ["", "No price was looked up. Put what you are quoted in place of each, and add the lines up anew."]
    told = f"{known.money(total)} in all for {_people(known)} and {_nights(known)}{_assumed(known)}, at prices that are assumed"
    return {"path": "budget.md", "text": "\n".join(text) + "\n", "told": f"{told}; {limit}" if limit else told}


def _known(known: Trip, *, money: bool = False) -> list[str]:
    """What all of it is made from, and where each of that comes from."""
    when = f"{known.begins:%d %b %Y} to {known.ends:%d %b %Y}" if known.begins and known.ends else "not said"
    rows = [
        ("Where", known.place or "not said", "you" if known.place else "open"),
        ("When", when, "you" if known.begins else "open"),
        ("Nights", str(known.nights), "you" if known.said_nights is not None else "**assumed**"),
        ("Travellers", str(known.travellers), "you" if known.said_travellers else "**assumed**"),
    ]
    if money:
        rows.append(("Currency", known.symbol or "€", "you" if known.symbol else "**assumed**"))
        if known.limit is not None:
            rows.append(("To spend", known.money(known.limit), "you"))
    return _table(("What", "", "From"), rows)


def _assumed(known: Trip) -> str:
    parts = [*(["nights"] if known.said_nights is None else []), *(["travellers"] if not known.said_travellers else [])]
    return f" ({' and '.join(parts)} assumed)" if parts else ""


def _people(known: Trip) -> str:
    return "1 person" if known.travellers == 1 else f"{known.travellers} people"


def _nights(known: Trip) -> str:
    return "1 night" if known.nights == 1 else f"{known.nights} nights"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |" for cells in lines]
