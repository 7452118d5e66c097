"""The interpreter of scripts, which runs one against its input. Nothing is kept between answers: what the tools said
so far says where we are."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any, assert_never

from hq.minds.scripted import shell_tools
from hq.minds.scripted.dates import day
from hq.minds.scripted.script import CallStep, If, SayStep, Script, ScriptText, SetStep, Step, Together, UseStep
from hq.minds.scripted.script_input import HQ, OLD_PREFIX, ScriptInput, ToolOutcome, tool_named

MOST_CALLS = 16
"""In answer to one message; a script that needs more is going in circles."""
FACING_FOUNDER = ("", "chief", "ceo", "supervisor", "jarvis")
ASKING = ("question.ask", "question.create")
_AFTER_LIST = re.compile(r"(?m)^((?:- |\d+\. ).*)\n(?!- |\d+\. |\s|$)")
"""The last item of a list, where a line follows that is none: without a line between them it would be read as a part of it."""


@dataclass(frozen=True)
class WantedCall:
    tool: str
    args: Mapping[str, Any]


@dataclass(frozen=True)
class ScriptAnswer:
    text: str = ""
    calls: Sequence[WantedCall] = ()
    reason: str = ""
    """Why it is finished; only when there are no calls."""


class ScriptAnswered(Exception):
    """The answer is known."""

    def __init__(self, answer: ScriptAnswer) -> None:
        self.answer = answer


class ScriptRun:
    def __init__(self, situation: ScriptInput, scripts: Mapping[str, Script], left: list[ToolOutcome]) -> None:
        self.situation = situation
        self._scripts = scripts
        self._left = left

    def run(self, script: Script, language: str, slots: Mapping[str, str]) -> ScriptAnswer:
        self._language = language
        self._name = script.name
        self._values: dict[str, object] = {
            **_facts(self.situation),
            "can": self.can,
            "day": self.day,
            "language": language,
        }
        self._values |= slots
        try:
            self._do(script.steps)
        except ScriptAnswered as stop:
            return stop.answer
        return ScriptAnswer(reason=script.name)

    def can(self, *names: str) -> bool:
        return any(map(self.situation.offers, names))

    def day(self, phrase: str | None) -> str:
        return day(phrase, self.situation.now)

    def _do(self, steps: Sequence[Step]) -> None:
        for step in steps:
            match step:
                case CallStep():
                    self._branch(step, self._outcomes([step])[0])
                case Together():
                    outcomes = self._outcomes(step.calls)
                    for call, outcome in zip(step.calls, outcomes, strict=True):
                        self._branch(call, outcome)
                case SayStep():
                    self._say(step)
                case If():
                    self._do(step.then if step.test.value(self._values) else step.otherwise)
                case SetStep():
                    for name, expression in step.values.items():
                        self._values[name] = expression.value(self._values)
                case UseStep():
                    self._do(self._scripts[step.script].steps)
                case other:
                    assert_never(other)

    def _branch(self, call: CallStep, outcome: ToolOutcome) -> None:
        self._values[call.name] = outcome
        if outcome.state in call.upon:
            self._do(call.upon[outcome.state])

    def _outcomes(self, calls: Sequence[CallStep]) -> list[ToolOutcome]:
        """What came of these calls; those that were not made yet are made now, and the rest waits for the next time."""
        found: list[ToolOutcome] = []
        missing: list[WantedCall] = []
        for call in calls:
            if made := self._only_one(call):
                found.append(made)
            elif (want := self._wanted(call)) is None:
                found.append(ToolOutcome(call.tools[0], {}, "missing"))
            elif made := self._made(want):
                found.append(made)
            else:
                missing.append(want)
        if not missing:
            return found
        if len(self.situation.outcomes) + len(missing) > MOST_CALLS:
            raise ScriptAnswered(
                ScriptAnswer(
                    f"I stop here: {len(self.situation.outcomes)} calls did not get me further.", reason="gave up"
                )
            )
        notes = [call.note.render(self._language, self._values) for call in calls if call.note]
        raise ScriptAnswered(ScriptAnswer(" ".join(notes), missing))

    def _only_one(self, call: CallStep) -> ToolOutcome | None:
        """The one outcome that can be this call's, without working out its arguments again."""
        if len(self._left) == 1 and len(call.tools) == 1 and self._left[0].called == tool_named(call.tools[0]):
            return self._left.pop()
        return None

    def _made(self, want: WantedCall) -> ToolOutcome | None:
        """The next outcome of that tool; an identical call is never made twice."""
        called = ToolOutcome(want.tool, want.args, "ok").called
        same = [o for o in self._left if o.called == called]
        exact = [o for o in same if _plain(o.args) == _plain(want.args)] if len(same) > 1 else same
        if found := (exact or same)[:1]:
            self._left.remove(found[0])
            return found[0]
        again = [o for o in self.situation.outcomes if o.tool == want.tool and _plain(o.args) == _plain(want.args)]
        return again[0] if again else None

    def _wanted(self, call: CallStep) -> WantedCall | None:
        """The call as the tool's schema takes it, or None where it is not offered or lacks something."""
        name = next((name for name in call.tools if self.situation.offers(name)), None)
        if name is None:
            return None
        said = {key: self._rendered(value) for key, value in call.args.items()}
        said = {key: value for key, value in said.items() if value not in ("", None)}
        tool = tool_named(name)
        if tool not in self.situation.tools:
            return WantedCall(HQ, {"command": _command(name, said)})
        schema = self.situation.tools[tool].parameters_json_schema
        properties = schema.get("properties", {})
        # A verb takes more than its tool shows; of several that could be meant each takes only what it shows.
        more = "." in name and len(call.tools) == 1 and schema.get("additionalProperties") is not False
        given: dict[str, object] = {}
        for key, value in said.items():
            field = next((each for each in key.split("|") if each in properties), None)
            if field is None and more and "|" not in key:
                given[key] = value
            elif field is not None and (fit := _fitting(value, properties[field])) is not None:
                given[field] = fit
        if not set(schema.get("required", ())) <= set(given):
            return None
        return WantedCall(*shell_tools.done_by(tool, given, self.situation.tools))

    def _rendered(self, value: Any) -> Any:
        if isinstance(value, list):
            return [each for each in map(self._rendered, value) if each != {}]
        if isinstance(value, dict):  # one that lacks something is none
            found = {key: self._rendered(each) for key, each in value.items()}
            return found if all(each not in ("", None) for each in found.values()) else {}
        return value.render(self._language, self._values).strip() if isinstance(value, ScriptText) else value

    def _say(self, step: SayStep) -> None:
        text = _AFTER_LIST.sub(r"\1\n\n", step.text.render(self._language, self._values).strip())
        if step.question and self.situation.told.role not in FACING_FOUNDER:
            asking = CallStep(ASKING, {"question_text|question|text": text}, "question")
            if self._wanted(asking):
                self._outcomes([asking])
        raise ScriptAnswered(ScriptAnswer(text, reason=step.reason or self._name.partition(".")[2].replace("-", " ")))


def _facts(situation: ScriptInput) -> dict[str, object]:
    return {
        "said": situation.said,
        "whole": situation.whole,
        "now": situation.now.astimezone(UTC),
        "today": situation.now.date().isoformat(),
        "role": situation.told.role,
        "cwd": situation.told.cwd,
        "company": situation.company,
        "answered": situation.answered,
        "anew": situation.anew,
        "summary": situation.summary,
        "asks_severity": "`severity: " in situation.whole,
        "earlier": situation.earlier,
        "before_that": situation.before_that,
        "requests": situation.requests,
    }


def _command(name: str, said: Mapping[str, Any]) -> str:
    """The call as a line for `hq`."""
    words = name.removeprefix(OLD_PREFIX).replace("_", "-").split(".")
    for key, value in said.items():
        flag = "--" + key.partition("|")[0].replace("_", "-")
        for each in value if isinstance(value, list) else [value]:
            match each:
                case bool():
                    words.append(flag if each else f"--no-{flag[2:]}")
                case dict():
                    words += [flag, shlex.quote(json.dumps(each, ensure_ascii=False))]
                case _:
                    words += [flag, shlex.quote(str(each))]
    return " ".join(words)


def _plain(args: Mapping[str, Any]) -> str:
    return json.dumps(args, sort_keys=True, default=str)


def _fitting(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value as the schema wants it; None when it does not fit."""
    kinds = {part.get("type") for part in schema.get("anyOf", [schema])}
    if "enum" in schema:
        return value if value in schema["enum"] else None
    if isinstance(value, str) and "string" not in kinds:
        if "integer" in kinds and value.lstrip("-").isdigit():
            return int(value)
        if "boolean" in kinds and value.lower() in ("true", "false"):
            return value.lower() == "true"
        if "array" in kinds:
            return [value]
        return None if kinds <= {"integer", "number", "boolean", "object"} else value
    return value
