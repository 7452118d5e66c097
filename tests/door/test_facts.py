"""Since when a fact holds."""

from __future__ import annotations


async def since(hq, **more) -> tuple[str, str]:
    known = await hq.do("fact.get", subject="Ana", relation="city", **more)
    return known["value"], known["since"][:10]


async def test_after_an_undo_a_fact_holds_since_it_first_did(hq):
    await hq.do("fact.assert", subject="Ana", relation="city", value="Porto", valid_from="2024-01-01")
    moved = await hq.call("fact.assert", subject="Ana", relation="city", value="Lisboa", valid_from="2024-06-01")
    assert await since(hq) == ("Lisboa", "2024-06-01")

    await hq.do("action.undo", id=str(moved.action_id))

    assert await since(hq) == ("Porto", "2024-01-01")
    assert await since(hq, _at="2024-07-01", _known_at=moved.sequence) == ("Lisboa", "2024-06-01")


async def test_what_was_lost_and_found_again_holds_since_it_was_found(hq):
    for value, day in (
        ("Porto", "2024-01-01"),
        ("Lisboa", "2024-02-01"),
        ("Porto", "2024-03-01"),
        ("Porto", "2024-04-01"),
    ):
        await hq.do("fact.assert", subject="Ana", relation="city", value=value, valid_from=day)

    assert await since(hq) == ("Porto", "2024-03-01")
