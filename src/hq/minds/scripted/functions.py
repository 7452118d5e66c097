"""Functions that a script's texts and conditions may use: matching, dates, lists. Small and without surprises."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, TypedDict

from hq.graph.search.language import STOP_WORDS
from hq.json_text import json_value

_WORD = re.compile(r"\w+")
_ALWAYS = re.compile(r"\b(?:always|every (?:app|time|log)|from now on|in all (?:apps|logs)|sempre)\b", re.IGNORECASE)
_THIS_ONCE = re.compile(
    r"\b(?:give (?:it |this |that )?up|drop it|forget it|cancel|desiste|esquece|cancela)\b"
    r"|^(?:yes|no|ok|okay|sure|go ahead|go on|carry on|do it|try again|sim|não|avança|continua)(?: please| thanks| thank you| por favor)?$"
)
"""A word that lets one thing go on, or ends it."""
_HEADING = range(200, 4, -1)
"""Characters of a heading, the longest first."""
_LEAVE = STOP_WORDS | {"task", "project"}


def words(text: Any) -> set[str]:
    """The words that count, without case, accents and endings of the plural."""
    plain = unicodedata.normalize("NFKD", str(text or "").lower())
    found = _WORD.findall("".join(c for c in plain if not unicodedata.combining(c)))
    return {word.rstrip("s") or word for word in found if word not in _LEAVE}


def likeness(row: Mapping[str, Any], wanted: str) -> float:
    """From 0 to 1: how much of what is wanted the row's title or slug has."""
    asked = words(wanted)
    name = row.get("title") or row.get("subject") or ""
    if wanted and wanted.lower() in (row.get("slug"), str(name).lower()):
        return 2.0
    if not asked:
        return 0.0
    held = words(name) | words(str(row.get("slug", "")).replace("-", " "))
    return len(asked & held) / len(asked) + (0.1 if held <= asked else 0.0)


def about(rows: Iterable[Mapping[str, Any]], wanted: str, least: float = 0.5) -> list[Mapping[str, Any]]:
    """The rows that are about it, best first; the order of equals is kept."""
    scored = [(likeness(row, wanted), row) for row in rows]
    return [row for score, row in sorted(scored, key=lambda pair: -pair[0]) if score >= least]


def best(rows: Iterable[Mapping[str, Any]], wanted: str) -> Mapping[str, Any] | None:
    found = about(rows, wanted)
    return found[0] if found else None


_MADE = frozenset(("tracker", "app", "web", "log", "site", "website", "page", "program", "tool", "dashboard"))


def best_made(rows: Iterable[Mapping[str, Any]], wanted: str) -> Mapping[str, Any] | None:
    """What was made that is called so, by what it is about: what sort of thing it is, many are."""
    own = " ".join(word for word in str(wanted or "").split() if word.lower() not in _MADE)
    return best(rows, own or wanted)


def several(rows: Iterable[Mapping[str, Any]], wanted: str) -> list[Mapping[str, Any]]:
    """Those that fit equally well: more than one means it has to be asked which."""
    found = about(rows, wanted)
    return [row for row in found if likeness(row, wanted) == likeness(found[0], wanted)] if found else []


def saying(rows: Iterable[Mapping[str, Any]], wanted: str, least: float = 0.6) -> list[Mapping[str, Any]]:
    """Memories whose words are about it: most of what is wanted is in them."""
    asked = words(wanted)
    held = [(len(asked & words(row.get("content") or row.get("summary") or row.get("task"))), row) for row in rows]
    return [row for many, row in held if asked and many / len(asked) >= least]


def count(rows: Iterable[Any] | int, one: str, many: str = "") -> str:
    number = rows if isinstance(rows, int) else len(list(rows))
    return f"{number} {one if number == 1 else many or one + 's'}"


def on(moment: Any) -> str:
    """A day, briefly; with its time if it has one that counts."""
    text = str(moment or "")
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{found:%a %d %b %Y}" + (f" {found:%H:%M}" if (found.hour, found.minute) != (0, 0) else "")


def line(row: Mapping[str, Any]) -> str:
    """One row of a list, as it is read out."""
    more = [str(row["status"]).replace("_", " ")] if row.get("status") else []
    if row.get("priority") and row["priority"] != "backlog":
        more.append(str(row["priority"]))
    if row.get("due"):
        more.append(f"due {on(row['due'])}")
    return f"- {row.get('title') or row.get('slug')}" + (f" ({', '.join(more)})" if more else "")


def bullets(rows: Iterable[Mapping[str, Any]], most: int = 12) -> str:
    rows = list(rows)
    shown = "\n".join(line(row) for row in rows[:most])
    return shown + (f"\n- … and {len(rows) - most} more" if len(rows) > most else "")


def with_status(rows: Iterable[Mapping[str, Any]], *states: str) -> list[Mapping[str, Any]]:
    return [row for row in rows if row.get("status") in states]


def due_by(rows: Iterable[Mapping[str, Any]], moment: str) -> list[Mapping[str, Any]]:
    """Those whose day has come by then."""
    return [row for row in rows if row.get("due") and str(row["due"])[: len(moment)] <= moment]


def linked(node: Any, *edges: str) -> list[Mapping[str, Any]]:
    links = node.get("links", []) if isinstance(node, Mapping) else []
    return [link for link in links if link.get("edge") in edges]


def names(rows: Iterable[Mapping[str, Any]], joint: str = "and") -> str:
    said = [str(row.get("title") or row.get("slug")) for row in rows]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} {joint} {said[-1]}" if said else ""


def holding(rows: Iterable[Mapping[str, Any]], mark: str) -> list[Mapping[str, Any]]:
    """Memories with a mark in them, such as the arrow from a question to what was decided."""
    return [row for row in rows if mark in str(row.get("content") or "")]


def unlike(rows: Iterable[Mapping[str, Any]], others: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Memories that say something which neither the others nor an earlier one of them says already."""
    said = [words(other.get("title")) for other in others]
    left = []
    for row in rows:
        own = words(str(row.get("content") or "").replace("→", " "))
        if not any(own <= each or each <= own for each in said if each):
            said.append(own)
            left.append(row)
    return left


def checks_of(rows: Iterable[Mapping[str, Any]], topic: str) -> list[Mapping[str, Any]]:
    """The last output of each check of a machine that was about it; of a whole machine all."""
    found: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        name = str(row.get("name"))
        about_it = speaks_of(topic, *name.removeprefix("skill_").removesuffix("-health").split("-"))
        if name.startswith("skill_") and (
            about_it or speaks_of(topic, "server", "machine", "health", "servidor", "máquina")
        ):
            found.setdefault(name, row)
    return list(found.values())


def as_told(row: Mapping[str, Any]) -> str:
    """A memory as it is read out: a question that was decided with its answer, and since when."""
    before, arrow, answer = (part.strip() for part in str(row.get("content") or "").partition("→"))
    day = on(str(row.get("created_at") or "")[:10])
    said = f"{before} {answer.rstrip('.')}" if arrow else before.rstrip(".")
    return f"{said}{f' (noted {day})' if day else ''}"


def capital(text: Any) -> str:
    text = str(text or "").strip()
    return text[:1].upper() + text[1:]


def speaks_of(text: Any, *some: str) -> bool:
    """Whether one of these is in it, as a word or as part of one."""
    return any(word in str(text or "").lower() for word in some)


def deciding(rows: Iterable[Mapping[str, Any]], question: str, stem: str = "") -> dict[str, str]:
    """What is remembered to have been decided about the very same question, and when; nothing where it was not. What was said to be
    always so counts for every question that begins with the same words.

    A go-ahead or a give-up was for one mission, and what is no question has no answer that could be used again.
    """
    asked = _plain(question)
    for row in rows:
        before, arrow, answer = (part.strip() for part in str(row.get("content") or "").partition("→"))
        same = before.endswith("?") and f"{asked} ".startswith(f"{_plain(before)} ")
        same = same or bool(stem and _plain(before).startswith(_plain(stem)) and _ALWAYS.search(answer))
        if arrow and same and not _THIS_ONCE.search(_plain(answer)):
            by = "you decided" if row.get("source") == "founder" else "was decided"
            day = on(str(row.get("created_at") or "")[:10])
            return {"answer": answer, "told": f"as {by}{' on ' + day if day else ' before'}"}
    return {}


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def came_back(text: str) -> Any:
    """What a call that waited brought, out of the words in which that is told."""
    try:
        told = json_value(text.partition("came back: ")[2])
    except ValueError:
        return {}
    return told.get("data") or {}


def after(text: Any, mark: str) -> str:
    """What follows a mark, up to the end of its line or the next item of a list."""
    return str(text or "").partition(mark)[2].partition("\n")[0].partition(" - ")[0].strip()


def after_last(text: Any, mark: str) -> str:
    """What follows a mark where it stands last: what was decided anew counts."""
    found = str(text or "").rpartition(mark)
    return after(mark + found[2], mark) if found[1] else ""


def told_once(text: str) -> str:
    """A text without its heading, where what follows says the same again."""
    lower = text.lower()
    for end in _HEADING:
        rest = text[end:].lstrip()
        if text[end : end + 1].isspace() and lower.find(lower[:end], len(text) - len(rest)) >= 0:
            return rest
    return text


_COLONS = 8
"""How many colons a title has at most before what is to be changed: nobody's long text is gone through once for each of its own."""


def change_once(text: str) -> str:
    """What is to be changed, out of a mission's title and description, which say it twice."""
    for colon in islice(re.finditer(r": ", text), _COLONS):
        said = text[colon.end() :]
        each = said.split()
        half = len(each) // 2
        if each and each[:half] == each[half:]:
            return " ".join(each[:half])
        begun, cut, rest = said.partition("… ")
        if cut and rest.startswith(begun):
            return rest
    return text


def named_in(rows: Iterable[Mapping[str, Any]], text: str) -> Mapping[str, Any] | None:
    """The first row whose whole name is among the words of a text."""
    said = words(text)
    return next((row for row in rows if (held := words(row.get("title"))) and held <= said), None)


class SpokenOf(TypedDict):
    """What was spoken of last: a task or a schedule, as lists show it."""

    noun: str
    row: Mapping[str, Any]


def spoken_of(
    earlier: Iterable[Any], tasks: Iterable[Mapping[str, Any]], schedules: Iterable[Mapping[str, Any]]
) -> SpokenOf | None:
    """The open task or reminder that was spoken of last, by what was called in the conversation; where nothing was, the newest of
    what there is. Nothing where what was spoken of last is over."""
    there = {"task": list(tasks), "schedule": list(schedules)}
    for outcome in reversed(list(earlier)):
        noun, _, action = outcome.called.partition("_")
        if noun in there and outcome.state == "ok" and action not in ("list", "show", "next", "history"):
            slug = outcome.data.get("slug") if isinstance(outcome.data, Mapping) else None
            row = next((row for row in there[noun] if row.get("slug") == slug), None)
            return {"noun": noun, "row": row} if row else None
    every: list[SpokenOf] = [{"noun": noun, "row": row} for noun, rows in there.items() for row in rows]
    return max(every, key=lambda each: str(each["row"].get("id") or ""), default=None)


def made_of(
    outcomes: Iterable[Any], tasks: Iterable[Mapping[str, Any]], schedules: Iterable[Mapping[str, Any]]
) -> SpokenOf | None:
    """The task or reminder that these calls made or changed last, as long as it is open; nothing where they changed something else
    after it, or nothing at all."""
    there = {"task": list(tasks), "schedule": list(schedules)}
    for outcome in reversed(list(outcomes)):
        noun, _, action = outcome.called.partition("_")
        if outcome.state == "ok" and action not in _READS:
            slug = outcome.data.get("slug") if isinstance(outcome.data, Mapping) else None
            if noun == "schedule" and action == "remove":
                continue  # another took its place
            row = next((row for row in there.get(noun, ()) if row.get("slug") == slug), None)
            return {"noun": noun, "row": row} if row else None
    return None


_READS = ("list", "show", "next", "history", "search", "get", "describe")
_WORK = ("mission", "project", "task", "objective", "feature", "decision")
_KNOWN = ("contact", "entity", "document", "interaction", "fact")
_PEOPLES = frozenset((*_WORK, *_KNOWN))
"""Types of what people made or know of; the rest is kept by the house for itself."""
_INTERNAL = re.compile(r"\b(?:[0-9a-f]{8}-[0-9a-f-]{18,}|[0-9a-f]{12,}|script:[\w.]+)\b|\*\*")


def with_titles(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What is remembered, each called by what it says."""
    return [{**row, "title": str(row.get("title") or row.get("content") or "")} for row in rows]


def of_people(rows: Iterable[Mapping[str, Any]], wanted: str) -> list[Mapping[str, Any]]:
    """What was found that somebody would call by a name, what is named like what is wanted first, each once."""
    kept: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if row.get("type") in _PEOPLES:
            kept.setdefault(str(row.get("title")), row)
    return sorted(kept.values(), key=lambda row: -likeness(row, wanted))


def in_a_line(row: Mapping[str, Any]) -> str:
    """What was found, and what is said of it, without what only machines read."""
    said = " ".join(_INTERNAL.sub("", str(row.get("snippet") or "")).split())
    title = str(row.get("title") or row.get("slug")).strip()
    sort = ", ".join(
        filter(None, (str(row.get("type") or "").replace("_", " "), str(row.get("status") or "").replace("_", " ")))
    )
    return f"{title} ({sort})" + (
        f": {said}" if said and said not in title and row.get("type") in ("decision", "fact", "contact") else ""
    )


def by_name(text: Any, *named: Any) -> str:
    """With what people and missions are called in place of their slugs."""
    told = str(text or "")
    rows = [row for rows in named for row in rows or ()]
    found = {str(_of(row, "slug")): str(_of(row, "title")) for row in rows if _of(row, "slug") and _of(row, "title")}
    for slug in sorted(found, key=len, reverse=True):
        told = re.sub(rf"(?<![\w-]){re.escape(slug)}(?![\w-])", lambda _, slug=slug: found[slug], told)
    return told


def _of(row: Any, name: str) -> Any:
    return row.get(name) if isinstance(row, Mapping) else getattr(row, name, "")


_STANDING_PT = (
    (r"\bin_progress\b", "em curso"), (r"\bassigned\b", "atribuída"), (r"\bplanning\b", "em preparação"), (r"\bbacklog\b", "por começar"),
    (r"\bpaused\b", "em pausa"), (r"\breview\b", "por aprovar"), (r"\bdone\b", "feita"), (r"\bfailed\b", "falhada"), (r"\bwith nobody\b", "com ninguém"),
    (r"\bwith\b", "com"), (r": free\b", ": livre"), (r"\bwaiting\b", "à espera"), (r"\bresting\b", "em pausa"), (r"\bbecause\b", "porque"),
    (r"\boverdue by\b", "atrasada"), (r"\bdue in\b", "para daqui a"), (r"(?<=\d) of (?=\$?\d)", " de "), (r"\bparts done\b", "partes feitas"),
    (r"\btoday\b", "hoje"), (r"\bthis month\b", "este mês"), (r"\bthis hour\b", "nesta hora"), (r": on (?=\S)", ": em "), (r"\bper\b", "por"),
)  # fmt: skip


def how_it_stands(text: Any, language: str = "en") -> str:
    """A line of how things stand as it is read out: states without their underlines, in the language that is spoken."""
    told = str(text or "")
    for pattern, said in _STANDING_PT if language == "pt" else ():
        told = re.sub(pattern, said, told)
    return re.sub(r"\bin_progress\b", "in progress", told)


def as_decision(row: Mapping[str, Any]) -> str:
    """What was decided: the answer behind its question, and since when."""
    answer = " ".join(str(row.get("decision_md") or row.get("snippet") or "").split()).rstrip(".")
    title, day = str(row.get("title") or ""), on(str(row.get("decided_at") or row.get("created_at") or "")[:10])
    return f"{title}{f' → {answer}' if answer and answer not in title else ''}{f' ({day})' if day else ''}"


def with_answers(decisions: Iterable[Mapping[str, Any]], known: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Decisions with their answers, where one was remembered as a question and what was decided."""
    told = [[part.strip() for part in str(row.get("content") or "").partition("→")] for row in known]
    answers = {_plain(before): answer for before, arrow, answer in told if arrow}
    return [
        {**row, "decision_md": row.get("decision_md") or answers.get(_plain(str(row.get("title") or "")))}
        for row in decisions
    ]


def unlike_decisions(
    rows: Iterable[Mapping[str, Any]], decisions: Iterable[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Memories that none of these decisions says already."""
    return unlike(rows, [{"title": as_decision(each).replace("→", " ")} for each in decisions])
