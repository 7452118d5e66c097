"""A whole answer of a mind: one that was cut off is gone on with and joined, an empty one is asked for once more, and who
declines is believed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart

from hq.minds.mind import MindDeclined, MindRequest, MindSilent, OnText, Reply

Once = Callable[[MindRequest, OnText | None], Awaitable[Reply]]
"""Asks one time, under a reservation of its own."""
PARTS = 5
"""In how many pieces an answer may come."""
OVERLAP = 80
"""Characters that are said again where it goes on, so that nothing is lost or doubled at the seam."""
SURE = 8
"""Characters that have to be the same to be taken for such a repetition."""
SILENT = "You answered nothing at all. Answer what was asked, or call a tool."
WORDLESS = "You answered nothing at all. Write the text that was asked for."
GO_ON = (
    "Your answer was cut off: it was too long for one piece. Begin with its last words, exactly as they stand here, and go "
    "on from there without a word about it: {tail}"
)
UNFINISHED = '\n\n*(Cut off here: longer than an answer may be. Say "go on" for the rest.)*'
HINT = "say it in other words, or let another model answer (`hq mind set`)"


async def whole_answer(ask: MindRequest, once: Once, on_text: OnText | None = None) -> Reply:
    """Raises MindDeclined where there is none. A length that whoever asks has set is kept to."""
    reply = await once(ask, on_text)
    if _empty(reply):
        reply = _after(await once(_told(ask, None, WORDLESS if ask.words else SILENT), on_text), reply)
        if _empty(reply):
            raise MindSilent(f"{reply.model} answered nothing, twice", hint=HINT)
    for _ in range(PARTS - 1):
        _check(reply)
        if not _goes_on(ask, reply):
            return reply
        said = reply.response.text or ""
        tail = said[-OVERLAP:]
        seam = Seam(tail, on_text)
        more = await once(_told(ask, reply.response, GO_ON.format(tail=tail)), seam.hear if on_text else None)
        await seam.end()
        if _empty(more):
            break
        reply = _joined(reply, more, tail)
    _check(reply)
    return _told_as_cut(reply) if _goes_on(ask, reply) else reply


def _check(reply: Reply) -> None:
    if not reply.declined:
        return
    details = reply.response.provider_details or {}
    said = str(details.get("refusal") or "").strip().rstrip(".")
    raise MindDeclined(f"{reply.model} declined to answer this{f': {said[:300]}' if said else ''}", hint=HINT)


def _empty(reply: Reply) -> bool:
    """Nothing to read and nothing to do, whatever it thought."""
    calls = any(isinstance(part, ToolCallPart) for part in reply.response.parts)
    return not calls and not reply.declined and not (reply.response.text or "").strip()


def _goes_on(ask: MindRequest, reply: Reply) -> bool:
    """Words were cut. What was cut in a call is not made, and its mind is told so."""
    calls = any(isinstance(part, ToolCallPart) for part in reply.response.parts)
    return reply.cut and not calls and not ask.max_tokens and "max_tokens" not in ask.settings


def _told(ask: MindRequest, said: ModelResponse | None, word: str) -> MindRequest:
    more: list[ModelMessage] = [*([said] if said else []), ModelRequest(parts=[UserPromptPart(content=word)])]
    return replace(ask, messages=[*ask.messages, *more])


def _after(reply: Reply, before: Reply) -> Reply:
    return replace(reply, earlier=(*before.earlier, replace(before, earlier=())))


def _joined(reply: Reply, more: Reply, tail: str) -> Reply:
    """One text, and behind it what the rest called."""
    text = (reply.response.text or "") + behind(tail, more.response.text or "")
    thought = [part for part in reply.response.parts if not isinstance(part, TextPart)]
    calls = [part for part in more.response.parts if isinstance(part, ToolCallPart)]
    parts = [*thought, TextPart(text), *calls]
    return _after(replace(more, response=replace(more.response, parts=parts)), reply)


def _told_as_cut(reply: Reply) -> Reply:
    parts = list(reply.response.parts)
    last = max(n for n, part in enumerate(parts) if isinstance(part, TextPart))
    parts[last] = TextPart((reply.response.text or "").rstrip() + UNFINISHED)
    kept = [part for n, part in enumerate(parts) if n >= last or not isinstance(part, TextPart)]
    return replace(reply, response=replace(reply.response, parts=kept))


def behind(tail: str, text: str) -> str:
    """What of a text comes behind these words, where it begins with them or with their end."""
    for start in range(max(0, len(tail) - SURE + 1)):
        if text.startswith(tail[start:]):
            return text[len(tail) - start :]
    begun = text.lstrip()
    if begun != text and tail and not tail[-1].isspace() and (rest := behind(tail, begun)) != begun:
        return rest
    return text


class Seam:
    """Passes the second piece on as it comes, once it is known what of it was said before."""

    def __init__(self, tail: str, on_text: OnText | None) -> None:
        self._tail = tail
        self._on_text = on_text
        self._held: str | None = ""

    async def hear(self, text: str) -> None:
        if self._held is None:
            await self._say(text)
            return
        self._held += text
        if len(self._held) > len(self._tail) + OVERLAP:
            await self.end()

    async def end(self) -> None:
        held, self._held = self._held, None
        if held:
            await self._say(behind(self._tail, held))

    async def _say(self, text: str) -> None:
        if self._on_text is not None and text:
            await self._on_text(text)
