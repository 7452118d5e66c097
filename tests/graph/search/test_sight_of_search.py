"""What a search finds for whom: company knowledge for everybody, of the rest one's own, and what others have takes no place."""

from __future__ import annotations

from uuid import UUID

from hq.graph.search.candidates import TAKE
from tests.support.searching import catch_up, slugs


async def closed(hq, agent: str, words: str) -> str:
    """A session of an agent's that was written down."""
    token = await hq.agent(agent)
    session = (await hq.do("agent.send", agent=agent, text="begin"))["session"]
    left = {"summary": words, "handover": words, "memories": [{"body": words}]}
    return (await hq.do("session.finalise", session=session, **left, _token=token, _session_id=UUID(session)))["slug"]


async def test_what_an_agent_left_only_its_own_search_finds(hq):
    await hq.do("agent.create", name="ana", role="One")
    await hq.do("agent.create", name="ben", role="Two")
    await closed(hq, "ana", "The zebrafish contract is in the drawer")
    memo = (await hq.do("memo.create", title="Zebrafish", content_md="A zebrafish is a fish."))["slug"]
    await catch_up(hq)

    mine = await slugs(hq, "zebrafish contract", limit=20, _token=await hq.agent("ana"))
    others = await slugs(hq, "zebrafish contract", limit=20, _token=await hq.agent("ben"))

    assert len(mine) > 1 and memo in mine
    assert others == [memo]


async def test_what_others_left_does_not_take_the_place_of_what_the_company_knows(hq):
    await hq.do("agent.create", name="ana", role="One")
    await hq.do("agent.create", name="ben", role="Two")
    for number in range(TAKE // 3 + 2):  # each leaves a record, a memo, a trace and a memory
        await closed(hq, "ana", f"zebrafish zebrafish zebrafish {number}")
    memo = (await hq.do("memo.create", title="Pond", content_md="Of fish in ponds: " + "carp " * 80 + "zebrafish"))[
        "slug"
    ]
    await catch_up(hq)

    assert await slugs(hq, "zebrafish", mode="words", _token=await hq.agent("ben")) == [memo]
