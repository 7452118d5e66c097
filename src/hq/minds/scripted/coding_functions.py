"""Functions for scripts of coding programs: what is to be removed, what was decided, and findings made of lines that grep found."""

from __future__ import annotations

import json
import re
from typing import Any, TypedDict

from hq.minds.scripted.app_files import choices, listed_at

_REMOVAL = re.compile(r"\b(?:remove|delete) (?:the )?(?:file |directory |folder |old )*`?([\w./-]*\w)", re.IGNORECASE)
_HIT = re.compile(r"^(?:/mission/|\./)?(?P<file>[^:\n]+):(?P<line>\d+):(?P<text>.*)$", re.MULTILINE)
_GRAVE = (
    (re.compile(r"\b(?:eval|exec|os\.system|pickle\.loads)\(|shell=True"), "critical", "runs what it is given", "do without it"),
    (re.compile(r"password\s*="), "high", "a password in the code", "read it from the environment or a vault"),
    (re.compile(r"verify=False"), "high", "certificates are not checked", "leave the check on"),
    (re.compile(r"TODO|FIXME"), "info", "left to be done", "do it, or write it down where it is planned"),
)  # fmt: skip

_LIST = r"(?:lists?|lista|drop-?downs?|choices|choos\w+|pick\w*)"
_TEXT = r"(?:free[ -]text|texto livre|as text|typ(?:e|ing) (?:it|them)|anything)"
_OTHER = r"(?:others?|something else|anything else)"
# test_app.py of the log reads a decision in the same way, by itself.
_DENIED = re.compile(
    rf"(?:\b(?<!why )(?:not(?! only| just)|never|without|no|instead of|than|anything but|não|sem|em vez de)|n['’]t)"
    rf"(?: (?!but\b)\w+){{0,4}}? (?:{_TEXT}|{_LIST}|{_OTHER})\b"
    rf"|\b(?:{_TEXT}|{_LIST}) (?:is|are|would be) not\b",
    re.IGNORECASE,
)

_TO_LIST = re.compile(r"[\s:,]*(?:\b(?:with|of|namely|containing)\s*)?$")
_FORM = re.compile(
    rf"{_LIST}|{_TEXT}|{_OTHER}|free|text|texto|livre|type|typing|types?|kinds?|common|usual|fixed|short|tidy|something|nothing|else|"
    r"an?|the|from|as|with|and|or|but|of|in|to|for|by|it|its|is|be|are|them|that|this|one|only|just|please|thanks|thank|you|yes|yeah|ok|okay|sure|"
    r"i|i'd|i’d|me|we|my|would|rather|prefer|want|like|let|use|take|have|make|can|should|may|not|no|never|without|don't|don’t|instead|than|do|does|always|"
    r"every|app|apps|sempre|não|sem|em|vez|de|da|do|uma?|o|a|por|favor|quero|prefiro|escolher|escrever|numa|outros?|obrigad[oa]|sim",
    re.IGNORECASE,
)
"""The words of which a decision is made that says nothing but its form."""
_SUBJECT = re.compile(
    r"\b(?:track|log|record|diary|regist)\w*\b(?: (?:of|my|our|the|all|as|os|minhas|meus|das|dos))*((?: \w+){1,4}?)(?: (?:and|for|with|in|at|on|by|so|where|e|com|para)\b|[.,;:\n]|$)",
    re.IGNORECASE,
)


class DecidedForm(TypedDict):
    """How the kinds of an entry are given."""

    free: bool
    items: list[str]
    other: bool


def as_decided(words: Any) -> DecidedForm:
    """How the kinds of an entry are given, by what was decided: as free text or from a list, of what, and whether others may be typed."""
    kept, denied = _DENIED.subn("", str(words or ""))
    lists, text = _speaks(_LIST, kept), _speaks(_TEXT, kept)
    free = not lists and (text or bool(denied and _speaks(_LIST, str(words))))
    return {"free": free, "items": [] if free else choices(kept), "other": _speaks(_OTHER, kept) or text}


def says_form(words: Any) -> bool:
    """Whether a decision says how the kinds of an entry are given: as one or the other, or by naming them."""
    said = str(words or "")
    return _speaks(_LIST, said) or _speaks(_TEXT, said) or bool(choices(said))


def _speaks(of: str, text: str) -> bool:
    return bool(re.search(rf"\b{of}\b", text, re.IGNORECASE))


def form_of(words: Any) -> str:
    """What was decided about one app as far as it says something about another: list or free text, without what is on the list."""
    said = str(words or "")
    return _TO_LIST.sub("", said[:at]) if (at := listed_at(said)) is not None else said


def wholly_read(words: Any) -> bool:
    """Whether there is nothing in a decision about the kinds of an entry but what `as_decided` reads, so that a test of it shows that
    it was kept to."""
    return all(_FORM.fullmatch(word) for word in re.findall(r"[\w'’-]+", form_of(words).lower()))


def log_subject(wish: Any) -> str:
    """What an app that is wished for keeps a log of; empty where that is not said."""
    found = _SUBJECT.search(str(wish or ""))
    return " ".join(found[1].split()).lower() if found else ""


def on_one_line(words: Any) -> str:
    """A decision whose list stands below one another, as it is passed on."""
    first, *rest = [line for each in str(words or "").split("\n") if (line := each.strip())] or [""]
    said = ", ".join([first, *(re.sub(r"^[-*•]\s+", "", line) for line in rest)])
    return re.sub(r":, ", ": ", said).replace(" - ", " – ")


def removal(text: Any) -> str:
    """What a request wants to have removed; nothing if it does not say."""
    found = _REMOVAL.search(str(text or ""))
    return found[1] if found else ""


def findings(text: Any) -> str:
    """A review as JSON, of lines such as `app.py:12: eval(text)`."""
    told = []
    for hit in _HIT.finditer(str(text or "")):
        grave = next((each for each in _GRAVE if each[0].search(hit["text"])), None)
        if grave:
            found = {"severity": grave[1], "file": hit["file"], "line": int(hit["line"])}
            told.append({**found, "message": f"{grave[2]}: {hit['text'].strip()[:120]}", "suggestion": grave[3]})
    return json.dumps(sorted(told, key=lambda each: [g[1] for g in _GRAVE].index(each["severity"])))
