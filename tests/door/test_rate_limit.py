"""A token that is no person's calls only so fast; whoever is too fast is told when to go on, at no cost."""

from __future__ import annotations

from uuid import uuid4

import pytest

from hq.door.caller import Caller
from hq.door.rate_limit import BURST, RateLimit
from hq.door.tx import Call


class Seconds:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds(own_hq) -> Seconds:
    seconds = Seconds()
    own_hq.door.rate = RateLimit(2, seconds)
    return seconds


async def codes(hq, token: str, many: int, **more) -> list[str | None]:
    made = [await hq.call("task.list", _token=token, **more) for _ in range(many)]
    return [each.error["code"] if each.error else None for each in made]


@pytest.mark.parametrize("kind", ["agent", "worker", "service"])
async def test_beyond_its_limit_a_token_is_told_when_to_go_on(own_hq, seconds, kind):
    token = (await own_hq.do("auth.token", **{kind: "m"}, scopes=["read", "write"]))["token"]
    assert await codes(own_hq, token, 2 * BURST) == [None] * 2 * BURST

    refused = await own_hq.call("task.create", title="x", _token=token)

    assert refused.error["code"] == "too_many_calls" and refused.error["details"] == {"retry_after": 1}
    assert "2 times a second; go on in 1 s" in refused.error["message"] and refused.status == 429
    assert (await own_hq.do("action.list", verb="task.create"))["items"] == [], "not even noted down"
    seconds.now += 1
    assert await codes(own_hq, token, 3) == [None, None, "too_many_calls"]
    seconds.now += 3600
    assert await codes(own_hq, token, 2 * BURST + 1) == [None] * 2 * BURST + ["too_many_calls"]


async def test_another_name_of_the_same_token_is_no_way_around_it(own_hq, seconds):
    token = await own_hq.agent("scout")
    names = [f"agent:scout/{n}" for n in range(2 * BURST + 1)]

    made = [(await codes(own_hq, token, 1, _actor=name))[0] for name in names]

    assert made == [None] * 2 * BURST + ["too_many_calls"]


async def test_people_the_house_and_other_tokens_are_not_held_up(own_hq, seconds):
    scout, forge = await own_hq.agent("scout"), await own_hq.agent("forge")
    await codes(own_hq, scout, 2 * BURST + 1)

    assert await codes(own_hq, forge, 1) == [None]
    assert set(await codes(own_hq, own_hq.token, 3 * BURST)) == {None}
    assert set(await codes(own_hq, own_hq.token, 3 * BURST, _actor="agent:forge")) == {None}


def test_buckets_that_are_full_again_are_forgotten(monkeypatch):
    monkeypatch.setattr("hq.door.rate_limit.KEPT", 3)
    seconds = Seconds()
    limit = RateLimit(2, seconds)
    for name in ("a", "b", "c"):
        limit.learn(called(name), caller(name))
    seconds.now += 1
    limit.check("a")
    limit.check("a")
    limit.check("a")
    limit.learn(called("d"), caller("d"))

    assert {bucket.actor for bucket in limit._buckets.values()} == {"agent:a", "agent:d"}


def called(token: str) -> Call:
    return Call("task.list", {}, token)


def caller(name: str) -> Caller:
    return Caller(
        uuid4(), uuid4(), uuid4(), "agent", f"agent:{name}", frozenset({"read"}), None, None, "balanced", False
    )
