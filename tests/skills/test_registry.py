"""The registry of skills: folders in and out as the standard has them, enabled, granted, and never changed unseen."""

from __future__ import annotations

from pathlib import Path

import pytest
import skills_ref

from hq.errors import Refused
from hq.skills.folder import read_folder
from hq.skills.shipped import HERE, shipped

PAGE = "---\nname: haiku\ndescription: Write a haiku. Use when a poem is asked for.\n---\n\n# Haiku\n\nFive, seven, five.\n"
COMMANDS = """
requires: [sh]
commands:
  - name: say
    description: Say it.
    script: scripts/say.sh
    effect: read
    parameters:
      - {name: word, required: true, description: Which word.}
      - {name: times, type: integer, default: 1}
"""
SCRIPT = 'n=0; while [ $n -lt "$SKILL_TIMES" ]; do echo "$SKILL_WORD"; n=$((n + 1)); done'
FILES = [{"path": "SKILL.md", "content": PAGE}]
WITH_COMMAND = [
    *FILES, {"path": "commands.yaml", "content": COMMANDS}, {"path": "scripts/say.sh", "content": SCRIPT, "executable": True},
]  # fmt: skip


def test_the_skills_that_come_with_hq_are_good_by_the_official_validator():
    assert set(shipped()) == {"backup-health", "container-health", "disk-health", "service-health", "system-health"}
    for name in shipped():
        assert skills_ref.validate(HERE / name) == []
        assert read_folder(shipped()[name]).name == name


async def test_what_comes_with_hq_and_only_looks_is_there_from_the_first_day_for_who_leads(hq):
    await hq.do("agent.load")
    listed = {item["slug"]: item["status"] for item in (await hq.do("skill.list"))["items"]}
    assert listed == dict.fromkeys(shipped(), "enabled")
    assert {item["slug"] for item in (await hq.do("skill.list", agent="chief"))["items"]} == set(shipped())

    await hq.do("skill.disable", skill="disk-health")
    assert "disk-health" not in {item["slug"] for item in (await hq.do("skill.list", enabled=True))["items"]}
    await hq.do("skill.enable", skill="disk-health")

    shown = await hq.do("skill.show", skill="disk-health")
    assert shown["ours"] and shown["requires"] == ["df", "awk"] and "scripts/check.sh" in shown["files"]
    assert shown["commands"][0]["parameters"][0]["name"] == "warn_percent"


async def test_a_folder_comes_in_disabled_and_goes_out_as_it_came(hq):
    more = {"path": "assets/dot.png", "content": "iVBORw0KGgo=", "base64": True}
    await hq.do("skill.import", name="haiku", files=[*WITH_COMMAND, more])

    shown = await hq.do("skill.show", skill="haiku")
    assert shown["status"] == "disabled" and not shown["ours"]
    assert shown["instructions_md"].startswith("# Haiku")
    out = {file["path"]: file for file in (await hq.do("skill.export", skill="haiku"))["files"]}
    assert out["SKILL.md"]["content"] == PAGE
    assert out["scripts/say.sh"]["executable"] and not out["SKILL.md"]["executable"]
    assert out["assets/dot.png"]["content"] == "iVBORw0KGgo=" and out["assets/dot.png"]["base64"]


async def test_what_changed_has_to_be_enabled_again_and_undo_brings_the_old_one_back(hq):
    await hq.do("skill.import", name="haiku", files=FILES)
    await hq.do("skill.enable", skill="haiku")
    changed = [{"path": "SKILL.md", "content": PAGE.replace("Five", "Six")}]

    again = await hq.call("skill.import", name="haiku", files=changed)

    assert (await hq.do("skill.show", skill="haiku"))["status"] == "disabled"
    await hq.do("action.undo", id=str(again.action_id))
    shown = await hq.do("skill.show", skill="haiku")
    assert shown["status"] == "enabled" and "Five" in shown["instructions_md"]
    assert (await hq.do("skill.export", skill="haiku"))["files"][0]["content"] == PAGE
    same = await hq.call("skill.import", name="haiku", files=FILES)
    assert same.error["code"] == "conflict"


async def test_the_ledger_keeps_the_hash_of_a_folder_not_the_folder(hq):
    made = await hq.call("skill.import", name="haiku", files=FILES)

    shown = await hq.do("action.show", id=str(made.action_id))

    assert set(shown["input"]["files"]) == {"sha256", "size"}


async def test_what_was_imported_is_marked_as_written_by_others(hq):
    made = await hq.call("skill.import", name="haiku", files=FILES)

    assert (await hq.do("action.show", id=str(made.action_id)))["taint"] == ["skill:haiku"]


async def test_a_skill_whose_disabling_was_taken_back_can_be_disabled_again(hq):
    disabled = await hq.call("skill.disable", skill="disk-health")
    await hq.do("action.undo", id=str(disabled.action_id))
    assert (await hq.do("skill.show", skill="disk-health"))["status"] == "enabled"

    await hq.do("skill.disable", skill="disk-health")
    await hq.do("skill.enable", skill="disk-health")

    assert (await hq.do("skill.show", skill="disk-health"))["status"] == "enabled"


GOOD = {"name": "haiku", "description": "Poems."}


def _page(**front: object) -> dict[str, bytes]:
    lines = "\n".join(f"{name}: {value}" for name, value in {**GOOD, **front}.items() if value is not None)
    return {"SKILL.md": f"---\n{lines}\n---\nBody\n".encode()}


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"README.md": b"x"}, "SKILL.md"),
        ({"SKILL.md": b"no frontmatter"}, "between two lines"),
        ({"SKILL.md": b"---\nname: haiku\n"}, "between two lines"),
        ({"SKILL.md": b"---\n- a\n---\n"}, "names and values"),
        ({"SKILL.md": b"---\nname: [\n---\n"}, "SKILL.md"),
        ({"SKILL.md": b"\xff\xfe"}, "UTF-8"),
        ({"SKILL.md": b"---\na: &a [x]\nb: [*a, *a]\n---\n"}, "aliases"),
        (_page(name="Haiku"), "name"),
        (_page(name="-haiku"), "name"),
        (_page(name="ha--iku"), "name"),
        (_page(name="x" * 65), "name"),
        (_page(name=None), "name"),
        (_page(description=None), "description"),
        (_page(description="'  '"), "description"),
        (_page(description="x" * 1025), "description"),
        (_page(compatibility="x" * 501), "compatibility"),
        (_page(metadata="{a: 1}"), "metadata"),
        (_page(version="1.0"), "version"),
        (_page() | {"../evil.sh": b""}, "no path"),
        (_page() | {"/etc/passwd": b""}, "no path"),
        (_page() | {"a//b": b""}, "no path"),
        (_page() | {"x" * 280: b""}, "no path"),
        (_page() | {"a\nb": b""}, "no path"),
        (_page() | {"d": b"", "d/e/f": b""}, "a file and a directory"),
        (_page() | {"big.bin": bytes(3 * 2**20)}, "at most"),
        (_page() | {"commands.yaml": b"commands: [{name: say, script: scripts/none.sh}]"}, "no file"),
        (_page() | {"commands.yaml": b"commands: [{name: say, script: SKILL.md}]"}, "no script"),
        (_page() | {"commands.yaml": b"commands: [{name: Say it}]"}, "no name of a command"),
        (_page() | {"commands.yaml": b"commands: [{name: say, parameters: [{name: 'a b'}]}]"}, "no name of a parameter"),
        (_page() | {"commands.yaml": b"commandz: []"}, "commandz"),
    ],
)  # fmt: skip
def test_a_folder_that_is_not_as_it_should_be_is_refused_in_words(files, says):
    with pytest.raises(Refused) as refused:
        read_folder(files)

    assert says in refused.value.message


@pytest.mark.parametrize(
    "front",
    [{}, {"license": "MIT"}, {"compatibility": "Needs git"}, {"metadata": "\n  author: me\n  version: '1.0'"},
     {"allowed-tools": "Bash(git:*) Read"}, {"name": "a1-b2"}, {"name": "Bad"}, {"name": "a--b"}, {"extra": "x"},
     {"description": "x" * 1025}, {"compatibility": "x" * 501}],
)  # fmt: skip
def test_we_and_the_official_validator_agree(tmp_path: Path, front):
    files = _page(**front)
    folder = tmp_path / str({**GOOD, **front}["name"])
    folder.mkdir()
    (folder / "SKILL.md").write_bytes(files["SKILL.md"])

    try:
        read_folder(files)
        ours = True
    except Refused:
        ours = False

    assert ours == (skills_ref.validate(folder) == [])


async def test_the_folder_and_the_skill_have_one_name(hq):
    refused = await hq.call("skill.import", name="poems", files=FILES)

    assert refused.error["code"] == "invalid" and "'poems'" in refused.error["message"]


async def test_an_agent_that_enables_a_skill_asks_the_founder(hq, sre):
    await hq.do("skill.disable", skill="disk-health")
    asked = await hq.call("skill.enable", skill="disk-health", _token=sre, _reason="the mission needs it")
    assert asked.error["code"] == "waiting"

    await hq.do("approval.approve", ref=asked.data["approval"])

    assert (await hq.do("skill.show", skill="disk-health"))["status"] == "enabled"


async def test_granting_and_revoking(hq, sre):
    await hq.do("skill.import", name="haiku", files=FILES)

    await hq.do("skill.grant", skill="haiku", agent="sre")
    shown = await hq.do("skill.show", skill="haiku")
    assert shown["agents"] == ["sre"] and shown["status"] == "enabled", "one word is enough for both"
    assert [i["slug"] for i in (await hq.do("skill.list", agent="sre"))["items"]] == ["haiku"]

    await hq.do("skill.revoke", skill="haiku", agent="sre")
    assert (await hq.do("skill.show", skill="haiku"))["agents"] == []


async def test_what_who_leads_has_from_the_first_day_is_taken_by_disabling_it(hq, sre):
    await hq.do("agent.load")
    before = (await hq.do("skill.show", skill="disk-health"))["agents"]
    assert set(before) == {"chief", "operator"}
    await hq.do("skill.grant", skill="disk-health", agent="sre")

    assert set((await hq.do("skill.show", skill="disk-health"))["agents"]) == {*before, "sre"}
    refused = await hq.call("skill.revoke", skill="disk-health", agent=before[0])
    assert refused.error["code"] == "conflict" and "hq skill disable disk-health" in refused.error["hint"]


async def test_nobody_gives_itself_a_skill(hq, sre):
    await hq.do("tenant.set", risk_tolerance="aggressive")

    refused = await hq.call("skill.grant", skill="disk-health", agent="sre", _token=sre)

    assert refused.error["code"] == "forbidden"


async def test_a_skill_that_is_not_there_is_not_found(hq):
    refused = await hq.call("skill.show", skill="disk-helth")

    assert refused.error["code"] == "not_found" and "disk-health" in refused.error["message"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("[" * 20_000 + "]" * 20_000, "nested too deep"),
        ("[" * 13 + "]" * 13, "nested too deep"),
        ("[" + "a, " * 60_000 + "]", "more than 50,000 values"),
        ("2001-13-45", "not YAML"),
        ("9" * 5_000, "not YAML"),
    ],
)
def test_a_page_is_refused_before_anything_is_built_of_it(said, why):
    page = f"---\nname: deep\ndescription: {said}\n---\n"
    for files in (
        {"SKILL.md": page.encode()},
        {"SKILL.md": PAGE.encode(), "commands.yaml": f"requires: {said}".encode()},
    ):
        with pytest.raises(Refused, match=why):
            read_folder(files)


async def test_what_is_not_base64_is_refused_whatever_its_letters(hq):
    for content in ("*", "é", "∅ a"):
        refused = await hq.call(
            "skill.import", name="haiku", files=[*FILES, {"path": "a.png", "content": content, "base64": True}]
        )

        assert refused.error["code"] == "invalid" and "base64" in refused.error["message"]
