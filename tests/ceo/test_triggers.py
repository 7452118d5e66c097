"""A trigger is declared once: its query, the events it is about and what is written from it follow."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from hq.app import catalogue
from hq.asks.ask import Ask
from hq.asks.types import ASKS
from hq.ceo.notice import QUERIES, SHARED, written
from hq.ceo.triggers import BY_NAME, TRIGGERS, stale_topics
from scripts.sql_views import main


class Wish(Ask):
    """A sixth type of ask."""

    type = "wish"
    moves = {"open": ("granted", "withdrawn"), "granted": (), "withdrawn": ()}
    life = {"open": "open", "granted": "answered", "withdrawn": "withdrawn"}
    withdrawn = "withdrawn"
    title_field = "wished"

    wished: str
    """What is wished for."""
    status: Literal["open", "granted", "withdrawn"] = "open"
    """Whether it was granted."""


def test_every_trigger_has_a_query_and_every_query_is_a_triggers():
    assert set(QUERIES) == {*SHARED, *BY_NAME}
    assert len(BY_NAME) == len(TRIGGERS)


def test_every_type_of_ask_is_noticed_when_nobody_answers():
    heard = {topic for trigger in TRIGGERS for topic in trigger.topics}

    assert {model for model in catalogue().nodes.values() if issubclass(model, Ask)} == set(ASKS)
    assert set(stale_topics(ASKS)) <= heard


def test_what_is_written_hears_of_a_new_type_of_ask():
    stale = replace(BY_NAME["ask_stale"], topics=stale_topics([Wish]))

    text = written([stale])

    assert "return array['wish.nudged', 'wish.escalated'];" in text
    assert "where e.topic in ('wish.nudged', 'wish.escalated')" in text


def test_sql_that_is_written_from_declarations_is_not_stale():
    assert main(["--check"]) == 0, "run `make docs`"
