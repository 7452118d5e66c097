"""HTML frames: a conversation as the page takes it in; lines and words as HTML, and which nouns have news."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hq.asks.word import offered_words
from hq.chat.conversation_view import Named, spoken
from hq.chat.lines import ChatLine, ChatLineItem
from hq.chat.status import ChatStatus
from hq.door.actor import HOUSE_ACTOR
from hq.minds.scripted.choices import choices
from hq.stream.event import Announced
from hq.web.assets import part
from hq.web.inbox import of_conversation
from hq.web.markdown import StreamingMarkdown, html

OFFERS = "script:unknown."
"""Who offers words to be said next, beside the house: our own script, never a model."""


class HtmlFrames:
    def __init__(self) -> None:
        self._step = -1
        self._streamed = StreamingMarkdown()
        self._text = ""

    def line(self, line: ChatLine) -> Named:
        return "line", {"id": line.id, "role": line.role, "text": line.text, "html": drawn(line.as_dict())}

    def draft(self, found: ChatStatus) -> Named | None:
        text = spoken(found)
        if found.step != self._step:
            self._step, self._streamed, self._text = found.step, StreamingMarkdown(), ""
        if text == self._text:
            return None
        self._text = text
        grown = self._streamed.became(text)
        return "draft", {"step": found.step, "fresh": grown.fresh, "blocks": grown.blocks, "tail": grown.tail}

    def news(self, events: Sequence[Announced]) -> Iterable[Named]:
        yield "changed", {"nouns": sorted({event.topic.partition(".")[0] for event in events})}


def drawn(line: ChatLineItem, *, past: bool = False) -> str:
    """One line as it stands in the conversation."""
    card = of_conversation(shown) if (shown := line.get("card")) else None
    card = card.of_the_past() if card and past else card
    text = html(_for_page(line)) if line["role"] == "assistant" else None
    return part("line.html", line=line, html=text, card=card, ways=[] if past else _ways(line))


def _ways(line: ChatLineItem) -> list[tuple[str, str]]:
    """Words to be said next, each with what its button is called: what a script of ours offers, and what the house asks."""
    if line["sender"] == HOUSE_ACTOR:
        return offered_words(line["text"])
    return [(each, each) for each in choices(line["text"])] if str(line.get("model", "")).startswith(OFFERS) else []


_FOR_TERMINALS = re.compile(
    r",?(?: and| or| ou)(?: with| by| say| com| diga)? `hq [^`]*`|say “[^”\n]* to [\w-]+”, (?=press a button)| \(`[\w-]+`\)"
    r"|(?<=\.) (?:It is|É) [a-z0-9-]+\.$"
)
"""Ways to say it in a terminal, beside the buttons and the words that a page has."""


def _for_page(line: ChatLineItem) -> str:
    """What the house or a script of ours says, without what is typed into a terminal; words of a model are as they are."""
    ours = line["sender"] == HOUSE_ACTOR or str(line.get("model", "")).startswith("script:")
    return _FOR_TERMINALS.sub("", line["text"]) if ours else line["text"]
