"""Effects on the outside world: noted before, recorded after, never begun twice under a key."""

from __future__ import annotations

import pytest

from hq.door.access import EVERYONE
from hq.door.results import Done
from hq.door.tx import Tx
from hq.door.verb import Args, Registry, verb
from hq.errors import Refused


class Send(Args):
    to: str
    """Whom."""


@pytest.fixture
def sent(hq) -> list[str]:
    """A verb that really does something outside, and what it did."""
    done: list[str] = []

    @verb("post.send", "effect", for_=EVERYONE, gate="irreversible", emits="post.sent")
    async def send(tx: Tx, args: Send) -> Done:
        """Send something out."""
        if args.to == "nobody":
            raise Refused.invalid("there is no such address")
        done.append(args.to)
        if args.to == "broken":
            raise RuntimeError("the line dropped")
        return Done(message=f"sent to {args.to}")

    hq.door.registry = Registry([*hq.door.registry, send], {**hq.door.registry.nouns, "post": "What is sent."})
    return done


async def test_an_effect_happens_once_under_a_key(hq, sent):
    first = await hq.call("post.send", to="ana", _key="k")
    again = await hq.call("post.send", to="ana", _key="k")

    assert first.ok and again.replayed and sent == ["ana"]


async def test_an_effect_that_broke_off_is_not_repeated_but_raised(hq, sent):
    broken = await hq.call("post.send", to="broken", _key="k")
    again = await hq.call("post.send", to="broken", _key="k")

    assert (broken.error["code"], again.error["code"]) == ("defect", "unknown_outcome")
    assert sent == ["broken"]


async def test_an_effect_that_was_refused_may_be_tried_again(hq, sent):
    await hq.call("post.send", to="nobody", _key="k")

    again = await hq.call("post.send", to="nobody", _key="k")

    assert again.error["code"] == "invalid"


async def test_an_agents_effect_waits_by_the_risk_table_and_happens_on_a_yes(hq, sent):
    chief = await hq.agent()
    waiting = await hq.call("post.send", to="ana", _token=chief)
    assert waiting.error["code"] == "waiting" and sent == []

    approved = await hq.call("approval.approve", ref=waiting.data["approval"])

    assert approved.data["result"]["ok"] and sent == ["ana"]
    assert (await hq.do("approval.show", ref=waiting.data["approval"]))["props"]["status"] == "done"


async def test_an_approved_effect_that_fails_is_not_called_done(hq, sent):
    waiting = await hq.call("post.send", to="broken", _token=await hq.agent())

    await hq.call("approval.approve", ref=waiting.data["approval"])

    assert (await hq.do("approval.show", ref=waiting.data["approval"]))["props"]["status"] == "approved"


async def test_a_bold_company_does_it_and_tells(hq, sent):
    await hq.do("tenant.set", risk_tolerance="aggressive")

    assert (await hq.call("post.send", to="ana", _token=await hq.agent())).ok
    tainted = await hq.call("post.send", to="bo", _token=await hq.agent(), _taint=frozenset({"email"}))
    assert tainted.error["code"] == "waiting" and sent == ["ana"]
