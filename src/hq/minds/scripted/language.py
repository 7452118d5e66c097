"""The language of the scripts: YAML read strictly and compiled once. docs/how-to/without-a-key.md shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jinja2 import ChainableUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from hq.errors import Refused
from hq.minds.scripted import app_files, choices, coding_functions, functions, health_text, schedule_phrases
from hq.minds.scripted.dates import WHEN
from hq.minds.scripted.script import (
    CallStep,
    CapturedSlot,
    Expression,
    If,
    SayStep,
    Script,
    ScriptText,
    SetStep,
    Step,
    Together,
    UseStep,
)
from hq.minds.scripted.shell_output import summary
from hq.minds.scripted.speech_pattern import SpeechPattern
from hq.minds.scripted.trip_documents import trip_document, trip_name

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
SHIPPED = Path(__file__).parent.parent / "scripts"
LANGUAGES = ("en", "pt")
_SLOT = re.compile(r"\{\{ (\w+) \}\}")
BRANCHES = ("ok", "empty", "error", "waiting", "missing")


class ScriptError(Refused):
    """A script that cannot be read; the message says which and why."""


@cache
def shipped_scripts() -> tuple[Script, ...]:
    return load(sorted(SHIPPED.glob("*.yaml")))


def load(files: Iterable[Path]) -> tuple[Script, ...]:
    """Every script of these files, in the order they are tried."""
    found = [script for file in files for script in _file(file)]
    names = [script.name for script in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ScriptError(f"the script {min(twice)} is there twice")
    for script in found:
        for step in _all_steps(script.steps):
            if isinstance(step, UseStep) and step.script not in names:
                raise ScriptError(f"{script.name}: there is no script {step.script!r} to use")
    return tuple(sorted(found, key=lambda script: script.order))


def _file(file: Path) -> list[Script]:
    try:
        told = yaml.load(file.read_text("utf-8"), Loader=LOADER)  # noqa: S506 (a safe one)
    except yaml.YAMLError as error:
        raise ScriptError(f"{file.name}: {error}") from error
    _known(told, ("about", "order", "role", "scripts"), file.name)
    order = int(told.get("order", 50))
    return [
        _script(f"{file.stem}.{name}", part, order, told.get("role"))
        for name, part in (told.get("scripts") or {}).items()
    ]


def _script(name: str, part: Any, order: int, role: str | None) -> Script:
    _known(part, ("says", "finds", "unless", "needs", "do"), name)
    if not part.get("do"):
        raise ScriptError(f"{name}: says nothing and does nothing; give it steps under `do`")
    needs = part.get("needs") or []
    return Script(
        name=name,
        says=[(lang, _pattern(text, name)) for lang, text in _by_language(part.get("says"))],
        finds=[(lang, _pattern(text, name)) for lang, text in _by_language(part.get("finds"))],
        unless=[(lang, _pattern(text, name)) for lang, text in _by_language(part.get("unless"))],
        needs=[_list(group) for group in _list(needs)],
        role=_pattern(role, name) if role else None,
        steps=_steps(part["do"], name),
        order=order,
    )


def _steps(parts: Any, name: str) -> list[Step]:
    return [_step(part, name) for part in _list(parts)]


def _step(part: Any, name: str) -> Step:
    if not isinstance(part, Mapping):
        raise ScriptError(f"{name}: {part!r} is no step; a step is call, together, say, ask, if, set or use")
    match part:
        case {"call": _}:
            return _call(part, name)
        case {"together": calls}:
            _known(part, ("together",), name)
            return Together([_call(each, name) for each in calls])
        case {"say": text}:
            _known(part, ("say", "reason"), name)
            return SayStep(_text(text, name), str(part.get("reason", "")))
        case {"ask": text}:
            _known(part, ("ask",), name)
            return SayStep(_text(text, name), "asked", question=True)
        case {"if": test}:
            _known(part, ("if", "then", "else"), name)
            return If(_expression(test, name), _steps(part.get("then"), name), _steps(part.get("else"), name))
        case {"set": values}:
            return SetStep({key: _expression(value, name) for key, value in values.items()})
        case {"use": script}:
            return UseStep(script)
        case _:
            raise ScriptError(f"{name}: {sorted(part)} is no step; a step is call, together, say, ask, if, set or use")


def _call(part: Mapping[str, Any], name: str) -> CallStep:
    _known(part, ("call", "with", "as", "note", "upon"), name)
    branches = part.get("upon") or {}
    _known(branches, BRANCHES, name)
    tools = _list(part["call"])
    return CallStep(
        tools=tools,
        args={key: _argument(value, name) for key, value in (part.get("with") or {}).items()},
        name=part.get("as") or tools[0].replace(".", "_"),
        note=_text(part["note"], name) if "note" in part else None,
        upon={state: _steps(steps, name) for state, steps in branches.items()},
    )


def _argument(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [_argument(each, name) for each in value]
    if isinstance(value, dict):
        return {key: _argument(each, name) for key, each in value.items()}
    return _text(value, name) if isinstance(value, str) and "{" in value else value


def _text(value: Any, name: str) -> ScriptText:
    parts = value if isinstance(value, Mapping) else {LANGUAGES[0]: value}
    _known(parts, LANGUAGES, name)
    return ScriptText({language: _template(str(text), name) for language, text in parts.items()})


def _template(text: str, name: str) -> Template | CapturedSlot | str:
    text = text.strip("\n")
    if "{{" not in text and "{%" not in text:
        return text
    if slot := _SLOT.fullmatch(text):
        return CapturedSlot(slot[1])
    try:
        return _environment().from_string(text)
    except TemplateError as error:
        raise ScriptError(f"{name}: {error} in {text!r}") from error


def _expression(source: Any, name: str) -> Expression:
    try:
        return Expression(str(source), _environment().compile_expression(str(source), undefined_to_none=True))
    except TemplateError as error:
        raise ScriptError(f"{name}: {error} in {source!r}") from error


def _pattern(text: str, name: str) -> SpeechPattern:
    try:
        return SpeechPattern(text.replace("%when%", WHEN).replace("%often%", schedule_phrases.OFTEN))
    except Refused as error:
        raise ScriptError(f"{name}: {error.message}, in the pattern {text!r}") from error


def _by_language(parts: Any) -> list[tuple[str, str]]:
    if isinstance(parts, Mapping):
        _known(parts, LANGUAGES, "says")
        return [(language, text) for language, texts in parts.items() for text in _list(texts)]
    return [(LANGUAGES[0], text) for text in _list(parts)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _known(part: Any, keys: Sequence[str], where: str) -> None:
    if not isinstance(part, Mapping):
        raise ScriptError(f"{where}: expected {', '.join(keys)}, found {part!r}")
    if strange := [str(key) for key in part if key not in keys]:
        raise ScriptError(f"{where}: does not know {', '.join(strange)}; it takes {', '.join(keys)}")


def _all_steps(steps: Sequence[Step]) -> Iterable[Step]:
    for step in steps:
        yield step
        match step:
            case If():
                yield from _all_steps([*step.then, *step.otherwise])
            case CallStep():
                yield from _all_steps([inner for branch in step.upon.values() for inner in branch])
            case Together():
                yield from _all_steps(step.calls)


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    """A sandbox: a script is data, also when somebody else wrote it."""
    made = ImmutableSandboxedEnvironment(
        undefined=ChainableUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    made.globals = {}
    made.filters |= {
        "after": functions.after, "after_last": functions.after_last, "says_form": coding_functions.says_form, "came_back": functions.came_back, "deciding": functions.deciding, "named_in": functions.named_in, "told_once": functions.told_once, "change_once": functions.change_once, "speaks_of": functions.speaks_of,
        "about": functions.about, "best": functions.best, "best_made": functions.best_made, "several": functions.several, "saying": functions.saying, "as_told": functions.as_told, "holding": functions.holding, "unlike": functions.unlike, "checks_of": functions.checks_of, "bullets": functions.bullets,
        "count": functions.count, "on": functions.on, "linked": functions.linked, "names": functions.names, "line": functions.line,
        "with_status": functions.with_status, "due_by": functions.due_by, "capital": functions.capital, "shell": summary,
        "removal": coding_functions.removal, "findings": coding_functions.findings,
        "as_decided": coding_functions.as_decided, "form_of": coding_functions.form_of, "wholly_read": coding_functions.wholly_read, "log_subject": coding_functions.log_subject, "on_one_line": coding_functions.on_one_line,
        "in_english": schedule_phrases.in_english, "other_rhythm": schedule_phrases.changed, "rhythm": schedule_phrases.rhythm, "other_day": schedule_phrases.other_day, "later_times": schedule_phrases.later_times, "spoken_of": functions.spoken_of, "made_of": functions.made_of, "of_people": functions.of_people, "with_answers": functions.with_answers, "with_titles": functions.with_titles, "as_decision": functions.as_decision, "unlike_decisions": functions.unlike_decisions, "in_a_line": functions.in_a_line, "by_name": functions.by_name, "how_it_stands": functions.how_it_stands,
        "health": health_text.health, "outcome": health_text.outcome, "severity": health_text.severity, "measured": health_text.measured, "first_of": health_text.first_of,
        "filled": app_files.filled, "choices": app_files.choices, "offered": choices.offered, "edits": app_files.edits, "decided_anew": app_files.decided_anew, "unmet": app_files.unmet,
        "trip_document": trip_document, "trip_name": trip_name,
    }  # fmt: skip
    made.tests["search_for"] = lambda text, pattern: SpeechPattern(pattern).search(str(text)) is not None
    return made
