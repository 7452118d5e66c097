"""The text of a result is declared with its verb: it is there, it belongs to its room or one below, and loads little."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

from hq.app import registry
from hq.cli.sentence import FIELD
from hq.cli.text import text
from hq.cli.verbs import CliVerb
from hq.terminal.screen import Screen

from .test_startup import HEAVY

DECLARED = {verb.name: verb for verb in registry() if verb.text.startswith("hq.")}
PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
LAYERS = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
HEIGHT = {room.strip(): -at for at, layer in enumerate(LAYERS) for room in layer.split("|")}


def told(data: dict, declared: str, *, changes: bool = False) -> list[str]:
    verb = CliVerb("thing.move", "thing", "move", "Move it.", "write", changes=changes, text=declared)
    return list(text(data, verb, Screen()))


def test_every_declared_text_is_there():
    missing = [
        verb.name
        for verb in DECLARED.values()
        if not callable(getattr(import_module(verb.text.partition(":")[0]), verb.text.partition(":")[2], None))
    ]

    assert DECLARED and not missing


def test_a_room_declares_texts_of_its_own_or_of_rooms_below():
    upward = [
        (verb.name, verb.text)
        for verb in DECLARED.values()
        if verb.handler.__module__ != "hq.door.nouns"  # what is generated is declared by the room that asks for it
        and HEIGHT[verb.text.split(".")[1]] > HEIGHT[verb.handler.__module__.split(".")[1]]
    ]

    assert not upward


def test_telling_a_result_loads_no_room():
    modules = sorted({verb.text.partition(":")[0] for verb in DECLARED.values()})
    probe = f"import sys, {', '.join(modules)}; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=60)

    assert not set(loaded.stdout.split()) & (set(HEAVY) - {"hq.door"})


def test_a_field_is_told_as_it_is():
    assert told({"tree": "a\n  b\n", "org": 1}, ".tree") == ["a\n  b"]
    assert told({"schema": {"type": "object"}}, ".schema") == ['{\n  "type": "object"\n}']


def test_a_preview_is_told_whole_and_what_was_done_in_a_sentence():
    assert told({"preview": True, "removes": ["a"]}, "hq.org.yaml_text:preview", changes=True) == [
        "preview: true",
        "removes:",
        "  - a",
    ]
    assert len(told({"slug": "x"}, "hq.org.yaml_text:preview", changes=True)) == 1


def test_a_sentence_is_declared_with_its_fields_and_parts_of_it_may_be_empty():
    said = "froze {scope}[ until {until}][, for {agents}]: {answer|status}"

    assert told({"scope": "all", "until": None, "agents": [], "answer": None, "status": "set"}, said, changes=True) == [
        "froze all: set"
    ]
    assert told({"scope": "all", "until": "Monday", "agents": ["a", "b"], "answer": "yes"}, said, changes=True) == [
        "froze all until Monday, for a, b: yes"
    ]


def test_a_declared_sentence_names_fields_of_its_result():
    sentences = {verb.name: verb for verb in registry() if "{" in verb.text}
    unknown = [
        (verb.name, name)
        for verb in sentences.values()
        for names in FIELD.findall(verb.text)
        for name in names.split("|")
        if name not in verb.result.model_fields
    ]

    assert len(sentences) > 30
    assert unknown == []
