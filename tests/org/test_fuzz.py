"""Whatever stands in the file: a clear refusal or a valid result; never a traceback, never half an import."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hq.org.checks import flaws
from hq.org.document.shape import read
from hq.org.importer.current_state import CurrentState
from hq.org.importer.planner import plan

SEED = (Path(__file__).parent / "seed.yaml").read_text()
NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOBODY = CurrentState({}, {}, {}, {}, {}, set(), {}, None)
SNIPPETS = [
    "null", "~", "true", "[]", "{}", "- ", ": ", "\n", "\n\n", "  ", "\t", '"', "'", "&a ", "*a", "!!int ", "!x ", "|\n", ">-\n",
    "---\n", "...\n", "%YAML 1.2\n", "#", "[", "]", "{", "}", ",", "?", "<<: ", "0", "-1", "99999999999999999999", "1e999", ".nan",
    ".inf", "0x1F", "0o17", "1_000", "2026-02-30", "2026-02-15T10:00:00+99:00", "9999-12-31T23:59:59+14:00", "\u2028", "\ufeff",
    "\x85", "\x07", "🦄", "日本", "Ⅷ", "²", "a" * 5000, "organisation:", "positions:", "  - title: x\n", "reports_to: QA",
    "persona_id: 1", "position_id: 1", "role_id: 1", "slug: a-1", "assignment: {persona_name: P}", "authority: {currency: usd}",
]  # fmt: skip


def mutated(dice: random.Random) -> str:
    """The seed's document after a few accidents."""
    text = SEED
    for _ in range(dice.choice([1, 1, 1, 2, 3, 8])):
        at, to = sorted(dice.randrange(len(text) + 1) for _ in range(2))
        to = min(to, at + dice.choice([0, 1, 3, 20, 200]))
        lines = text.split("\n")
        match dice.randrange(7):
            case 0:
                text = text[:at] + text[to:]
            case 1:
                text = text[:at] + dice.choice(SNIPPETS) + text[to:]
            case 2:
                text = text[:at] + text[at:to] * 2 + text[to:]
            case 3:
                dice.shuffle(lines)
                text = "\n".join(lines)
            case 4:
                lines.insert(dice.randrange(len(lines)), dice.choice(lines))
                text = "\n".join(lines)
            case 5:
                line = dice.randrange(len(lines))
                key, colon, _ = lines[line].partition(":")
                lines[line] = f"{key}{colon} {dice.choice(SNIPPETS)}"
                text = "\n".join(lines)
            case 6:
                titles = [
                    '"Principal Architect"',
                    '"AR Director"',
                    '"Project Manager"',
                    "architect",
                    "pm",
                    "1",
                    "2",
                    "3",
                    "null",
                ]
                text = text.replace(dice.choice(titles), dice.choice(titles), dice.choice([1, 2, 99]))
        if not text:
            text = SEED
    return text


def check(text: str) -> bool:
    """Read and planned without a company: whether it could be imported."""
    document, faults = read(text)
    if document is None:
        assert faults and all(fault.message for fault in faults)
        return False
    planned = plan(document, NOBODY, NOW)
    for fault in [*faults, *planned.faults]:
        assert 0 <= fault.line <= text.count("\n") + 2 and "Traceback" not in fault.message
    return not faults and not planned.faults


@pytest.mark.parametrize("seed", range(4))
def test_mutated_documents_are_read_or_refused(seed):
    dice = random.Random(seed)

    good = sum(check(mutated(dice)) for _ in range(500))

    assert 0 < good < 500


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 110))
def test_ten_thousand_mutated_documents_are_read_or_refused(seed):
    dice = random.Random(seed)

    for _ in range(1000):
        check(mutated(dice))


@pytest.mark.parametrize("seed", range(3))
async def test_a_mutated_document_is_imported_whole_or_not_at_all(hq, seed):
    dice = random.Random(1000 + seed)
    await hq.do("org.import", document=SEED)
    for _ in range(40):
        text = mutated(dice)
        if "\x00" in text:
            continue
        before = await everything(hq)
        promised = await hq.call("org.validate", document=text)
        outcome = await hq.call("org.import", document=text, force=dice.random() < 0.5)

        if outcome.ok:
            assert promised.data["valid"]
            await still_valid(hq)
        else:
            assert outcome.error["code"] in ("invalid", "conflict"), outcome.error
            assert await everything(hq) == before


async def everything(hq) -> list[str]:
    asked = ("select * from nodes order by id", "select * from links")
    return [str(row) for query in asked for row in (await hq.do("sql.query", query=query))["items"]]


async def still_valid(hq) -> None:
    for org in (await hq.do("org.list"))["items"]:
        document = (await hq.do("org.export", org=org["slug"]))["document"]
        checked = await hq.do("org.validate", document=document)
        assert checked["valid"], (checked["faults"], document)


def test_the_fuzz_would_notice_a_chart_that_is_none():
    document, _ = read(SEED.replace("reports_to: null", 'reports_to: "Project Manager"', 1))
    assert document is not None

    assert any("circle" in fault.message for fault in plan(document, NOBODY, NOW).faults)
    assert flaws([]) == []
