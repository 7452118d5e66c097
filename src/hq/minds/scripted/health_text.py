"""Health of a machine, told from what its checks brought: the worst first, what was measured, and what could not be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hq.minds.scripted.script_input import ToolOutcome

LEVELS = ("OK", "UNKNOWN", "WARNING", "CRITICAL")
SEVERITY = {"OK": "info", "UNKNOWN": "info", "WARNING": "warning", "CRITICAL": "critical"}
WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "OK": "is fine", "UNKNOWN": "could not be checked", "WARNING": "needs a look", "CRITICAL": "needs attention now",
        "busy": "has more to do than it can at once, and is fine otherwise", "this": "This machine", "not": "Not checked",
    },
    "pt": {
        "OK": "está bem", "UNKNOWN": "não pôde ser verificada", "WARNING": "merece atenção", "CRITICAL": "precisa de atenção já",
        "busy": "tem mais que fazer do que consegue de uma vez; de resto está bem", "this": "Esta máquina", "not": "Não verificado",
    },
}  # fmt: skip


def health(checks: Mapping[str, ToolOutcome], language: str = "en", host: str = "") -> str:
    """What the checks found, by the name of each; one that could not be made says why."""
    words = WORDS.get(language, WORDS["en"])
    found: list[tuple[int, str]] = []
    unchecked: list[str] = []
    for name, outcome in checks.items():
        lines = _lines(outcome)
        if outcome.state != "ok":
            unchecked.append(f"{name} ({outcome.error or outcome.state})")
        for level, text in lines:
            if level == "UNKNOWN":
                unchecked.append(f"{name} ({text})")
        if told := [(level, text) for level, text in lines if level != "UNKNOWN"]:
            worst = max((LEVELS.index(level) for level, _ in told), default=0)
            texts = [text for _, text in sorted(told, key=lambda each: -LEVELS.index(each[0]))]
            mark = f"{LEVELS[worst].lower()}, " if worst >= LEVELS.index("WARNING") else ""
            found.append((worst, f"- {name}: {mark}{'; '.join(texts)}"))
    found.sort(key=lambda each: -each[0])
    worst_level = worst_of(checks)
    busy = worst_level == "OK" and any("busy: " in text for _, text in found)
    head = f"{host or words['this']} {words['busy' if busy else worst_level]}."
    rest = [f"{words['not']}: {'; '.join(unchecked)}."] if unchecked else []
    return "\n".join([head, *(text for _, text in found), *rest])


def outcome(data: Any) -> ToolOutcome:
    """What a call brought that had waited, as if it had come back at once."""
    return ToolOutcome("skill_run", {}, "ok", data)


def worst_of(checks: Mapping[str, ToolOutcome]) -> str:
    """The worst level that anything measured has; unknown only where nothing was measured at all."""
    levels = [level for outcome in checks.values() for level, _ in _lines(outcome) if level != "UNKNOWN"]
    return max(levels, key=LEVELS.index) if levels else "UNKNOWN"


def severity(checks: Mapping[str, ToolOutcome]) -> str:
    return SEVERITY[worst_of(checks)]


def measured(checks: Mapping[str, ToolOutcome]) -> bool:
    return any(level != "UNKNOWN" for outcome in checks.values() for level, _ in _lines(outcome))


def first_of(checks: Mapping[str, ToolOutcome], state: str) -> ToolOutcome | None:
    """The first that came back so, such as one that waits for a yes."""
    return next((outcome for outcome in checks.values() if outcome.state == state), None)


def _lines(outcome: ToolOutcome) -> Sequence[tuple[str, str]]:
    text: Any = outcome.data.get("text", "") if isinstance(outcome.data, Mapping) else ""
    pairs = (line.partition(" ") for line in str(text).splitlines())
    return [(level, said.strip()) for level, _, said in pairs if level in LEVELS and said.strip()]
