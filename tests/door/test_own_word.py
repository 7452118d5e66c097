"""What somebody says in their own name is theirs to change: documents, memos, decisions and events."""

from __future__ import annotations

import pytest

GIVEN = ["document", "memo", "decision", "event"]
SAID = {
    "document": {"title": "Invoice", "kind": "invoice"},
    "memo": {"title": "Week", "content_md": "Quiet"},
    "decision": {"title": "Tabs"},
    "event": {"kind": "milestone", "summary": "First customer"},
}
CHANGED = {"document": "title", "memo": "title", "decision": "title", "event": "summary"}


@pytest.fixture
async def crew(hq):
    await hq.do("agent.load")
    for name in ("ann", "bob"):
        await hq.do("agent.create", name=name, role="Writer of letters", tools=GIVEN)
    return hq


@pytest.mark.parametrize("noun", SAID)
async def test_another_s_word_is_not_changed_without_being_asked_about(crew, noun):
    ann, bob = await crew.agent("ann"), await crew.agent("bob")
    founders = (await crew.do(f"{noun}.create", **SAID[noun]))["slug"]
    anns = (await crew.do(f"{noun}.create", **SAID[noun], _token=ann))["slug"]
    change = {CHANGED[noun]: "Pay to EVIL99"}

    for whose in (founders, anns):
        asked = await crew.call(f"{noun}.update", ref=whose, **change, _token=bob)
        assert asked.code == "waiting", asked.error
        assert (await crew.call(f"{noun}.archive", ref=whose, _token=bob)).code == "waiting"
    assert (await crew.call(f"{noun}.update", ref=anns, **change, _token=ann)).ok
    assert (await crew.call(f"{noun}.update", ref=founders, **change, _token=await crew.agent("chief"))).ok


async def test_whom_it_names_as_its_author_changes_it(crew):
    ann = await crew.agent("ann")
    await crew.do("document.create", title="Letter", author="ann")

    assert (await crew.call("document.update", ref="letter", title="Long letter", _token=ann)).ok


async def test_a_worker_of_its_author_changes_it_and_a_stranger_s_does_not(crew):
    await crew.do("document.create", title="Letter", _token=await crew.agent("ann"))
    worker, other = [
        (await crew.do("auth.token", worker=name, scopes=["read", "write"]))["token"] for name in ("ann", "zed")
    ]

    assert (await crew.call("document.update", ref="letter", title="Long", _token=worker)).ok
    refused = await crew.call("document.update", ref="letter", title="Mine", _token=other)
    assert refused.code == "cross_scope_violation", refused.error
