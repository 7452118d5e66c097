"""What is part of what, and what holds back who acts for it, is said by types and edges; the door only reads it."""

from __future__ import annotations

import re
from typing import Literal

import pytest

from hq.app import catalogue
from hq.database.schema_history import migrations
from hq.door.access import AT_REST
from hq.door.wholes import written
from hq.graph.catalogue import Catalogue
from hq.graph.types import Edge, Name, Node


class Ship(Node):
    """A type of a room above the door."""

    type = "ship"
    moves = {"at_sea": ("moored",), "moored": ("at_sea",)}
    holds_back = ("moored",)

    name: Name
    """What it is called."""
    status: Literal["at_sea", "moored"] = "at_sea"
    """Where it is."""


SAILS_ON = Edge("sails_on", "The ship it is on.", {"ship": ("ship",)}, upward="target")


def test_a_type_whose_state_holds_back_and_a_link_that_leads_up_are_taken_from_their_declaration():
    text = written(Catalogue([Ship], [SAILS_ON]))

    assert "return (_type, _status) in (('ship', 'moored'));" in text
    assert "n.status in ('moored')" in text and "e.type in ('sails_on')" in text


def test_what_holds_back_is_a_state_of_rest_and_found_by_the_index():
    holding = {state for model in catalogue().nodes.values() for state in model.holds_back}
    made = "".join(step.text for step in migrations())
    indexed = re.findall(r"nodes_at_rest on .*?where status in \((.*?)\)", made, re.DOTALL)[-1]

    assert holding <= set(AT_REST) and holding <= set(re.findall(r"\w+", indexed))


def test_a_state_that_a_type_does_not_have_holds_nobody_back():
    with pytest.raises(TypeError, match="holds_back names unknown states"):
        type("Boat", (Ship,), {"type": "boat", "holds_back": ("sunk",), "__module__": __name__})


def test_a_link_leads_up_one_way():
    down = Edge("sails_on", "The ship it is on.", {"ship": ("ship",)}, upward="source")

    with pytest.raises(TypeError, match="leads up both ways"):
        Catalogue([Ship], [SAILS_ON, down])
