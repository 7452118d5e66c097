"""A mind that follows scripts. The same interface as any other, no cost, and always the same answer to the same thing."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, lru_cache, partial
from html import escape

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.usage import RequestUsage

from hq.minds.mind import MindRequest, OnText, Reply, TokenUsage
from hq.minds.scripted.interpreter import ScriptAnswer, ScriptRun
from hq.minds.scripted.language import shipped_scripts
from hq.minds.scripted.script import Script
from hq.minds.scripted.script_input import ScriptInput, ToolOutcome, look
from hq.minds.scripted.speech_pattern import HEAD, TAIL

Match = tuple[Script, str, Mapping[str, str]]
FREE = Decimal(0)
PIECE = 24
"""Characters passed on at a time to somebody who listens."""


class ScriptedMind:
    name = "script"

    def __init__(self, scripts: Sequence[Script]) -> None:
        self._by_name = {script.name: script for script in scripts}
        # Every step of a turn sees the same words again.
        self._matching = lru_cache(maxsize=2048)(partial(Matches, scripts))

    async def answer(self, ask: MindRequest, *, on_text: OnText | None = None) -> Reply:
        started = time.perf_counter()
        name, answer, situation = self._answered(look(ask))
        text = _ended(answer, situation)
        if on_text is not None:
            for start in range(0, len(text), PIECE):
                await on_text(text[start : start + PIECE])
        usage = TokenUsage(_tokens(ask), max(1, len(text) // 4 + 20 * len(answer.calls)))
        response = ModelResponse(
            parts=[
                *([TextPart(text)] if text else []),
                *(
                    ToolCallPart(call.tool, dict(call.args), tool_call_id=f"call_{situation.turn}_{index}")
                    for index, call in enumerate(answer.calls)
                ),
            ],
            usage=RequestUsage(input_tokens=usage.tokens_in, output_tokens=usage.tokens_out),
            model_name="script",
            provider_name="script",
            finish_reason="tool_call" if answer.calls else "stop",
        )
        return Reply(response, f"script:{name}", usage, FREE, (time.perf_counter() - started) * 1000)

    def _answered(self, situations: Sequence[ScriptInput]) -> tuple[str, ScriptAnswer, ScriptInput]:
        """All that is still to be answered, in one text; or what has to be called before that can be said."""
        left = list(situations[0].outcomes)
        said: list[tuple[str, ScriptAnswer]] = []
        for situation in situations:
            name, answer = self._decide(situation, left)
            if answer.calls:
                return name, answer, situation
            said.append((name, answer))
        text = "\n\n".join(answer.text for _, answer in said)
        return "+".join(name for name, _ in said), replace(said[-1][1], text=text), situations[-1]

    def _decide(self, situation: ScriptInput, left: list[ToolOutcome]) -> tuple[str, ScriptAnswer]:
        """The first script that fits and has something to say. It takes of what the tools said what is its own."""
        running = ScriptRun(situation, self._by_name, left)
        for script, language, slots in self._matching(situation.said, situation.told.role):
            if all(running.can(*group) for group in script.needs):
                answer = running.run(script, language, slots)
                if answer.text or answer.calls:
                    return script.name, answer
        return "nothing", ScriptAnswer("I have no script for that.", reason="nothing to do")


class Matches:
    """The scripts that fit what was said, found as far as somebody asks: mostly the first is enough."""

    def __init__(self, scripts: Sequence[Script], said: str, role: str) -> None:
        self._said = said
        self._role = role
        self._rest = iter(scripts)
        self._found: list[Match] = []

    def __iter__(self) -> Iterator[Match]:
        yield from self._found
        for script in self._rest:
            if found := self._fits(script):
                self._found.append(found)
                yield found

    def _fits(self, script: Script) -> Match | None:
        if script.role and script.role.search(self._role) is None:
            return None
        for language, pattern in script.says:
            if (caught := pattern.fullmatch(self._said)) is not None:
                return self._unless(script, language, caught)
        for language, pattern in script.finds:
            if (caught := pattern.search(self._said)) is not None:
                return self._unless(script, language, caught)
        return None

    def _unless(self, script: Script, language: str, caught: Mapping[str, str]) -> Match | None:
        if any(pattern.search(self._said) is not None for _, pattern in script.unless):
            return None
        return script, language, {name: value.strip(" ,.\"'“”") for name, value in caught.items() if value}


@cache
def shipped() -> ScriptedMind:
    """The scripts that come with hq, read once per process."""
    return ScriptedMind(shipped_scripts())


def _ended(answer: ScriptAnswer, situation: ScriptInput) -> str:
    """With the sentinel where the instructions ask for one, and nothing is left to do."""
    if answer.calls or not situation.told.sentinel:
        return answer.text
    wrote = any(
        "memory" in outcome.called and outcome.state == "ok" for outcome in (*situation.earlier, *situation.outcomes)
    )
    reason = answer.reason + ("; memory_entry_count=0" if situation.told.counts_memories and not wrote else "")
    return f'{answer.text}\n\n<task-complete reason="{escape(reason)}"/>'


def _tokens(ask: MindRequest) -> int:
    """A guess, four characters each, of what a script reads: enough for meters to show that something was read. What it leaves out
    of a long text fills no context, and need not be summed up."""
    length = min(len(ask.instructions), HEAD + TAIL)
    for message in ask.messages:
        for part in message.parts:
            content = getattr(part, "content", None)
            length += min(len(content), HEAD + TAIL) if isinstance(content, str) else 40
    return length // 4
