"""Rooms: each says in its front what it brings, and their order is that of the contract on imports."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from hq import app, rooms
from hq.door.verb import Registry
from hq.rooms import LAYERS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "hq"
NO_ROOMS = {"cli", "api", "mcp", "web", "headquarters", "app", "terminal", "database"}
"""Faces, the composition root, and what knows nothing of what is stored."""
NAMES = [room.name for room in rooms.rooms()]


def test_the_order_of_the_rooms_is_that_of_the_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]

    (layers,) = [each["layers"] for each in contracts if each["type"] == "layers"]

    assert tuple(layer for layer in layers if layer not in NO_ROOMS) == LAYERS


def test_a_room_without_a_place_is_said(monkeypatch):
    monkeypatch.setattr(rooms, "LAYERS", LAYERS[1:])

    with pytest.raises(TypeError, match="ceo"):
        rooms.rooms.__wrapped__()


@pytest.mark.parametrize("room", rooms.rooms(), ids=NAMES)
def test_a_front_says_what_its_room_is_for(room):
    assert room.says.endswith(".") and import_module(f"hq.{room.name}.room").ROOM is room


@pytest.mark.parametrize("name", NAMES)
def test_nothing_a_module_declares_is_left_out_of_the_front(name):
    room = next(each for each in rooms.rooms() if each.name == name)
    brought = {"NODES": room.types, "EDGES": room.edges, "VERBS": room.verbs, "JOBS": room.jobs, "KINDS": room.kinds}
    modules = [
        import_module(".".join(file.relative_to(SOURCE.parent).with_suffix("").parts))
        for file in (SOURCE / name).rglob("*.py")
        if any(line.startswith(tuple(brought)) for line in file.read_text().splitlines())
    ]

    for module in modules:
        for said, known in brought.items():
            declared = [each for each in getattr(module, said, ()) if not isinstance(each, str)]
            assert [each for each in declared if each not in known] == [], f"{module.__name__}.{said}"


def test_every_file_of_functions_is_in_a_front():
    made = {
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.sql")
        if "database" not in file.parts
        and file.name != "base.sql"  # what `sql/views.sql` is made from
        and any(word in file.read_text() for word in ("create or replace ", "create view"))
    }

    assert made == set(app.functions())


def test_each_is_brought_once():
    for field in ("types", "edges", "verbs", "jobs", "kinds"):
        brought = [id(each) for room in rooms.rooms() for each in getattr(room, field)]
        assert len(brought) == len(set(brought)), field
    nouns = [noun for room in rooms.rooms() for noun in room.owners]
    assert len(nouns) == len(set(nouns))


def test_every_noun_has_a_meaning_and_one_that_is_a_type_has_no_second():
    said = [noun for room in rooms.rooms() for noun in room.nouns]

    assert len(said) == len(set(said)) and not set(said) & set(app.catalogue().nodes)
    assert set(said) <= {verb.noun for verb in app.registry()}
    assert all(room.nouns[noun].endswith(".") for room in rooms.rooms() for noun in room.nouns)


def test_a_verb_of_a_noun_that_nobody_explains_is_refused():
    verb = next(iter(app.registry()))

    with pytest.raises(TypeError, match="no front says in `nouns` what it means"):
        Registry([verb], {})


@pytest.mark.parametrize("page", ["architecture.md", "architecture.svg"])
def test_the_drawing_names_every_room(page):
    text = (ROOT / "docs" / page).read_text()

    assert [name for name in NAMES if not re.search(rf"\b{name}\b", text)] == []
