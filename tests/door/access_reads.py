"""What the rules of access read: links, types and fields, found in their own code and in the SQL that they run.

Nothing is listed by hand. From each rule (whose something is, who leads whom, who may answer, every policy of the door, who
a token is of) the functions that it calls are followed, and the functions and views of the database that their queries name.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import hq
from hq.agents.owners import belongs, leads, sight
from hq.app import catalogue, owners
from hq.asks.authority import check_may_answer
from hq.graph.types import Node
from hq.rooms import rooms

SOURCE = Path(hq.__file__).parent
ENGINE = ("hq.graph", "hq.database", "hq.ids", "hq.errors", "hq.door.tx")
"""What carries out any read, for rules and everybody else."""
DEFINED = re.compile(r"create (?:or replace )?(?:function|view) ((?:ops|graph)\.\w+)(.*?)(?=\ncreate |\Z)", re.DOTALL)
OPENS = "ops.open_call"
"""Finds out who calls."""
STATES = ("graph.over", "graph.in_hand")
"""What is over in every type there is: who asks it reads the types that it names itself."""


@dataclass
class Reads:
    edges: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    fields: set[str] = field(default_factory=set)
    seen: set[Any] = field(default_factory=set)

    def function(self, each: Callable[..., Any]) -> Reads:
        each = inspect.unwrap(each)
        if each in self.seen or not each.__module__.startswith("hq.") or each.__module__.startswith(ENGINE):
            return self
        self.seen.add(each)
        tree = ast.parse(textwrap.dedent(inspect.getsource(each)))
        scope = {**each.__globals__, **inspect.getclosurevars(each).nonlocals}
        for part in ast.walk(tree):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                self.word(part.value)
            elif isinstance(part, ast.Name):
                self.named(scope.get(part.id))
            elif isinstance(part, ast.Attribute):
                owner = scope.get(part.value.id) if isinstance(part.value, ast.Name) else None
                self.named(getattr(owner, part.attr, None) if isinstance(owner, ModuleType | type) else None)
                if isinstance(part.value, ast.Attribute) and part.value.attr == "props":
                    self.fields.add(part.attr)
            elif isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant):
                texts = scope.get(part.value.id) if isinstance(part.value, ast.Name) else None
                if isinstance(texts, Mapping) and isinstance(text := texts.get(part.slice.value), str):
                    self.sql(text)
        return self

    def word(self, text: str) -> None:
        self.edges |= {text} & catalogue().edges.keys()
        self.types |= {text} & catalogue().nodes.keys()

    def named(self, value: Any) -> None:
        if isinstance(value, type) and issubclass(value, Node) and hasattr(value, "type"):
            self.types.add(value.type)
        elif inspect.isfunction(value):
            self.function(value)
        elif isinstance(value, tuple):
            for each in value:
                if isinstance(each, str):
                    self.word(each)

    def sql(self, text: str) -> None:
        for word in re.findall(r"'(\w+)'", text):
            self.word(word)
        self.fields |= set(re.findall(r"props ->>? '(\w+)'", text))
        for name in set(re.findall(r"\b(?:ops|graph)\.\w+", text)) - self.seen - {*STATES}:
            self.seen.add(name)
            self.sql(defined().get(name, ""))


@cache
def defined() -> dict[str, str]:
    """The functions and views of the database, by name."""
    texts = (file.read_text() for file in SOURCE.rglob("*.sql") if file.parent.name != "schema")
    return {name: body for text in texts for name, body in DEFINED.findall(text)}


def rules() -> Iterator[tuple[str, Callable[..., Any] | str]]:
    """Every rule of access by a name: a function, or the name of one in the database."""
    yield from ((f"owner of {noun}", resolver) for noun, resolver in owners().items())
    yield from (("leads", leads), ("sight", sight), ("belongs", belongs))
    yield "answers", check_may_answer
    for room in rooms():
        yield from ((f"answers {kind.name}", type(kind).may_answer) for kind in room.kinds)
        for policy in (*room.policies, *room.stops):
            yield from ((policy.__name__, method) for method in vars(policy).values() if inspect.isfunction(method))
    yield "caller", OPENS
    yield "shares", "ops.shares"


def reads(rule: Callable[..., Any] | str) -> Reads:
    found = Reads()
    if isinstance(rule, str):
        found.sql(defined()[rule])
        return found
    return found.function(rule)


def conferring() -> dict[tuple[str, str], str]:
    """The links from which a rule of access follows, by edge and the type that it leaves, with one of those rules."""
    found = {name: reads(rule) for name, rule in rules()}
    known = {type_ for each in found.values() for type_ in each.types}
    links: dict[tuple[str, str], str] = {}
    for name, each in found.items():
        for edge in each.edges:
            sources = {source for source in catalogue().edges[edge].ends if source in catalogue().nodes}
            # Where a rule does not name the type it reads the link of, it may be any that a rule knows.
            links |= {(edge, source): name for source in (sources & each.types or sources & known)}
    return links


def deciding() -> dict[tuple[str, str], str]:
    """The fields from which a rule of access follows, by type and name, with one of those rules."""
    found: dict[tuple[str, str], str] = {}
    for name, rule in rules():
        each = reads(rule)
        for type_ in each.types:
            fields = each.fields & catalogue().nodes[type_].model_fields.keys()
            found |= {(type_, field_): name for field_ in fields}
    return found
