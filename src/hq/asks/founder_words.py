"""Words of the founder: what a person said to an agent lately, in whichever conversation, and whether an answer only repeats it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from hq.asks.plain_words import asks_something, denials, tokens
from hq.asks.rows import FounderSaidRow
from hq.database.queries import beside
from hq.door.tx import Tx

SQL = beside(__file__)
LATELY = timedelta(days=1)
MOST = 10
REPEATED = 0.7
"""So much of an answer's words, and each number in it, the founder has said: then nobody decided it for them."""


async def said_lately(tx: Tx, agent: str, within: timedelta = LATELY, most: int = MOST) -> Sequence[FounderSaidRow]:
    """The newest messages of people to an agent, oldest first."""
    values = {"agent": agent, "since": tx.now - within, "limit": most}
    return list(reversed(await tx.rows(SQL["said_lately_by_founder"], values, into=FounderSaidRow)))


async def repeats_founder(tx: Tx, words: str) -> bool:
    """Whether an answer of the CEO's says again what the founder said to it. What the founder asked, or did not want, is not said."""
    if tx.caller.role != "ceo" or tx.caller.agent is None:
        return False
    return any(_repeats(words, each.body) for each in await said_lately(tx, tx.caller.agent))


def _repeats(words: str, said: str) -> bool:
    if asks_something(said) or denials(said) - denials(words):
        return False
    wanted = [each for each in tokens(words) if len(each) > 2 or each.isdigit()]
    known = set(tokens(said))
    there = [each for each in wanted if each in known or _in_short(each, known)]
    return (
        bool(wanted) and len(there) >= REPEATED * len(wanted) and {each for each in wanted if each.isdigit()} <= known
    )


def _in_short(word: str, known: set[str]) -> bool:
    """`eur` for euros."""
    return not word.isdigit() and any(each.startswith(word) for each in known)
