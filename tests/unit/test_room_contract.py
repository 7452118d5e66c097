"""A verb's name in a string, a table or a function in SQL, a type or a kind of link in SQL and in Python count as imports: a room names
only its own and those of rooms below it, and writes only its own tables. Upward it takes an event, or a hook handed in at composition."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from hq.database.schema_history import migrations
from hq.rooms import LAYERS, rooms

SOURCE = Path(__file__).parents[2] / "src" / "hq"
HEIGHT = {name: place for place, layer in enumerate(reversed(LAYERS)) for name in layer.split(" | ")}
VERBS = {verb.name: room.name for room in rooms() for verb in room.verbs}
MADE = re.compile(r"^create (?:or replace )?(?:function|view) (ops\.\w+)", re.MULTILINE)
BY_MIGRATION = re.compile(r"create (?:or replace )?(?:function|sequence|type) (ops\.\w+)", re.IGNORECASE)
OBJECTS = {
    f"ops.{table}": room.name for room in rooms() for table in room.tables
} | {
    name: room.name for room in rooms() for file in room.functions for name in MADE.findall((SOURCE / file).read_text())
}  # fmt: skip
UPWARD = {
    ("door/queries.sql", "ops.append_step"),  # a call's step is written with the call, in one message
    ("door/queries.sql", "ops.sessions"),  # and only while its session holds its lease
    ("door/functions.sql", "ops.sessions"),  # what a worker may is said where its session was opened
    ("door/stops.sql", "ops.sessions"),  # and so is for whom it acts
    # A card that could not be shown while somebody spoke follows in the very transaction that ends the turn.
    ("engine/sessions/functions.sql", "ops.cards"),
    ("engine/sessions/functions.sql", "ops.place_card"),
}
"""What still reaches up. It shrinks: a new line needs a better reason than these have."""
TYPES = {edge.name: room.name for room in reversed(rooms()) for edge in room.edges} | {
    model.type: room.name for room in rooms() for model in room.types
}
"""Whose a type is, or a kind of link: the lowest room's that has it."""
NAMED_UP = {
    ("agents/hire.py", "mission"),
    ("asks/faces.py", "agent"),
    ("business/owners.py", "agent"),
    ("business/verbs.py", "about"),
    ("business/verbs.py", "supersedes"),
    ("context/reconstruction.py", "agent_handover_memo"),
    ("door/verbs/graph.py", "about"),
    ("guard/budget.py", "agent"),
    ("jobs/owners.py", "assigned_to"),
    ("workspace/lineage.py", "continues"),
    ("workspace/verbs/tree_verbs.py", "assigned_to"),
    ("workspace/verbs/tree_verbs.py", "brief"),
}
"""Types and links of rooms above that Python still names. It shrinks too: `means` says what they are to a room below."""
WRITTEN_BY_OTHERS = {
    ("agents/event_router.sql", "ops.jobs"),
    ("agents/queries.sql", "ops.jobs"),
    ("agents/queries.sql", "ops.messages"),
    ("agents/queries.sql", "ops.principals"),
    ("asks/queries.sql", "ops.messages"),
    ("business/queries.sql", "ops.credentials"),
    ("business/queries.sql", "ops.principals"),
    ("business/queries.sql", "ops.tenants"),
    ("ceo/functions.sql", "ops.cards"),
    ("ceo/functions.sql", "ops.journal"),
    ("ceo/functions.sql", "ops.sessions"),
    ("ceo/queries.sql", "ops.cards"),
    ("ceo/queries.sql", "ops.jobs"),
    ("ceo/queries.sql", "ops.tenants"),
    ("coding/functions.sql", "ops.credentials"),
    ("engine/functions.sql", "ops.announcer"),
    ("engine/functions.sql", "ops.ledger"),
    ("engine/house.sql", "ops.credentials"),
    ("engine/sessions/functions.sql", "ops.credentials"),
    ("engine/sessions/waking.sql", "ops.announcer"),
    ("guard/functions.sql", "ops.llm_call_log"),
    ("guard/queries.sql", "ops.freezes"),
    ("messages/queries.sql", "ops.messages"),
    ("schedules/queries.sql", "ops.jobs"),
    ("sessions/functions.sql", "ops.sessions"),
    ("sessions/handoff/queries.sql", "ops.messages"),
    ("sessions/workers/functions.sql", "ops.sessions"),
}
"""Tables that another room than their own still writes, each in a file. It shrinks: their owner gives a function for it."""
WRITES = re.compile(r"\b(?:insert into|update|delete from)\s+(ops\.[a-z_]+)")
COMPARED = re.compile(r"\btype (?:=|<>|in|not in) (\('[^)]*\)|'\w+')")
WRITTEN = "-- Written by `scripts/sql_views.py`"
"""So begins what follows from declarations: whatever it names, its owner has said."""


def test_a_room_names_only_its_own_verbs_and_those_of_rooms_below():
    assert {(file, name) for file, name in _verbs() if _up(file, VERBS[name])} == {
        each for each in UPWARD if not each[1].startswith("ops.")
    }


def test_a_room_names_only_its_own_tables_and_functions_and_those_of_rooms_below():
    assert {(file, name) for file, name in _objects() if name in OBJECTS and _up(file, OBJECTS[name])} == {
        each for each in UPWARD if each[1].startswith("ops.")
    }


def test_sql_names_only_types_and_links_of_its_own_room_and_of_rooms_below():
    """What a type or a link means to a room below, it declares: `means`, `holds_back`, `upward`, `timed`, `seen_by`."""
    assert {(file, name) for file, name in _compared_types() if _up(file, TYPES[name])} == set()


def test_python_names_only_types_and_links_of_its_own_room_and_of_rooms_below():
    assert {(file, name) for file, name in _python_types() if _up(file, TYPES[name])} == NAMED_UP


def test_a_room_writes_only_its_own_tables():
    writes = {(file, name) for file, text in _sql() for name in WRITES.findall(text) if name in OBJECTS}

    assert {(file, name) for file, name in writes if file.partition("/")[0] != OBJECTS[name]} == WRITTEN_BY_OTHERS


def test_every_table_and_function_is_somebodys():
    by_migration = {name for step in migrations() for name in BY_MIGRATION.findall(step.text)}

    assert {(file, name) for file, name in _objects() if name not in OBJECTS and name not in by_migration} == set()


def _up(file: str, owner: str) -> bool:
    here = file.partition("/")[0]
    return here != owner and HEIGHT[owner] >= HEIGHT[here]


def _files(ending: str) -> Iterator[Path]:
    for room in rooms():
        yield from (SOURCE / room.name).rglob(f"*.{ending}")


def _texts(file: Path) -> Iterator[str]:
    """The strings of a module that are no docstrings."""
    tree = ast.parse(file.read_text())
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def _verbs() -> Iterator[tuple[str, str]]:
    for file in _files("py"):
        yield from ((str(file.relative_to(SOURCE)), text) for text in _texts(file) if text in VERBS)
    for file, text in _sql():
        yield from ((file, name) for name in re.findall(r"'(\w+\.\w+)'", text) if name in VERBS)


def _sql() -> Iterator[tuple[str, str]]:
    """Files of SQL, without comments and without those that are written from declarations."""
    for file in _files("sql"):
        text = file.read_text()
        if not text.startswith(WRITTEN):
            yield str(file.relative_to(SOURCE)), re.sub(r"--[^\n]*", "", text)


def _compared_types() -> Iterator[tuple[str, str]]:
    for file, text in _sql():
        for words in COMPARED.findall(text):
            yield from ((file, name) for name in re.findall(r"'(\w+)'", words) if name in TYPES)


def _python_types() -> Iterator[tuple[str, str]]:
    """Where a type or a link is looked for by its name, or compared with one."""
    for file in _files("py"):
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.keyword(arg="types" | "edge" | "edges"):
                    said: ast.AST = node.value
                case ast.Call(func=ast.Name(id="EdgeFilter") | ast.Attribute(attr="targets" | "link" | "unlink")):
                    said = ast.Tuple([*node.args])
                case ast.Compare() if re.search(r"\.(?:other_)?type\b|\.edge\b", ast.unparse(node)):
                    said = ast.Tuple([*node.comparators])
                case _:
                    continue
            for word in ast.walk(said):
                if isinstance(word, ast.Constant) and word.value in TYPES:
                    yield str(file.relative_to(SOURCE)), word.value


def _objects() -> Iterator[tuple[str, str]]:
    for file in _files("py"):
        for text in _texts(file):
            if re.search(r"\b(?:select|update|insert|delete|from)\b", text):
                yield from ((str(file.relative_to(SOURCE)), name) for name in re.findall(r"\bops\.[a-z_]+", text))
    for file in _files("sql"):
        text = re.sub(r"--[^\n]*", "", file.read_text())
        yield from ((str(file.relative_to(SOURCE)), name) for name in re.findall(r"\bops\.[a-z_]+", text))
