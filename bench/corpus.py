"""Two companies in one installation, one with nearly all of the messages and one with a few, in words of many lengths."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any
from uuid import UUID

import psycopg

from bench.database import Company
from bench.finding import Finding
from hq.database.queries import beside

SQL = beside(__file__, "search.sql")
FIRST = 10_000  # numbers below are the founding's
EVERY = 200  # one call in so many is the small company's: 0.5 %
WORDS = 20_000
_SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "qui",
    "ro",
    "su",
    "ta",
    "ve",
    "wi",
    "xo",
    "yu",
    "zan",
    "bel",
    "cor",
    "dun",
    "fer",
    "gal",
    "hom",
    "jin",
    "kel",
    "lam",
]


@dataclass(frozen=True)
class Corpus:
    large: str
    small: str
    """Their founders' tokens."""
    middle: datetime
    texts: list[str]

    def query(self, dice: random.Random, words: int = 6) -> str:
        """Some words of a message, as somebody half remembers it."""
        said = dice.choice(self.texts).split()
        return " ".join(dice.sample(said, min(words, len(said))))


async def make_corpus(hq: Finding, company: Company, size: int) -> Corpus:
    token = (await hq.do("tenant.create", name="Small", founder="Founder"))["token"]
    small = UUID((await hq.do("auth.whoami", token=token))["tenant_id"])
    dice = random.Random(7)
    texts = make_texts(dice, size)
    start = datetime.now(UTC) - timedelta(seconds=size, hours=1)
    with psycopg.connect(company.address.url, autocommit=True, cursor_factory=psycopg.ClientCursor) as owner:
        owner.execute(SQL["lay_out"])
        with owner.cursor().copy("copy said from stdin") as copy:
            for nr, text in enumerate(texts):
                copy.write_row((nr, text))
        found = owner.execute("select producer_id from ops.principals where tenant_id = %s limit 1", [small]).fetchone()
        values: dict[str, Any] = {
            "large": company.tenant,
            "small": small,
            "small_producer": found[0] if found else None,
            "producer": company.producer,
            "actor": company.actor,
            "first": FIRST,
            "every": EVERY,
            "start": start,
        }
        for query in ("write_actions", "write_versions", "show_nodes", "settle", "chain"):
            owner.execute(SQL[query], values)
        owner.execute("vacuum (analyze) graph.versions, graph.nodes, ops.agent_actions")
    return Corpus(company.token, token, start + timedelta(seconds=size / 2), texts)


def _vocabulary(dice: random.Random) -> list[str]:
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(dice.choices(_SYLLABLES, k=dice.choice((2, 2, 3, 3, 4))))] = None
    return list(words)


def make_texts(dice: random.Random, size: int) -> list[str]:
    """Words as often as in a language: the n-th most common about one n-th as often as the first."""
    vocabulary = _vocabulary(dice)
    weights = list(accumulate(1 / (place + 2) for place in range(len(vocabulary))))
    return [" ".join(dice.choices(vocabulary, cum_weights=weights, k=dice.randint(5, 40))) for _ in range(size)]
