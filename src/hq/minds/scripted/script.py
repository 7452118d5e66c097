"""A script of the scripted mind, compiled: what it answers to, what it needs, and its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Template

from hq.minds.scripted.speech_pattern import SpeechPattern


@dataclass(frozen=True)
class ScriptText:
    """A text in one or more languages; the first is the one to fall back on."""

    by_language: Mapping[str, Template | CapturedSlot | str]

    def render(self, language: str, values: Mapping[str, Any]) -> str:
        found = self.by_language.get(language) or next(iter(self.by_language.values()))
        match found:
            case str():
                return found
            case CapturedSlot():
                return str(values.get(found.name) or "")
            case _:
                # `render` would copy all the values for each text.
                return "".join(found.root_render_func(found.new_context(dict(values), shared=True)))


@dataclass(frozen=True)
class CapturedSlot:
    """A text that is one captured word and nothing else; the most common one, so it goes without the template engine."""

    name: str


@dataclass(frozen=True)
class Expression:
    source: str
    run: Any

    def value(self, values: Mapping[str, Any]) -> Any:
        return self.run(**values)


@dataclass(frozen=True)
class CallStep:
    """Call the first of these tools that is offered; what comes back has a name and may branch."""

    tools: Sequence[str]
    args: Mapping[str, ScriptText | Any]
    name: str
    note: ScriptText | None = None
    upon: Mapping[str, Sequence[Step]] = field(default_factory=dict)


@dataclass(frozen=True)
class Together:
    """Several calls in one answer."""

    calls: Sequence[CallStep]


@dataclass(frozen=True)
class SayStep:
    """Answer, and be done."""

    text: ScriptText
    reason: str = ""
    question: bool = False


@dataclass(frozen=True)
class If:
    test: Expression
    then: Sequence[Step]
    otherwise: Sequence[Step]


@dataclass(frozen=True)
class SetStep:
    values: Mapping[str, Expression]


@dataclass(frozen=True)
class UseStep:
    """Go on with the steps of another script."""

    script: str


Step = CallStep | Together | SayStep | If | SetStep | UseStep


@dataclass(frozen=True)
class Script:
    name: str
    says: Sequence[tuple[str, SpeechPattern]]
    """What was said, all of it, with its language."""
    finds: Sequence[tuple[str, SpeechPattern]]
    """Something that occurs in it."""
    unless: Sequence[tuple[str, SpeechPattern]]
    """Something by whose occurrence it is not meant, whatever else was said."""
    needs: Sequence[Sequence[str]]
    """Tools that must be offered; of each group one is enough."""
    role: SpeechPattern | None
    steps: Sequence[Step]
    order: int
