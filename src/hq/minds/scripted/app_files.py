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
    r"|\b(?:re)?(?:call|name)d? (?:it|this|that|the [\w ]{1,30}?)(?: to)? +(?P<b>[“\"'A-Z0-9][^\n]*)"
    r"|\brename (?:it|this|that|the [\w ]{1,30}?)(?: to| as) +(?P<c>[^\n]+)",
    re.IGNORECASE,
)
_COLOUR = re.compile(rf"\b({'|'.join(COLOURS)}|#[0-9a-f]{{6}})\b", re.IGNORECASE)
_SORT = re.compile(
    r"\b(?:sort|order|list|show)\w*\b[^.\n]{0,40}?\b(cost|price|expens\w*|hours?|time|oldest|newest|latest)\b", re.I
)
_SORTS = {"cost": "cost", "price": "cost", "hour": "hours", "hours": "hours", "time": "hours", "oldest": "oldest"}
_FIELD = re.compile(
    r"\badd (?:an?(?:other)?|one more|the) (?:(?:text )?(?:field|column)s?(?: for| called| named| with)?(?: the| an?)? +(?P<a>[“\"]?[\w][\w /-]{0,38})"
    r"|(?P<b>[\w][\w /-]{0,38}?) (?:field|column))",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\badd (?P<what>[^.\n]{1,120}?) (?:to|into) (?:the )?(?:list|choices|kinds|types|aircraft|dropdown)\b",
    re.IGNORECASE,
)
_LOCK = re.compile(
    r"\b(?:ask for|with|add|behind|needs?) (?:an? )?(?:pass ?word|login|log-?in|sign-?in)", re.IGNORECASE
)
_UNLOCK = re.compile(r"\b(?:no|without|remove|drop)(?: an?| the)? (?:pass ?word|login|log-?in|sign-?in)", re.IGNORECASE)
_LISTED = re.compile(r"\b(?:list|dropdown|choices?|kinds?|types?)\b[^:\n]{0,40}: *(?P<items>[^\n]+)", re.IGNORECASE)
_VERBS = (
    r"make|turn|paint|sort|order|add|change|put|call|rename|name|show|remove|delete|send|e-?mail|export|import|let|use|set|give|allow|print|"
    r"draw|connect|calculate|count|translate|warn|notify|remind|support|store|save|upload|hide|move|replace|rewrite|write"
)
_PARTS = re.compile(
    rf"[.;!]\s+|\n+|,?\s+(?:and|then|also|plus|but)\s+(?:(?:also|then|please)\s+)?(?=(?:{_VERBS})\b)|,\s+(?=(?:{_VERBS})\b)",
    re.IGNORECASE,
)
"""Where one wish ends and the next begins."""
_REQUEST = re.compile(rf"\b(?:{_VERBS}|should|must|needs?|want|have)\b", re.IGNORECASE)
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
    """What somebody listed in so many words: `from a list: C172, PA-28 and glider`."""
    found = _LISTED.search(str(said or ""))
    items = [each.strip(" .“”\"'") for each in _JOINTS.split(_ENDS.split(_spaced(found["items"]))[0])] if found else []
    return [each for each in items if 0 < len(each) <= 40 and not _NO_ITEM.fullmatch(each)]


def _spaced(said: str) -> str:
    """With one space between words, and no longer than anybody lists: each space after another would be looked at again."""
    return re.sub(r"[^\S\n]+", " ", said[:MOST_SAID])


def listed_at(said: str) -> int | None:
    """Where in it the listing begins; nothing where it lists nothing."""
    found = _LISTED.search(said)
    return found.start("items") if found else None


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
        if not done and _REQUEST.search(part) and not _STAYS.search(part):
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
        new = _extended(line[2], value) if isinstance(value, list) else value
        if new is not None and written(new) != line[2]:
            yield {"old": line[1], "new": f"{name} = {written(new)}", "says": says}


def _line_of(text: str, name: str) -> re.Match[str] | None:
    return re.search(rf"(?m)^[ \t]*(?:\d{{1,9}}[ \t]*[→\t:|][ \t]*)?({name} = ({_VALUE}))", text)


def _of_page(text: str, name: str, value: object, says: str) -> Iterator[dict[str, str]]:
    """A page by itself has no such line: its title is its heading, and its colour is in its style."""
    if name == "TITLE" and (old := re.search(r"<h1>[^<]*</h1>", text)):
        yield {"old": old[0], "new": f"<h1>{escape(str(value))}</h1>", "says": says}
    if name == "COLOUR" and (old := re.search(r"--accent: #[0-9a-f]{6};", text)):
        yield {"old": old[0], "new": f"--accent: {value};", "says": says}


def _wanted(words: str) -> Iterator[tuple[str, str | bool | list[str], str]]:
    if found := _TITLE.search(words):
        title = _quoted(found["a"] or found["b"] or found["c"])
        if title:
            yield "TITLE", title, f"it is called “{title}”"
    if (found := _COLOUR.search(words)) and not _CHOICE.search(words):
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
    elif found := _FIELD.search(words):
        field = _quoted(found["a"] or found["b"]).strip()
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
