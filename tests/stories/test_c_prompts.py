"""C5, C7: the files that come with hq reach homes that have older ones, and leave alone what people wrote."""

from __future__ import annotations

import os

from hq.agents.files import shipment
from hq.agents.files.folder import CAPS, SHIPPED, AgentFiles, AgentText
from hq.agents.files.shipment import HIRED, digest, known_texts, shipped_texts
from hq.minds.tokens import estimate
from tests.support.play import house  # noqa: F401


def test_c7_every_text_that_is_shipped_is_known_by_its_hash():
    """So that a later hq renews it where nobody edited it: `HQ_PIN=1` adds what is new to shipped.tsv; never take a line out."""
    now = {(name, digest(text)) for name, text in shipped_texts(SHIPPED).items()} | {
        (HIRED.name, digest(HIRED.read_text()))
    }
    if os.environ.get("HQ_PIN"):
        lines = sorted(f"{name}\t{hash_}\n" for name, hash_ in known_texts() | now)
        shipment.KNOWN.write_text("".join(lines))
        shipment.known_texts.cache_clear()
    assert now <= known_texts()


def test_c7_the_shipped_texts_keep_to_their_caps():
    for path in [*(SHIPPED / "_shared").glob("*.md"), *SHIPPED.glob("[co]*/*.md")]:
        name = f"_shared/{path.name}" if path.parent.name == "_shared" else path.name
        if name in CAPS:
            assert estimate(path.read_text()) <= CAPS[name], path


def test_c7_an_index_nobody_filled_is_not_told():
    head = "# Customers\n\n| customer | stage |\n|---|---|\n"
    assert AgentText("_shared/customers-index.md", head).empty
    assert not AgentText("_shared/customers-index.md", head + "| acme | won |\n").empty


async def test_c7_what_nobody_edited_is_renewed_and_what_somebody_did_stays(house, monkeypatch):  # noqa: F811
    hq, folder = house.hq, house.folder
    await hq.do("onboard.answer", ceo="Ada", skip=["provider"])
    await hq.do("org.create", template="solo-founder")
    await hq.do("agent.hire", name="Quill", org="Office", title="Scribe", role="writer")
    older = {
        "_shared/CLAUDE.md": "# As it was\n",
        "chief/agent.md": "",
        "chief/CLAUDE.md": "# Old\n",
        "_shared/gone.md": "# Gone\n",
    }
    agent = (folder / "chief/agent.md").read_text()
    older["chief/agent.md"] = agent.replace("title: Ada\n", "").replace("Chief of staff", "Chief")
    known = (
        known_texts()
        | {(name, digest(text)) for name, text in older.items()}
        | {("hired.md", digest("## How you work\n\nOld.\n"))}
    )
    monkeypatch.setattr(shipment, "known_texts", lambda: frozenset(known))
    for name, text in older.items():
        (folder / name).write_text(text)
    (folder / "chief/agent.md").write_text(
        older["chief/agent.md"].replace("name: chief\n", "name: chief\ntitle: Ada\n")
    )
    (folder / "operator/CLAUDE.md").write_text("# Mine\n")
    (folder / "quill/CLAUDE.md").write_text("# Quill\n\nYou are **Quill**.\n\n## How you work\n\nOld.\n")

    files = hq.door.services[AgentFiles]
    changed = files.renew(folder.parent.name)

    assert set(changed) == {*older, "quill/CLAUDE.md"}
    assert (folder / "chief/agent.md").read_text() == agent and "title: Ada" in agent
    assert (folder / "chief/CLAUDE.md").read_text() == (SHIPPED / "chief/CLAUDE.md").read_text()
    assert (folder / "operator/CLAUDE.md").read_text() == "# Mine\n" and not (folder / "_shared/gone.md").exists()
    assert (folder / "quill/CLAUDE.md").read_text() == HIRED.read_text()
    assert files.renew(folder.parent.name) == []


async def test_c5_a_session_opens_with_what_the_agent_noted_and_nothing_empty(house):  # noqa: F811
    shown = await house.hq.do("context.show", agent="chief")

    opening = "\n".join(each["text"] for each in shown["sections"] if each["part"] == "history")
    assert opening.startswith("# Session context reconstruction") and "(none)" not in shown["text"]
    assert "##" not in opening
