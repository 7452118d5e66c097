"""`hq demo`, as a newcomer types it: it plays to its end, says only what is so, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from hq.cli.demo import sshd, web_app_story
from hq.cli.demo.narrator import Narrator
from hq.cli.demo.stage import stage
from tests.support.company import ended_process
from tests.support.sandboxes import MISSING

HOMES = Path("/tmp")  # noqa: S108


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
@pytest.mark.skipif(bool(sshd.missing()), reason=sshd.missing())
def test_the_first_act_plays_to_its_end() -> None:
    played = subprocess.Popen(
        [sys.executable, "-m", "hq", "demo", "--fast"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "ANTHROPIC_API_KEY": "sk-never-to-be-used"},
    )  # fmt: skip
    said, complained = played.communicate(timeout=280)

    assert played.returncode == 0, said + complained
    for line in (
        "chief ◂ Forge has it: the mission “",
        "▸ Write: /mission/app.py",
        "? may I? rm -rf prototype",
        "✓ hq ran the tests itself",
        "- prototype/index.php",
        "chief ◂ cube ",
        "- Disks: /",
        "atlas ",
        "✓ Two workers looked at the same time, over ssh",
        "forge ◂ Changed: it is called “Visitors welcome”. Everything else",
        '-TITLE = "Guest book"',
        '+TITLE = "Visitors welcome"',
        "taken back, in the record and on the disk",
        "That was the demo",
    ):
        assert line in said, said
    assert "<h1>" not in said, "the change is of what is shown, not of how"
    assert "\x1b[" not in said and "sk-never" not in said and not complained
    assert list(HOMES.glob(f"hq-demo-{played.pid}-*")) == []


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
@pytest.mark.parametrize(("ended", "code"), [("INT", 130), ("TERM", 143), ("KILL", -9)])
def test_however_it_is_ended_nothing_of_it_is_left(ended: str, code: int) -> None:
    played = subprocess.Popen(
        [sys.executable, "-m", "hq", "demo", "--fast"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert played.stdout is not None
    said = ""
    while "2. Forge builds it" not in said:
        said += (line := played.stdout.readline())
        assert line, said
    (home,) = HOMES.glob(f"hq-demo-{played.pid}-*")
    server = int((home / "postgres" / "data" / "postmaster.pid").read_text().split()[0])

    played.send_signal(signal.Signals[f"SIG{ended}"])
    _, complained = played.communicate(timeout=120)  # both ends of it are only closed when its cleaner is gone too

    told = "\nStopped; the scratch home is gone.\n" if ended == "INT" else ""  # who pressed Ctrl-C reads on
    assert (played.returncode, complained) == (code, told)
    assert not home.exists()
    assert ended_process(server)


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
async def test_a_run_that_already_waits_is_found(monkeypatch) -> None:
    """At the speed at which a person reads, it has stopped to ask before anybody looks for it."""
    monkeypatch.setattr("hq.cli.demo.stage.PATIENCE", 60.0)
    async with stage() as on:
        await web_app_story._set(on)
        await on.answer(web_app_story.BRIEF)
        await web_app_story._asked(on)

        run = await web_app_story._newest_run(on)

        assert (await on.do("code_run.show", ref=run))["props"]["status"] == "waiting"


@pytest.mark.slow
async def test_without_sshd_it_says_so_and_the_pages_show_what_is_said(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sshd, "SSHD", None)
    async with stage() as on, httpx2.AsyncClient(base_url=on.url, follow_redirects=True) as browser:
        await web_app_story._servers(Narrator(fast=True), on)
        answered = await on.answer("What time is it?")
        page = await browser.get((await on.do("auth.login"))["path"])

    told = capsys.readouterr().out
    assert "no sshd is installed" in told and "of space used" in told and "over ssh:" not in told
    assert page.status_code == 200 and "What time is it?" in page.text and answered[:8] in page.text
