"""What a state means is said once: nobody else lists the states of a session that is live or over, those of a mission, or those in which
a node is over, and nobody asks for an agent's last state by its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from hq import app
from hq.engine.sessions import life as session_life
from hq.missions import life as mission_life
from hq.org.agent import Agent

SOURCE = Path(__file__).parents[2] / "src" / "hq"
SAID = {frozenset(each) for each in (session_life.LIVE, session_life.BUSY, session_life.OVER)}
SAID |= {frozenset(each) for each in mission_life.GROUPS.values()}
SAID |= {frozenset(states) for each in app.catalogue().nodes.values() for states in (each.over, each.in_hand)}
LISTS = {each for each in SAID if len(each) > 1}
(GONE,) = Agent.over
LIST = re.compile(r"""[(\[]((?:\s*(?:'\w+'|"\w+")\s*,?)+)[)\]]""")
OTHERS = {
    "engine/sessions/life.py": "what it is for",
}
"""Who says such words of something else, and of what."""


def _listed_in_python(text: str) -> Iterator[int]:
    for node in ast.walk(_without_types(ast.parse(text))):
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            words = [each.value for each in node.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            if len(words) == len(node.elts) and frozenset(words) in LISTS:
                yield node.lineno
        if isinstance(node, ast.Compare) and any(
            isinstance(each, ast.Constant) and each.value == GONE for each in node.comparators
        ):
            yield node.lineno


class _Types(ast.NodeTransformer):
    """Types name their own states, and a `Literal` is one."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [each for each in node.body if not isinstance(each, ast.Assign | ast.AnnAssign)] or [ast.Pass()]
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return ast.Constant(None) if ast.unparse(node.value) == "Literal" else self.generic_visit(node)


def _without_types(tree: ast.Module) -> ast.AST:
    return _Types().visit(tree)


def _listed_elsewhere(text: str) -> Iterator[int]:
    for found in LIST.finditer(text):
        if frozenset(re.findall(r"\w+", found[1])) in LISTS:
            yield text[: found.start()].count("\n") + 1
    for found in re.finditer(rf"status (?:=|<>|is distinct from) '{GONE}'|status [!=]=+ ['\"]{GONE}['\"]", text):
        yield text[: found.start()].count("\n") + 1


def _listed() -> Iterator[str]:
    for file in SOURCE.rglob("*"):
        name = str(file.relative_to(SOURCE))
        if file.suffix == ".py":
            yield from (f"{name}:{line}" for line in _listed_in_python(file.read_text()))
        elif file.suffix in (".sql", ".html", ".js") and not name.startswith("database/schema/"):
            text = file.read_text()
            if not text.startswith("-- Written by `scripts/sql_views.py`"):
                yield from (f"{name}:{line}" for line in _listed_elsewhere(re.sub(r"--[^\n]*", "", text)))


def test_no_list_of_states_is_said_a_second_time():
    listed = {each for each in _listed() if each.partition(":")[0] not in OTHERS}

    assert listed == set(), "ask `ops.live`, `ops.busy`, `ops.mission_is`, `graph.over` or `.over`, or life.py"


def test_whoever_is_excepted_still_says_such_words():
    assert set(OTHERS) <= {each.partition(":")[0] for each in _listed()}


def test_a_list_is_seen_wherever_it_stands():
    assert [*_listed_in_python('if row.state not in ["waiting", "queued", "running"]: pass')] == [1]
    assert [*_listed_in_python('alive = agent.status != "retired"')] == [1]
    assert [*_listed_elsewhere("where m.status not in ('failed', 'done')")] == [1]
    assert [*_listed_elsewhere("and a.status <> 'retired'")] == [1]
    assert [*_listed_in_python('State = Literal["done", "failed"]')] == []
