"""The payoff of a mission, by the rows of the register: J10, J13, P9, S5, X11, and the defects J-8, J-11 and M11."""

from __future__ import annotations

import tarfile
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from hq.ceo.card_parts import Button
from tests.support.firm import firm, own_firm
from tests.support.jobs import JobHand
from tests.support.passable import tmp_path
from tests.support.sandboxes import MISSING
from tests.support.supervised import announced

__all__ = ["firm", "own_firm", "tmp_path"]

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))


async def app(hq) -> str:
    return (await hq.do("workspace.create", name="app1", category="coding/webapp", network=False))["slug"]


async def test_j8_a_check_that_runs_no_tests_shows_nothing(own_hq):
    where = await app(own_hq)
    wish = "Remove the old thing.txt"

    ran = await own_hq.do("code.execute", workspace=where, prompt=wish, check="python3 -m unittest", cli="chat")

    assert ran["status"] == "failed" and "ran no tests" in ran["why"]


async def test_j8_a_check_of_nothing_shows_nothing(own_hq):
    where = await app(own_hq)

    ran = await own_hq.do("code.execute", workspace=where, prompt="Remove thing.txt", check="true", cli="chat")

    assert ran["status"] == "failed" and "no file was written" in ran["why"]


async def test_j8_a_token_budget_binds_before_it_is_spent(own_hq):
    where = await app(own_hq)
    wish = "Build a small web app that keeps a guest book."

    ran = await own_hq.do("code.execute", workspace=where, prompt=wish, token_budget=10, cli="chat")

    assert ran["status"] == "failed" and "of 10 tokens" in ran["why"]
    assert ran["tokens_used"] <= 10
    assert ran["files_created"] == []


async def delivered(firm, **more) -> str:
    """A mission that is done, with files."""
    mission = await firm.at_work("Flight tracker", deliverables=["file:README.md"], **more)
    await firm.deliver(mission, README__md="# Tracker\nIt *flies*.", app__py="print('hello')")
    await firm.hq.do("mission.submit", ref=mission, outcome="It runs.")
    assert await firm.status(mission) == "done"
    return mission


async def test_j13_the_report_card_offers_to_open_files_changes_and_a_change(own_firm):
    firm = own_firm
    await firm.hq.do("agent.load")
    await firm.hq.do("ceo.quiet", hours="off")
    mission = await delivered(firm)
    await announced(firm.hq)
    await JobHand(firm.hq, "heartbeat").run_once()

    [card] = [each for each in (await firm.hq.do("card.list"))["items"] if each.get("about") == mission]

    assert [offer["label"] for offer in card["offers"]] == ["Open", "Files", "Changes", "Ask for a change"]
    assert card["offers"][0]["link"] == f"/missions/{mission}/open"
    assert card["offers"][0]["command"] == f"hq mission open {mission}"
    await firm.hq.do("card.press", card=card["id"], button=card["buttons"][0]["key"])
    [pressed] = [each for each in (await firm.hq.do("card.list"))["items"] if each.get("about") == mission]
    assert pressed["offers"] == card["offers"], "noted, it still opens"


def test_j11_a_card_links_to_slugs_with_digits():
    assert Button(key="see", label="See", link="/missions/tracker-2/files").link
    with pytest.raises(ValueError, match="link"):
        Button(key="see", label="See", link="//elsewhere.example")


async def test_m11_the_ceo_reads_a_missions_files_in_one_call(firm):
    await firm.hq.do("agent.load")
    mission = await delivered(firm)
    chief = await firm.hq.agent("chief", scopes=["read", "write"])

    listed = await firm.hq.do("mission.files", ref=mission, _token=chief)
    read = await firm.hq.do("mission.read_file", ref=mission, path="README.md", _token=chief)

    assert {row["path"] for row in listed["items"]} == {"README.md", "app.py"} and listed["opens_as"] == "app"
    assert read["text"] == "# Tracker\nIt *flies*." and read["taint"]
    missing = await firm.hq.call("mission.read_file", ref=mission, path="READ.md", _token=chief)
    assert missing.code == "not_found" and "README.md" in missing.error["hint"]
    for path in ("../../token", "/etc/passwd", ".."):
        refused = await firm.hq.call("mission.read_file", ref=mission, path=path)
        assert refused.error["code"] == "invalid", (path, refused.error)


async def test_m11_the_ceo_closes_a_parent_whose_parts_are_done(firm):
    await firm.hq.do("agent.load")
    chief = await firm.hq.agent("chief", scopes=["read", "write"])
    whole = await firm.mission("Both halves", deliverables=["Both fit together"])
    part = await firm.at_work("One half", parent=whole, deliverables=["file:a.txt"])
    refused = await firm.hq.call("mission.close", ref=whole, _token=chief)
    assert refused.code == "conflict" and "still open" in refused.message
    await firm.deliver(part, a__txt="x")
    await firm.hq.do("mission.submit", ref=part, outcome="Here it is.")

    await firm.hq.do("mission.close", ref=whole, _token=chief)

    props = await firm.props(whole)
    assert props["status"] == "done" and "Here it is." in props["outcome_summary"]
    assert await firm.evidence(whole) == {"Both fit together": "accepted"}
    lonely = await firm.mission("Alone")
    assert "no parts" in (await firm.hq.call("mission.close", ref=lonely, _token=chief)).message
    strict = await firm.mission("Strict", deliverables=["file:b.txt"])
    other = await firm.at_work("Its part", parent=strict, deliverables=["file:b.txt"])
    await firm.deliver(other, b__txt="x")
    await firm.hq.do("mission.submit", ref=other, outcome="There.")
    assert "itself has to bring it" in (await firm.hq.call("mission.close", ref=strict)).message


async def begun(firm, change) -> list[str]:
    return [each["session"] for each in await firm.sessions("forge") if each["trigger"] == f"mission {change['slug']}"]


async def test_p9_a_change_goes_on_on_the_same_files_by_the_same_agent_and_comes_back_by_undo(firm):
    mission = await delivered(firm)

    change = await firm.hq.do("mission.change", ref=mission, words="Say goodbye instead of hello.")

    assert (change["agent"], change["continues"], change["status"]) == ("forge", mission, "assigned")
    brief = await firm.hq.do("mission.brief", ref=change["slug"], to="forge", explain=True)
    assert "Say goodbye instead of hello." in str(brief) and "on the same files" in str(brief)
    queued = await firm.hq.do("mission.change", ref=mission, words="Print it twice.")
    assert (queued["waits_on"], queued["agent"]) == (change["slug"], "forge") and change["slug"] in queued["says"]
    assert not await begun(firm, queued), "it waits for its turn"
    await firm.hq.do("mission.accept", ref=change["slug"])
    (space,) = (await firm.hq.do("workspace.list"))["items"]
    tree = Path((await firm.hq.do("workspace.begin", ref=space["slug"], session="second"))["path"])
    (tree / "app.py").write_text("print('goodbye')")
    token = await firm.token("forge")
    await firm.hq.do("workspace.save", ref=space["slug"], session="second")
    await firm.hq.do("workspace.merge", ref=space["slug"], session="second")
    await firm.hq.do("mission.submit", ref=change["slug"], outcome="It says goodbye.", _token=token)

    assert await firm.status(change["slug"]) == "done"
    [file] = (await firm.hq.do("mission.changes", ref=change["slug"]))["items"]
    assert file["path"] == "app.py" and "+print('goodbye')" in file["patch"]
    assert len((await firm.hq.do("mission.changes", ref=mission))["items"]) == 2, (
        "what the first brought stays as it was"
    )
    assert await begun(firm, queued), "it begins by itself"
    [] = (await firm.hq.do("mission.changes", ref=queued["slug"]))["items"]  # it began where the one before it ended
    again = await firm.hq.do("mission.change", ref=mission, words="Once more.")
    assert again["continues"] == queued["slug"]


async def test_p9_a_change_begins_also_when_the_one_before_it_was_given_up(firm):
    mission = await delivered(firm)
    change = await firm.hq.do("mission.change", ref=mission, words="Say goodbye.")
    queued = await firm.hq.do("mission.change", ref=mission, words="Print it twice.")

    await firm.hq.do("mission.fail", ref=change["slug"], why="no longer wanted")

    assert await begun(firm, queued)


async def test_p9_who_works_on_a_change_works_on_its_files_and_nobody_else_does(firm):
    mission = await delivered(firm)
    await firm.hq.do("agent.pause", agent="forge")
    change = await firm.hq.do("mission.change", ref=mission, words="Say goodbye.")
    assert change.get("agent") is None and change["status"] == "backlog"
    scout = await firm.token("scout")
    (space,) = (await firm.hq.do("workspace.list"))["items"]
    refused = await firm.hq.call("workspace.begin", ref=space["slug"], session="s", _token=scout)
    assert refused.error["code"] == "cross_scope_violation"
    forged = await firm.mission("A mission of scout's own")
    linked = await firm.hq.call("graph.link", source=forged, edge="continues", target=mission, _token=scout)
    assert linked.error["code"] == "cross_scope_violation", "rights follow from it, so no agent draws it by hand"

    await firm.hq.do("mission.assign", ref=change["slug"], to="scout")

    assert (await firm.hq.call("workspace.begin", ref=space["slug"], session="s", _token=scout)).ok


async def test_x11_all_files_are_downloaded_as_a_zip(firm):
    mission = await delivered(firm)

    made = await firm.hq.do("mission.download", ref=mission)

    content = Path(made["path"]).read_bytes()  # noqa: ASYNC240
    names = zipfile.ZipFile(BytesIO(content)).namelist()
    assert sorted(name.partition("/")[2] for name in names) == ["README.md", "app.py"]


@pytest.mark.parametrize("form", ["zip", "tar.gz"])
async def test_x11_what_is_unpacked_stays_where_it_is_put(firm, form):
    mission = await firm.at_work("Flight tracker", deliverables=["file:README.md"])
    await firm.deliver(mission, README__md="# Tracker", app__py="print('hello')")
    [space] = (await firm.hq.do("workspace.list"))["items"]
    tree = Path((await firm.hq.do("workspace.begin", ref=space["slug"], session="odd"))["path"])
    for name in ("..\\..\\win.txt", "C:\\evil.bat", "\x1b[2J.txt", "two\nlines", "a\u202etxt.exe", "a_txt.exe", "dot."):
        (tree / name).write_text(name)
    (tree / "sub").mkdir()
    targets = {
        "root": "/",
        "up": "..",
        "sub/out": "../../x",
        "hop": "sub/../../x",
        "sub/in": "../app.py",
        "here": "app.py",
    }
    for name, target in targets.items():
        (tree / name).symlink_to(target)
    await firm.hq.do("workspace.save", ref=space["slug"], session="odd")
    await firm.hq.do("workspace.merge", ref=space["slug"], session="odd")

    made = await firm.hq.do("workspace.export", ref=space["slug"], form=form)

    content = BytesIO(Path(made["path"]).read_bytes())  # noqa: ASYNC240
    if form == "zip":
        archive = zipfile.ZipFile(content)
        names, said = archive.namelist(), archive.read("LEFT-OUT.txt")
    else:
        with tarfile.open(fileobj=content) as packed:
            names = [each.name for each in packed.getmembers() if not each.isdir()]
            said = packed.extractfile("LEFT-OUT.txt").read()  # type: ignore[union-attr]
    assert sorted(name.partition("/")[2] for name in names if "/" in name) == [
        ".._.._win.txt", "C__evil.bat", "README.md", "_[2J.txt", "a_txt.exe", "a_txt.exe_", "app.py", "dot_", "here", "sub/in",
        "two_lines",
    ]  # fmt: skip
    assert sorted(made["left_out"]) == ["hop", "root", "sub/out", "up"] and b"\nroot\n" in said
    assert made["files"] == 11


async def test_x11_an_answer_given_half_way_is_held_to_and_looked_for(firm):
    mission = await firm.at_work("Flight tracker", deliverables=["file:README.md"])
    token = await firm.token("forge")
    await firm.hq.call("escalation.raise", summary="List or free text?", mission=mission, _token=token)
    await firm.hq.do("escalation.resolve", ref="list-or-free-text", answer="From a list")

    [brief] = (await firm.hq.do("brief.list"))["items"]
    limits = (await firm.hq.do("brief.show", ref=brief["slug"]))["props"]["constraints"]
    assert limits["other"] == ["Decided: List or free text? → From a list"]

    await firm.deliver(mission, README__md="x", kinds__txt="Cessna")
    proof = {"decision": "from a list", "check": "command:grep Boeing kinds.txt"}
    back = await firm.hq.do("mission.submit", ref=mission, outcome="Done.", decisions=[proof])
    assert back["status"] == "in_progress" and "grep Boeing" in back["says"]

    proof["check"] = "command:grep Cessna kinds.txt"
    await firm.hq.do("mission.submit", ref=mission, outcome="Done.", decisions=[proof])

    assert await firm.status(mission) == "done"
    [point] = (await firm.props(mission))["decided"]
    assert (point["passed"], point["check"]) == (True, proof["check"])
    rows = (await firm.hq.do("mission.tree", ref=mission))["evidence"]
    assert rows[-1] == {
        "deliverable": "decided: From a list",
        "status": "accepted",
        "seen": "checked by command:grep Cessna kinds.txt (exit 0)",
    }
