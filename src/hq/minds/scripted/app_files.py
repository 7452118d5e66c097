"""Files of the small apps that scripts build, and changes of them that need no model: a title, a colour, the order, a field.

They lie beside the scripts as what they are, so that they can be run and tested there. What is particular about one is said in
lines such as `TITLE = "Log"`; a change is another value there.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

APPS = Path(__file__).parents[1] / "scripts" / "apps"
COLOURS = {
    "blue": "#1d4ed8", "green": "#15803d", "red": "#b91c1c", "purple": "#7e22ce", "violet": "#6d28d9", "orange": "#c2410c",
    "pink": "#be185d", "teal": "#0f766e", "turquoise": "#0e7490", "brown": "#92400e", "black": "#1f2937", "grey": "#4b5563",
    "gray": "#4b5563",
}  # fmt: skip
"""Each dark enough for white words on it."""
MOST_SAID = 2_000
"""Characters of a wish that are read for what it lists or wants changed."""
_VALUE = r"""(?:"(?:[^"\\\n]|\\.)*"|[^"#\s](?:[^#\n]*[^#\s])?)"""
_TITLE = re.compile(
    r"\b(?:title|heading|headline|name)\b[^.\n]{0,30}?\b(?:to|be|into|is)\b:? +(?P<a>[^\n]+)"
    r"|\b(?:rename|call|name) (?:it|this|that|(?:the|my|our) [\w -]{1,40}?) (?:to|as) +(?P<b>[^\n]+)"
    r"|\b(?:re)?(?:call|name)d? (?:it|this|that) +(?P<c>[“\"'\w][^\n]*)"
    r"|\b(?:re)?(?:call|name)d? (?:the|my|our) [\w -]{1,40}? +(?P<d>(?-i:[“\"'A-Z0-9])[^\n]*)",
    re.IGNORECASE,
)
_COLOUR = re.compile(rf"\b({'|'.join(COLOURS)}|#[0-9a-f]{{6}})\b", re.IGNORECASE)
_SORT = re.compile(
    r"\b(?:sort|order|list|show)\w*\b[^.\n]{0,40}?\b(cost|price|expens\w*|hours?|time|oldest|newest|latest)\b", re.I
)
_SORTS = {"cost": "cost", "price": "cost", "hour": "hours", "hours": "hours", "time": "hours", "oldest": "oldest"}
_FIELD = re.compile(
    r"\badd (?:an?(?:other)?|one more|the) (?:(?:text )?(?:field|column)s?(?: (?:to|in|on) (?:it|(?:the|my|our) [\w -]{1,40}?)(?=:| (?:for|called|named|with)\b))?"
    r"(?::| for| called| named| with)?(?: the| an?)? +(?P<a>[“\"']?[\w][\w /-]{0,60})"
    r"|(?P<b>[\w][\w /-]{0,38}?) (?:field|column))",
    re.IGNORECASE,
)
_OF_WHICH = re.compile(r"\s+(?:to|in|on) (?:it|this|that|(?:the|my|our) [^\n]+)$", re.IGNORECASE)
"""Which app a field is for, behind its name."""
_FORM = re.compile(
    r"\b(?:kinds?|types?|aircrafts?|choices?|entries|choose|chosen|pick(?:ed)?)\b[^.\n]{0,60}?\b(?P<list>(?:an?|the|from|as) (?:\w+ )?(?:list|drop-?down)\b)"
    r"|\b(?:kinds?|types?|aircrafts?|choices?|entries|choose|chosen|type)\b[^.\n]{0,60}?\b(?P<text>free[ -]text|by hand|typed?\b|anything)",
    re.IGNORECASE,
)
"""How the kinds of an entry are given, where nothing is listed."""
_CHOICE = re.compile(
    r"\badd (?P<what>[^.\n]{1,120}?) (?:to|into|as an?) (?:the |my |our )?(?:list|choices?|kinds?|types?|aircraft|dropdown)\b",
    re.IGNORECASE,
)
_LOCK = re.compile(
    r"\b(?:ask for|with|add|behind|needs?) (?:an? )?(?:pass ?word|login|log-?in|sign-?in)", re.IGNORECASE
)
_UNLOCK = re.compile(r"\b(?:no|without|remove|drop)(?: an?| the)? (?:pass ?word|login|log-?in|sign-?in)", re.IGNORECASE)
_LISTED = re.compile(
    r"\b(?:list|dropdown|choices?|kinds?|types?)\b[^:\n]{0,40}: *(?P<items>[^\n]+)"
    r"|\b(?:list|dropdown|choices)\b(?:,? (?:please|thanks))?,? (?:with|of|namely|containing) +(?P<named>[^\n]+)",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"(?:my|our|the|all|common|usual|some|any|an?|most|more|every)\b.*|(?:\S+\s+){3,}\S+", re.IGNORECASE
)
"""What stands behind “a list with” and says what sort of thing is on it, rather than its name."""
_VERBS = (
    r"make|turn|paint|sort|order|add|change|put|call|rename|name|show|remove|delete|send|e-?mail|export|import|let|use|set|give|allow|print|"
    r"choose|pick|select|draw|connect|calculate|count|translate|warn|notify|remind|support|store|save|upload|hide|move|replace|rewrite|write"
)
_PARTS = re.compile(
    rf"[.;!]\s+|\n+|,?\s+(?:and|then|also|plus|but)\s+(?:(?:also|then|please)\s+)?(?=(?:{_VERBS})\b)|,\s+(?=(?:{_VERBS})\b)",
    re.IGNORECASE,
)
"""Where one wish ends and the next begins."""
_SAID_BESIDE = re.compile(
    r"(?:(?:please|thanks?|thank you|cheers|ok(?:ay)?|yes|no|sorry|hi|hello|hey|great|good|nice|perfect|actually|instead|because|so that"
    r"|that(?:['’]s| is| was| would)|(?:it|this)(?:['’]s| is| was| looks| would)|(?:i|we) (?:like|liked|love|think|guess|believe|prefer|know|hope|find|changed))\b.*|\W*)",
    re.IGNORECASE,
)
"""What wants nothing: courtesy, and why something is wanted. Whatever else a part says is told where it is not done."""
_STAYS = re.compile(
    r"\b(?:nothing|everything|all the rest|the rest|anything) else\b|\b(?:stays?|keep|leave) (?:it |everything |the rest )?as\b|\bas (?:it|they) (?:is|are|was|were)\b",
    re.IGNORECASE,
)
_BEYOND = re.compile(
    r"\b(?:charts?|graphs?|plots?|maps?|photos?|pictures?|images?|uploads?|e-?mails?|notifications?|calendar|sync\w*|pdf|excel|accounts?|currenc\w+|translat\w+|dark mode)\b",
    re.IGNORECASE,
)
"""What no setting of these apps brings, beside whatever else a wish says."""
_ENDS = re.compile(
    r"[.!?]\s+(?=(?:Nothing|No|Not|And|Please|I|It|They|The|Thanks?|That)\b)|[ ,.]*\b(?:please|thanks|thank you)\b[.! ]*$"
)
_NO_ITEM = re.compile(r"(?:(?:an)?others?|(?:some|any|no)thing else)\b.*|.*\bfree text\b.*", re.IGNORECASE)
_JOINTS = re.compile(r"\s*(?:,|;|\band\b|\bor\b)\s*", re.IGNORECASE)


def filled(name: str, **settings: Any) -> str:
    """A file of an app, with these values for what is particular about it."""
    text = _read(name)
    for setting, value in settings.items():
        text = re.sub(rf"(?m)^{setting} = {_VALUE}", lambda _, s=setting, v=value: f"{s} = {written(v)}", text)
        shown = str(value)
        text = text.replace(f"${setting}", escape(shown) if name.endswith(".html") else shown)
    return text


@cache
def _read(name: str) -> str:
    path = (APPS / name).resolve()
    if not path.is_relative_to(APPS):  # scripts are data, also when somebody else wrote them
        raise ValueError(f"{name} is no file of an app")
    return path.read_text("utf-8")


def written(value: Any) -> str:
    """As Python writes it, with the quotes everybody uses."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    items = [json.dumps(str(each), ensure_ascii=False) for each in value]
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def choices(said: Any) -> list[str]:
    """What somebody listed in so many words: `from a list: C172, PA-28 and glider`, `a list with C172 and PA-28`."""
    return _listing(str(said or ""))[1]


def _listing(said: str) -> tuple[int | None, list[str]]:
    """Where the listing begins, and what is on it. Without a colon it is one where two or more are named, each in few words."""
    found = _LISTED.search(said)
    if found is None:
        return None, []
    group = "items" if found["items"] is not None else "named"
    items = [each.strip(" .“”\"'") for each in _JOINTS.split(_ENDS.split(_spaced(found[group]))[0])]
    items = [each for each in items if 0 < len(each) <= 40 and not _NO_ITEM.fullmatch(each)]
    if group == "named" and (len(items) < 2 or any(_NO_NAME.fullmatch(each) for each in items)):
        return None, []
    return found.start(group), items


def _spaced(said: str) -> str:
    """With one space between words, and no longer than anybody lists: each space after another would be looked at again."""
    return re.sub(r"[^\S\n]+", " ", said[:MOST_SAID])


def listed_at(said: str) -> int | None:
    """Where in it the listing begins; nothing where it lists nothing."""
    return _listing(said)[0]


def unmet(text: Any, words: Any) -> list[str]:
    """The parts of what somebody wants changed for which there is no line to write: each in its own words."""
    left = []
    for part in _PARTS.split(_spaced(str(words or ""))):
        part = part.strip(" .,;!")
        wanted = list(_wanted(part))
        lines = [
            _line_of(str(text or ""), name) or any(_of_page(str(text or ""), name, value, says))
            for name, value, says in wanted
        ]
        done = bool(wanted) and all(lines) and not _BEYOND.search(part)
        if not done and part and not _SAID_BESIDE.fullmatch(part) and not _STAYS.search(part):
            left.append(part)
    return left


def edits(text: Any, words: Any) -> list[dict[str, str]]:
    """What to write in place of which line for what somebody wants changed, each with what it comes to in words."""
    return list(_edits(str(text or ""), str(words or "")))


def _edits(text: str, words: str) -> Iterator[dict[str, str]]:
    for name, value, says in _wanted(words):
        line = _line_of(text, name)
        if line is None:
            yield from _of_page(text, name, value, says)
            continue
        if value is STOCK and 'KIND = "Aircraft"' in text:
            value = AIRCRAFT
        new = _extended(line[2], value) if isinstance(value, list) else value
        if new is not None and written(new) != line[2]:
            yield {"old": line[1], "new": f"{name} = {written(new)}", "says": says}
            if isinstance(value, list) and name == "KINDS" and line[2] == "()" and (other := _line_of(text, "OTHER")):
                yield from _edit(other, "OTHER", True)  # what was typed so far may still be


def _edit(line: re.Match[str], name: str, value: object) -> Iterator[dict[str, str]]:
    if written(value) != line[2]:
        yield {"old": line[1], "new": f"{name} = {written(value)}", "says": ""}


def decided_anew(tests: Any, settings: Any, wanted: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """What to write in the tests of a log whose kinds are given otherwise from now on: what was decided, and what it was built with.
    Nothing where something was only added to the list, or nobody had decided it."""
    there = {name: line for name in ("KINDS", "OTHER") if (line := _line_of(str(settings or ""), name))}
    decided, built = (_line_of(str(tests or ""), name) for name in ("DECIDED", "BUILT"))
    if len(there) < 2 or decided is None or built is None or decided[2] == '""':
        return []
    new = {name: line[2] for name, line in there.items()} | dict(each["new"].split(" = ", 1) for each in wanted)
    kinds, before = (list(ast.literal_eval(text)) for text in (new["KINDS"], there["KINDS"][2]))
    if kinds == before or (before and set(before) < set(kinds)):
        return []
    other = ", or something else" if new["OTHER"] == "True" else ""
    words = f"From a list: {', '.join(kinds)}{other}" if kinds else "As free text"
    return [*_edit(decided, "DECIDED", words), *_edit(built, "BUILT", kinds)]


def _line_of(text: str, name: str) -> re.Match[str] | None:
    return re.search(rf"(?m)^[ \t]*(?:\d{{1,9}}[ \t]*[→\t:|][ \t]*)?({name} = ({_VALUE}))", text)


def _of_page(text: str, name: str, value: object, says: str) -> Iterator[dict[str, str]]:
    """A page by itself has no such line: its title is its heading, and its colour is in its style."""
    if name == "TITLE" and (old := re.search(r"<h1>[^<]*</h1>", text)):
        yield {"old": old[0], "new": f"<h1>{escape(str(value))}</h1>", "says": says}
    if name == "COLOUR" and (old := re.search(r"--accent: #[0-9a-f]{6};", text)):
        yield {"old": old[0], "new": f"--accent: {value};", "says": says}


STOCK = ("Work", "Travel", "Equipment")
AIRCRAFT = ("Cessna 152", "Cessna 172", "Piper PA-28", "Diamond DA40")
"""What is on the list where nobody said what is to be."""


def _wanted(words: str) -> Iterator[tuple[str, str | bool | list[str] | tuple[str, ...], str]]:
    """What is to be in which line: a list is added to what is there, a tuple takes its place."""
    if found := _TITLE.search(words):
        title = _quoted(found["a"] or found["b"] or found["c"] or found["d"])
        if title:
            yield "TITLE", title, f"it is called “{title}”"
    if (found := _COLOUR.search(words)) and not _CHOICE.search(words) and not choices(words):
        colour = found[1].lower()
        yield "COLOUR", COLOURS.get(colour, colour), f"it is {colour}"
    if found := _SORT.search(words):
        order = _SORTS.get(found[1].lower(), "cost" if found[1].lower().startswith("expens") else "newest")
        yield (
            "SORT",
            order,
            f"entries are shown by {order} first" if order in ("cost", "hours") else f"the {order} entries come first",
        )
    if found := _CHOICE.search(words):
        added = [each.strip(" “”\"'") for each in _JOINTS.split(found["what"])]
        yield "KINDS", [each for each in added if each], f"one can choose {found['what'].strip()}"
    elif items := choices(words):
        yield "KINDS", tuple(items), f"one chooses from {', '.join(items)}"
        yield "OTHER", bool(re.search(r"\b(?:others?|(?:some|any)thing else)\b", words, re.IGNORECASE)), ""
    elif found := _FORM.search(words):
        yield (
            "KINDS",
            STOCK if found["list"] else (),
            f"kinds are {'chosen from a list' if found['list'] else 'free text'}",
        )
        if found["list"]:
            yield "OTHER", True, ""
    elif found := _FIELD.search(words):
        field = _OF_WHICH.sub("", _quoted(found["a"] or found["b"])).strip(" “”\"'")[:40]
        field = field[:1].upper() + field[1:]
        if field:
            yield "EXTRA", [field], f"there is a field “{field}”"
    if _UNLOCK.search(words):
        yield "SIGN_IN", False, "it asks for no password"
    elif _LOCK.search(words):
        yield "SIGN_IN", True, "it asks for a password"


def _quoted(text: str) -> str:
    """What is in quotes, or up to where the sentence goes on."""
    inside = re.match(r"\s*[“\"']([^”\"'\n]+)[”\"']", text)
    said = inside[1] if inside else re.split(r"[.;\n]|,| and (?:make|sort|add|change|order|put)\b", text)[0]
    return said.strip(" “”\"'")[:80]


def _extended(line: str, more: Sequence[str]) -> list[str] | None:
    try:
        there = list(ast.literal_eval(line))
    except (ValueError, SyntaxError, TypeError):
        return None
    return [*there, *(each for each in more if each not in there)]
