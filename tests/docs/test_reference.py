"""The reference is what the code says, everything has its place in it, and no link leads nowhere."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hq.api.problems import HTTP_CODES
from hq.app import catalogue, registry
from hq.ceo.triggers import TRIGGERS
from hq.door.verb import Verb
from hq.errors import CODES
from hq.graph.catalogue import Catalogue
from hq.graph.types import Edge, Node
from hq.rooms import rooms
from hq.settings import Settings
from scripts.reference.__main__ import main
from scripts.reference.markdown import anchor
from scripts.reference.settings import documented

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
INTERNAL = ("HQ_COMPLETE", "HQ_TEST_RUN")  # how completion scripts and test processes speak to each other


def page(name: str) -> str:
    return (REFERENCE / name).read_text("utf-8")


def headings(text: str) -> set[str]:
    return set(re.findall(r"^#+ (.+)$", BLOCK.sub("", text), re.MULTILINE))


def first_column(text: str) -> set[str]:
    return set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))


def test_the_reference_is_not_stale() -> None:
    assert main(["--check"]) == 0, "run `make docs`"


def test_a_stale_page_is_noticed_and_written_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"], tmp_path) == 1
    assert "docs/reference/verbs.md is stale; run `make docs`" in capsys.readouterr().err
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0


def test_every_verb_has_its_place() -> None:
    text = page("verbs.md")

    assert set(registry().verbs) <= headings(text)
    for verb in registry():
        assert f"POST /api/{verb.noun}/{verb.action}\n" in text


def test_every_node_type_has_its_place_and_every_field_a_meaning() -> None:
    assert set(catalogue().nodes) <= headings(page("types.md"))
    silent = [
        f"{model.type}.{name}"
        for model in catalogue().nodes.values()
        for name, info in model.model_fields.items()
        if not info.description
    ]
    assert silent == []


def test_every_edge_type_has_its_place() -> None:
    assert set(catalogue().edges) <= headings(page("edges.md"))


def test_every_trigger_has_its_place() -> None:
    assert {trigger.name for trigger in TRIGGERS} == first_column(page("triggers.md"))


def test_every_event_has_its_place() -> None:
    told = first_column(page("events.md"))

    assert {verb.emits for verb in registry() if verb.emits} <= told
    assert {"approval.requested", "founder.told", "tenant.created", "<type>.status_changed"} <= told


def test_every_setting_has_its_place() -> None:
    told = first_column(page("settings.md"))
    read = {name for file in (ROOT / "src").rglob("*.py") for name in re.findall(r"\bHQ_[A-Z_]+", file.read_text())}

    assert set(documented()) == set(Settings.__dataclass_fields__)
    assert read - set(INTERNAL) <= told


def test_every_error_has_its_place() -> None:
    assert {*CODES, *(code.name for code in HTTP_CODES.values())} <= first_column(page("errors.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_leads_nowhere(page: Path) -> None:
    broken = []
    for link in LINK.findall(BLOCK.sub("", page.read_text("utf-8"))):
        place, _, part = link.partition("#")
        if re.match(r"[a-z]+:", place):
            continue
        target = (page.parent / place).resolve() if place else page
        if not target.exists() or (part and part not in anchors(target)):
            broken.append(link)
    assert broken == []


@cache
def anchors(page: Path) -> set[str]:
    return {anchor(heading) for heading in headings(page.read_text("utf-8"))} if page.suffix == ".md" else set()


def test_the_index_leads_to_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")} - {"index.md"}

    assert {page for page in pages if f"]({page})" not in index} == set()


def test_what_contributing_shows_can_be_declared() -> None:
    shown = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    made: dict[str, Any] = {"__name__": "shown"}
    for code in shown:
        exec(compile(code, "CONTRIBUTING.md", "exec", dont_inherit=True), made)  # noqa: S102

    verbs = [found for found in made.values() if isinstance(found, Verb)]
    nodes = [found for found in made.values() if isinstance(found, type) and issubclass(found, Node)]
    fresh = [node for node in nodes if node is not Node and node.type not in catalogue().nodes]
    edges = [found for found in made.values() if isinstance(found, Edge)]
    assert [verb.name for verb in verbs] == ["task.put_off"]
    assert Catalogue([*catalogue().nodes.values(), *fresh], [*(e for room in rooms() for e in room.edges), *edges])
    assert len(fresh) == 1


def test_the_guide_for_agents_is_short() -> None:
    assert len((ROOT / "AGENTS.md").read_text("utf-8").splitlines()) <= 200
