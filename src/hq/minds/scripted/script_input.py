"""The input of a script: the last thing said, what the tools answered since, what they offer, what time it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.tools import ToolDefinition

from hq.json_text import json_value
from hq.minds.mind import MindRequest
from hq.minds.prompt_data import NOT_TO_ANSWER, PREVIOUS, SO_FAR
from hq.minds.scripted import shell_tools
from hq.minds.scripted.choices import chosen
from hq.minds.scripted.company_now import NowLine, company_now
from hq.minds.scripted.speech_pattern import bounded
from hq.new_request import OPENERS, asks_anew
from hq.patterns import compiled

State = Literal["ok", "empty", "error", "waiting", "missing"]
HQ, OLD_PREFIX = "hq", "hq_"
"""The tool that takes command lines; what scripts of earlier days write before a noun."""

_UNNAMED = ("archive", "restore")
"""Actions that `hq` reaches without naming them."""
_NOISE = compiled(
    "|".join(f"(?s:<{tag}>.*?</{tag}>)" for tag in ("system-reminder", "environment_context", "turn_aborted"))
    + r"|(?s:<house>Nothing was decided by that\. It goes on to the CEO.*?</house>)"
)
"""What coding programs say in between, in the place of whoever talks to us; and that the house passes a word on as it is."""
_HOUSE = compiled(r"(?s:<house>(.*?)</house>)")
"""What the house told whoever talks to us: the answer to that is its own, and its mark is nobody's to read."""
_ITS_OWN = compiled(
    r"<house>(?:I could not take that|Taken as your answer to |[^<]* was (?:answered already|withdrawn|expired))"
)
"""What the house took, or why an answer does not count: a script goes by that, and has nothing to find in the words themselves."""
_GO_ON = "Continue from where you left off."
"""What the Claude CLI adds by itself when a conversation is resumed: nobody said that."""
_OPENING = "# Session context reconstruction"
"""How the house begins what it tells at the start."""
_SUMMED_UP = (f"{PREVIOUS}\n", f"{SO_FAR}\n")
"""How the house begins what stands for words of before."""
_ASIDE = re.compile(r"\[[^\[\]]*\]", re.DOTALL)
"""Said to be known, and not to be answered."""
_WRAPPED = compiled("|".join(rf"(?s:<{tag}\b[^>]*>(.*?)</{tag}>)" for tag in ("message", "trigger", "event", "task")))
_SEVERITY = compiled(r"End with a line `severity: \w+`")
"""What schedules add to what is to be done."""
_TRIGGER = compiled(r"(?s:(?:Current trigger|Trigger|Message|Task):\s*(.+?)\s*(?:\n\s*\n|\nProceed\b|\z))")
_COURTESY = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|please|pls|olá|oi|ola|bom dia|por favor|@?(?:chief|ceo|operator|jarvis|hq)\b)[\s,:!.-]+"
    rf"|(?:{OPENERS})\b[\s,:!.–—-]+"
    r"|you were interrupted\.[^:]*: "
    r"|(?:can|could|would|will) you (?:please )?|i(?:'d like| want| need) you to |(?:podes|pode|poderias|podia) )+",
    re.IGNORECASE,
)
_ENDING = compiled(r"(?:[\s,]*(?:please|por favor|thanks|thank you|obrigad[oa]))?[\s.!?]*$", ignore_case=True)
_ROLE = re.compile(
    r"\b(?:You are|(?i:agent))[ :]+(?i:agent:)?(?i:the )?(?:\*\*)?(?!(?i:one|an?|not|asked|called|to|its|their|our|your)\b)(\w[\w-]*)"
)
_NAMED = re.compile(r"\bYou are \*\*(\w[\w-]*)\*\*")
"""As the house says it to its own agents, wherever it stands."""
# Begins with its own text, so that a long prompt is searched quickly; what stands before it is looked at afterwards.
_MOMENT = re.compile(r"20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?: ?UTC|Z|[+-]\d\d:?\d\d)?)?")
_NOW = re.compile(r"\b(?:now|time|today|date)\b[^\d\n]{0,24}$", re.IGNORECASE)
_COMMANDS = compiled(r"(\w+) \(([^()]*)\)")
_CWD = re.compile(r"orking directory:?\s*[`'\"]?(/[^\s`'\"]*)")


@dataclass(frozen=True)
class ToolOutcome:
    """A tool call that was made, and what came of it."""

    tool: str
    args: Mapping[str, Any]
    state: State
    data: Any = None
    error: str = ""
    text: str = ""
    """What it returned as it came, where that was text."""

    @property
    def called(self) -> str:
        """What was called, whichever way it was said: `mission_create`, `Bash`."""
        if self.tool == HQ:
            return command_words(str(self.args.get("command", "")))
        once = self.args.get("action") if self.tool.startswith(OLD_PREFIX) else None
        return f"{self.tool.removeprefix(OLD_PREFIX)}_{once}" if once else self.tool

    @property
    def action(self) -> str:
        return self.called.rpartition("_")[2]

    @property
    def rows(self) -> list[Any]:
        """The list in what it returned, whatever it is called."""
        if isinstance(self.data, list):
            return self.data
        if isinstance(self.data, dict):
            for name in ("items", "results", "hits", "rows"):
                if isinstance(self.data.get(name), list):
                    return self.data[name]
        return []


@dataclass(frozen=True)
class Instructed:
    """What the system text says about this session."""

    role: str
    now: datetime | None
    sentinel: bool
    """The session is to be ended with <task-complete/>."""
    counts_memories: bool
    cwd: str


@dataclass(frozen=True)
class ScriptInput:
    said: str
    """The last thing said to us, without courtesies."""
    whole: str
    """The same as it came."""
    outcomes: Sequence[ToolOutcome]
    """Calls made since, in order."""
    earlier: Sequence[ToolOutcome]
    """Calls made before, in this session."""
    before_that: Sequence[ToolOutcome]
    """Of these, those of the last exchange in which any were made."""
    requests: Sequence[str]
    """Everything that was said to us in this session."""
    tools: Mapping[str, ToolDefinition]
    told: Instructed
    now: datetime
    turn: int
    """How many messages there are: makes the ids of calls unique."""
    company: Mapping[str, Sequence[NowLine]] = field(default_factory=dict)
    """How things stand, where that was told."""
    answered: str = ""
    """The last thing we said before that."""
    summary: str = ""
    """What stands in place of what was said before that, where it was summed up: nobody's words."""
    anew: bool = False
    """It asks for something, and so answers nothing."""

    def offers(self, name: str) -> bool:
        """Whether a tool, or a verb as in `task.create`, can be called here: as a tool by itself, or as a command."""
        return tool_named(name) in self.tools or self.takes_command(name)

    def takes_command(self, name: str) -> bool:
        """Whether `hq` says that it takes this verb."""
        noun, dot, action = name.removeprefix(OLD_PREFIX).partition(".")
        if not dot or HQ not in self.tools:
            return False
        index = commands_of(self.tools[HQ].description or "")
        return noun in index and (not index[noun] or action in index[noun] or action in _UNNAMED)


def tool_named(name: str) -> str:
    """The tool of a verb, `task_create` for `task.create`; any other name is a tool's own."""
    return name.removeprefix(OLD_PREFIX).replace(".", "_") if "." in name else name


def command_words(command: str) -> str:
    """The verb of a command line, as the tool it would be."""
    return "_".join(command.split(maxsplit=2)[:2]).replace("-", "_")


@lru_cache(maxsize=64)
def commands_of(description: str) -> Mapping[str, frozenset[str]]:
    """The nouns that the tool `hq` names, each with its actions; with none where it names only nouns."""
    index = description.rpartition("Commands: ")[2]
    if "(" not in index:
        return {noun.strip(): frozenset() for noun in index.split(",")}
    return {noun: frozenset(re.split(r",\s*", actions)) for noun, actions in _COMMANDS.findall(index)}


def look(ask: MindRequest) -> list[ScriptInput]:
    """What is still to be answered, the oldest first: the last thing said, and what its words came in the middle of."""
    spoken, requests = _spoken(ask.messages)
    told = instructed(ask.instructions)
    tools = {tool.name: tool for tool in ask.tools}
    if shell_tools.SHELL in tools and not told.cwd:
        told = replace(told, cwd=shell_tools.cwd(ask.messages))
    first = spoken[0].at
    answered = _last_answer(ask.messages[:first])
    return [
        ScriptInput(
            said=utterance(chosen(utterance(each.text), answered) or each.text),
            whole=each.text,
            outcomes=_outcomes(ask.messages, first, len(ask.messages)),
            earlier=_outcomes(ask.messages, 0, first),
            before_that=_last_exchange(ask.messages, first),
            requests=requests,
            tools=shell_tools.lent(tools, each.text),
            told=told,
            now=_moment(each.text) or told.now or each.moment,
            turn=len(ask.messages),
            company=company_now(ask.now),
            answered=answered,
            summary=_summary(ask.messages),
            anew=asks_anew(_unwrapped(each.text)),
        )
        for each in spoken
    ]


def _last_exchange(messages: Sequence[ModelMessage], upto: int) -> list[ToolOutcome]:
    """What was called for what was said last before that, small talk aside."""
    for index in range(upto - 1, -1, -1):
        if any(isinstance(part, UserPromptPart) for part in messages[index].parts):
            if found := _outcomes(messages, index, upto):
                return found
            upto = index
    return []


def _summary(messages: Sequence[ModelMessage]) -> str:
    """The last that stands for what was said and done before."""
    said = (
        part.content for message in reversed(messages) for part in message.parts if isinstance(part, UserPromptPart)
    )
    return next((text for text in said if isinstance(text, str) and text.startswith(_SUMMED_UP)), "")


def _last_answer(messages: Sequence[ModelMessage]) -> str:
    """What we said last to whoever talks to us."""
    for message in reversed(messages):
        if isinstance(message, ModelResponse) and not any(isinstance(part, ToolCallPart) for part in message.parts):
            return message.text or ""
    return ""


@lru_cache(maxsize=256)
def instructed(text: str) -> Instructed:
    head = text[:20_000]
    role = _NAMED.search(head) or _ROLE.search(head)
    cwd = _CWD.search(text)
    return Instructed(
        role=role[1].lower() if role else "",
        now=_moment(text),
        sentinel="<task-complete" in text,
        counts_memories="memory_entry_count" in text,
        cwd=cwd[1] if cwd else "",
    )


@lru_cache(maxsize=1024)
def utterance(text: str) -> str:
    """What was really said: out of its wrapping, without greeting, thanks and full stop."""
    text = _unwrapped(text)
    short = text[: _ENDING.search(text).start()] or text.rstrip(".!? ")
    return _COURTESY.sub("", short) or short


def _unwrapped(text: str) -> str:
    if wrapped := _WRAPPED.findall(text):
        text = "".join(wrapped[-1]).strip()
    elif trigger := _TRIGGER.search(text):
        text = trigger[1]
    if severity := _SEVERITY.search(text):
        text = text[: severity.start()].rstrip()
    return " ".join(text.split()) if len(text) < 2000 else text.strip()


_UNDECIDED = "<house>Nothing was decided by that."
"""To a word that may have been meant for what waits; what was said then is clear by what was said since."""


@dataclass(frozen=True)
class _Spoken:
    at: int
    text: str
    moment: datetime


def _spoken(messages: Sequence[ModelMessage]) -> tuple[list[_Spoken], list[str]]:
    """What was said last, all that came at once; before it what was under way, if it came beside results. And all ever said."""
    spoken: list[_Spoken] = []
    requests = []
    for index, message in enumerate(messages):
        if isinstance(message, ModelRequest):
            prompts = [part for part in message.parts if isinstance(part, UserPromptPart)]
            prompts = [part for part in prompts if not str(part.content).startswith((NOT_TO_ANSWER, *_SUMMED_UP))]
            prompts = [part for part in prompts if part is prompts[-1] or _UNDECIDED not in str(part.content)]
            if new := [_Spoken(index, text, part.timestamp) for part in prompts if (text := _text(part.content))]:
                amid = any(isinstance(part, ToolReturnPart) for part in message.parts) and not _broken_off(message)
                spoken = [*(spoken if amid else ()), *new]
                requests += [utterance(each.text) for each in new]
        elif not any(isinstance(part, ToolCallPart) for part in message.parts):
            spoken = spoken[-1:]  # the rest is answered
    return spoken or [_Spoken(0, "", datetime(1970, 1, 1, tzinfo=UTC))], requests


def _broken_off(message: ModelRequest) -> bool:
    """Whether the program says that what was being worked on was stopped: then what follows begins anew."""
    return any(isinstance(part, UserPromptPart) and "<turn_aborted>" in str(part.content) for part in message.parts)


def _text(content: Any) -> str:
    """Of several texts the last that says something: those before it only lead there."""
    texts = [content] if isinstance(content, str) else [part for part in content if isinstance(part, str)]
    said = (_without_noise(text).strip() if "</" in text else text.strip() for text in reversed(texts))
    return bounded(
        next(
            (text for text in said if text and text != _GO_ON and not _ASIDE.fullmatch(text) and not _only_opens(text)),
            "",
        )
    )


def _without_noise(text: str) -> str:
    said = _NOISE.sub("", text)
    alone = _HOUSE.sub("", said)
    return alone if alone.strip() and not _ITS_OWN.search(said) else _HOUSE.sub(r"\1", said)


def _only_opens(text: str) -> bool:
    """Whether it only begins a conversation in which nobody has said anything yet."""
    return text.startswith(_OPENING) and "Current trigger:" not in text


def _outcomes(messages: Sequence[ModelMessage], first: int, last: int) -> list[ToolOutcome]:
    calls: dict[str, ToolCallPart] = {}
    found = []
    for message in messages[first:last]:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                calls[part.tool_call_id] = part
            elif isinstance(part, ToolReturnPart | RetryPromptPart) and (call := calls.get(part.tool_call_id)):
                found.append(_outcome(call, part))
    return found


def _outcome(call: ToolCallPart, part: ToolReturnPart | RetryPromptPart) -> ToolOutcome:
    args = _args(call)
    if isinstance(part, RetryPromptPart):
        return ToolOutcome(call.tool_name, args, "error", error=str(part.content)[:400])
    content = part.content
    text = content if isinstance(content, str) else ""
    if call.tool_name == shell_tools.SHELL:
        content, failed = shell_tools.command_output(text)
        return ToolOutcome(
            call.tool_name, args, "error" if failed else "ok", content, content[:400] if failed else "", content
        )
    if text[:1] in ("{", "["):
        with suppress(ValueError):
            content, text = json_value(text), ""
    if part.outcome != "success":
        return ToolOutcome(call.tool_name, args, "error", content, error=(text or str(content))[:400], text=text)
    return _read(call.tool_name, args, content, text)


def _read(tool: str, args: Mapping[str, Any], content: Any, text: str) -> ToolOutcome:
    """A result by the contract of the door says itself how it went; anything else is what it is."""
    data, error = content, None
    if isinstance(content, dict) and "ok" in content:
        data, error = content.get("data"), content.get("error")
        if not content["ok"]:
            told = error if isinstance(error, dict) else {"message": str(error or "it failed")}
            state: State = "waiting" if told.get("code") == "waiting" else "error"
            if tool == HQ and "not among your tools" in str(told.get("message", "")):
                state = "missing"  # it said only nouns of what it takes
            return ToolOutcome(tool, args, state, data, error=str(told.get("message", "")))
    outcome = ToolOutcome(tool, args, "ok", data, text=text)
    listed = isinstance(data, dict) and any(name in data for name in ("items", "results", "hits", "rows"))
    blank = data in (None, "", [], {}) or (listed and not outcome.rows)
    return ToolOutcome(tool, args, "empty", data, text=text) if blank else outcome


def _args(call: ToolCallPart) -> Mapping[str, Any]:
    if isinstance(call.args, dict):
        return call.args
    try:
        found = json_value(call.args or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _moment(text: str) -> datetime | None:
    """The last moment the text calls now, today, the time or the date."""
    found = [m[0] for m in _MOMENT.finditer(text) if _NOW.search(text[max(0, m.start() - 40) : m.start()])]
    if not found:
        return None
    try:
        moment = datetime.fromisoformat(found[-1].replace(" UTC", "Z"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
