"""Functions for scripts of coding programs: what is to be removed, and findings made of lines that grep found."""

from __future__ import annotations

import json
import re
from typing import Any

_REMOVAL = re.compile(r"\b(?:remove|delete) (?:the )?(?:file |directory |folder |old )*`?([\w./-]*\w)", re.IGNORECASE)
_HIT = re.compile(r"^(?:/mission/|\./)?(?P<file>[^:\n]+):(?P<line>\d+):(?P<text>.*)$", re.MULTILINE)
_GRAVE = (
    (re.compile(r"\b(?:eval|exec|os\.system|pickle\.loads)\(|shell=True"), "critical", "runs what it is given", "do without it"),
    (re.compile(r"password\s*="), "high", "a password in the code", "read it from the environment or a vault"),
    (re.compile(r"verify=False"), "high", "certificates are not checked", "leave the check on"),
    (re.compile(r"TODO|FIXME"), "info", "left to be done", "do it, or write it down where it is planned"),
)  # fmt: skip


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
