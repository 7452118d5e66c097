"""Outgoing webhooks: signed as the standard has it, in order, again until it works, and only to where they may go."""

from __future__ import annotations

import asyncio
import ipaddress

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from hq.channels.egress import address
from hq.channels.webhooks.delivery import RETRIES, Courier
from hq.engine.announcer import Announcer
from tests.support.jobs import JobHand

from .outside import sent_on


@pytest.fixture
async def added(own_hq, receiver, settled):
    await settled()
    return await own_hq.do("webhook.add", url=receiver.url, name="Warehouse", topics=["task.*"], allow_private=True)


@pytest.fixture
def events(own_hq, settled):
    async def told(topic: str) -> list[dict]:
        await settled()
        return (await own_hq.do("events.list", topics=[topic]))["items"]

    return told


async def test_an_event_arrives_with_a_signature_the_official_library_accepts(own_hq, added, receiver, deliver):
    await own_hq.do("task.create", title="Call Ana")

    assert await deliver() == 1

    [(headers, body)] = receiver.got
    told = Webhook(added["secret"]).verify(body, headers)
    assert told["type"] == "task.created"
    assert told["data"]["slug"] == "call-ana"
    assert headers["webhook-id"].startswith("evt_") and "." not in headers["webhook-id"]
    with pytest.raises(WebhookVerificationError):
        Webhook(added["secret"]).verify(body.replace(b"call-ana", b"call-bob"), headers)


async def test_only_wanted_events_come_in_order_and_each_names_the_one_before(own_hq, added, receiver, deliver):
    for n in range(5):
        await own_hq.do("task.create", title=f"Task {n}")
        await own_hq.do("memo.create", title=f"Memo {n}", content_md="x")
    await deliver()
    await deliver()

    assert [event["data"]["slug"] for event in receiver.said] == [f"task-{n}" for n in range(5)]
    for before, event in zip(receiver.said, receiver.said[1:], strict=False):
        assert event["prev"] == before["id"]


async def test_what_fails_is_tried_again_under_the_same_id_and_holds_up_what_follows(own_hq, added, receiver, deliver):
    receiver.answers = [500, 0, 302]
    await own_hq.do("task.create", title="One")
    await own_hq.do("task.create", title="Two")

    assert await deliver() == 1
    assert await deliver() == 0, "it waits"
    assert await deliver(seconds=7) == 1
    assert await deliver(seconds=7) == 0, "longer each time"
    assert await deliver(minutes=7) == 1
    assert await deliver(minutes=40) >= 2

    assert [event["data"]["slug"] for event in receiver.said] == ["one"] * 4 + ["two"]
    assert len({headers["webhook-id"] for headers, _ in receiver.got[:4]}) == 1


async def test_that_it_fails_and_is_well_again_is_told_once(own_hq, added, receiver, deliver, events):
    receiver.answers = [500] * 3
    await own_hq.do("task.create", title="One")
    for later in ({}, {"seconds": 7}, {"minutes": 7}, {"minutes": 40}):
        await deliver(**later)

    [failing] = await events("webhook.failing")
    assert failing["payload"] == {"slug": "warehouse", "why": "it answered 500"}
    assert failing["actor"] == "service:webhooks"
    assert len(await events("webhook.recovered")) == 1


async def test_after_the_last_try_it_is_a_dead_letter_that_can_be_sent_again(own_hq, added, receiver, deliver):
    receiver.answers = [503] * (len(RETRIES) + 1)
    await own_hq.do("task.create", title="One")
    await own_hq.do("task.create", title="Two")
    for _ in range(len(RETRIES) + 1):
        assert await deliver(hours=13) == 1
    await deliver()

    [dead] = (await own_hq.do("webhook.deliveries", ref="warehouse", status="dead"))["items"]
    assert (dead["attempts"], dead["response"]) == (len(RETRIES) + 1, 503)
    assert receiver.said[-1]["data"]["slug"] == "two"
    assert receiver.said[-1]["prev"] == dead["event"], "whoever missed it can tell"

    assert (await own_hq.do("webhook.redeliver", ref="warehouse"))["again"] == 1
    await deliver()
    assert receiver.said[-1]["data"]["slug"] == "one"
    assert (await own_hq.do("webhook.deliveries", ref="warehouse", status="dead"))["items"] == []


@pytest.mark.parametrize("where", ["javascript:x", "http://[::1", "https://host:99999/"])
async def test_a_server_that_sends_on_to_nowhere_is_tried_again_by_the_schedule(own_hq, out, settled, deliver, where):
    await settled()
    out.pages["/hook"] = sent_on(where)
    await own_hq.do("webhook.add", url=f"{out.url}/hook", name="Sly", topics=["task.*"], allow_private=True)
    await own_hq.do("task.create", title="One")

    assert await deliver() == 1
    assert await deliver() == 0, "it waits"
    [failed] = (await own_hq.do("webhook.deliveries", ref="sly"))["items"]
    assert failed["status"] == "failed" and failed["error"]


async def test_a_secret_that_cannot_sign_is_told_and_not_tried_without_end(own_hq, added, receiver, deliver, events):
    await own_hq.do("vault.set", name="webhook/warehouse", value="my own words")
    await own_hq.do("task.create", title="One")

    assert await deliver() == 1
    assert await deliver() == 0, "it waits"
    [failing] = await events("webhook.failing")
    assert "webhook rotate" in failing["payload"]["why"] and "own words" not in str(failing)

    await own_hq.do("webhook.rotate", ref="warehouse")
    await own_hq.do("webhook.resume", ref="warehouse")
    await deliver()
    assert [event["data"]["slug"] for event in receiver.said] == ["one"]


async def test_what_was_being_sent_again_when_the_process_died_is_sent_again(own_hq, added, receiver, deliver):
    await own_hq.do("task.create", title="One")
    await deliver()
    [done] = (await own_hq.do("webhook.deliveries", ref="warehouse"))["items"]
    await own_hq.do("webhook.redeliver", ref="warehouse", event=done["event"])

    class Died(BaseException):
        pass

    async def die(*_args, **_more):
        raise Died

    dying = Courier(own_hq.address.app_url, own_hq.door)
    dying._sender.send = die  # type: ignore[method-assign] (as if the machine stopped between two steps)
    with pytest.raises(Died):
        await dying.deliver_once()
    [stuck] = (await own_hq.do("webhook.deliveries", ref="warehouse"))["items"]
    assert stuck["status"] == "sending" and len(receiver.got) == 1

    await deliver()
    [sent] = (await own_hq.do("webhook.deliveries", ref="warehouse"))["items"]
    assert sent["status"] == "delivered" and len(receiver.got) == 2


async def test_one_that_is_gone_is_disabled_and_can_be_resumed(own_hq, added, receiver, deliver, events):
    receiver.answers = [410]
    await own_hq.do("task.create", title="One")
    await deliver()
    await deliver(days=1)

    assert (await own_hq.do("webhook.show", ref="warehouse"))["props"]["status"] == "disabled"
    assert len(await events("webhook.disabled")) == 1
    assert len(receiver.got) == 1

    await own_hq.do("webhook.resume", ref="warehouse")
    await deliver()
    assert [event["data"]["slug"] for event in receiver.said] == ["one", "one"]


async def test_one_that_fails_for_days_is_disabled(own_hq, added, receiver, deliver):
    receiver.answers = [500] * 50
    await own_hq.do("task.create", title="One")
    await deliver()
    await deliver(days=6)
    assert (await own_hq.do("webhook.show", ref="warehouse"))["props"]["status"] == "disabled"


async def test_a_paused_one_gets_what_waited_unless_that_is_skipped(own_hq, added, receiver, deliver):
    await own_hq.do("webhook.pause", ref="warehouse")
    await own_hq.do("task.create", title="One")
    assert await deliver() == 0
    await own_hq.do("webhook.resume", ref="warehouse")
    assert await deliver() == 1

    await own_hq.do("webhook.pause", ref="warehouse")
    await own_hq.do("task.create", title="Two")
    await deliver()
    await own_hq.do("webhook.resume", ref="warehouse", skip=True)
    assert await deliver() == 0


async def test_a_freeze_of_everything_holds_webhooks_back(own_hq, added, receiver, deliver):
    await own_hq.do("task.create", title="One")
    await own_hq.do("freeze.set")
    assert await deliver() == 0
    await own_hq.do("freeze.lift")
    assert await deliver() == 1


async def test_a_new_secret_and_the_old_one_both_hold_for_a_day(own_hq, added, receiver, deliver):
    fresh = await own_hq.do("webhook.rotate", ref="warehouse")
    await own_hq.do("task.create", title="One")
    await deliver()

    headers = receiver.got[0][0]
    assert headers["webhook-signature"].count("v1,") == 2
    for secret in (added["secret"], fresh["secret"]):
        Webhook(secret).verify(receiver.got[0][1], headers)

    await own_hq.do("task.create", title="Two")
    await deliver(days=2)
    assert receiver.got[1][0]["webhook-signature"].count("v1,") == 1


async def test_a_test_arrives_whatever_the_topics(own_hq, added, receiver, deliver):
    await own_hq.do("webhook.add", url=receiver.url, name="Other", topics=["memo.*"], allow_private=True)
    await own_hq.do("webhook.test", ref="warehouse")
    await deliver()

    assert [(event["type"], event["data"]["slug"]) for event in receiver.said] == [("webhook.tested", "warehouse")]


async def test_a_removed_one_is_told_nothing_and_leaves_no_secret(own_hq, added, receiver, deliver):
    await own_hq.do("task.create", title="One")
    await own_hq.do("webhook.remove", ref="warehouse")

    assert await deliver() == 0
    assert (await own_hq.do("webhook.list"))["items"] == []
    names = [item["name"] for item in (await own_hq.do("vault.list"))["items"]]
    assert not [name for name in names if name.startswith("webhook/")]
    assert (await own_hq.call("webhook.show", ref="warehouse")).error["code"] == "not_found"


async def test_the_secret_is_nowhere_but_in_the_answer(own_hq, added, events):
    action = (await own_hq.do("action.list", verb="webhook.add"))["items"][0]["action"]

    assert added["secret"].startswith("whsec_")
    assert "whsec_" not in str(await own_hq.do("action.show", id=action))
    assert "whsec_" not in str(await events("*"))
    assert "whsec_" not in str(await own_hq.do("webhook.show", ref="warehouse"))


async def test_an_agent_has_no_say_in_webhooks(own_hq, added):
    agent = await own_hq.agent()

    for verb, args in (
        ("webhook.add", {"url": "https://example.com"}),
        ("webhook.list", {}),
        ("webhook.rotate", {"ref": "warehouse"}),
        ("webhook.report", {"ref": "warehouse", "turned": "disabled"}),
    ):
        assert (await own_hq.call(verb, **args, _token=agent)).error["code"] == "forbidden"
    assert (await own_hq.do("webhook.show", ref="warehouse"))["props"]["status"] == "active"


async def test_each_company_has_its_own(own_hq, added, receiver, deliver):
    other = await own_hq.tenant("Other")
    await own_hq.do("task.create", title="Theirs", _token=other)

    assert await deliver() == 0
    assert (await own_hq.do("webhook.list", _token=other))["items"] == []


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/", "https://10.1.2.3/", "https://192.168.0.1/", "https://169.254.169.254/latest", "https://[::1]/",
        "https://[fe80::1]/", "https://[::ffff:127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://0.0.0.0/", "https://100.64.0.1/",
        "https://[fd00::1]/", "https://224.0.0.1/", "http://example.com/", "https://user:pass@example.com/", "ftp://example.com/",
        "https://", "nonsense", "https://example.com:99999/",
    ],
)  # fmt: skip
async def test_where_a_webhook_may_not_go_is_refused_when_it_is_added(own_hq, url):
    outcome = await own_hq.call("webhook.add", url=url)

    assert outcome.error["code"] in ("forbidden", "invalid")
    assert outcome.error["message"]


async def test_a_name_that_leads_to_a_private_address_is_refused_when_it_is_sent_to(
    own_hq, receiver, deliver, monkeypatch
):
    async def looked_up(_loop, _host, port, **_more):
        return [(2, 1, 6, "", ("93.184.216.34", port)), (2, 1, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr("asyncio.BaseEventLoop.getaddrinfo", looked_up)
    await own_hq.do("webhook.add", url="https://rebind.example/hook", name="Sly", topics=["task.*"])
    await own_hq.do("task.create", title="One")
    await deliver()

    [failed] = (await own_hq.do("webhook.deliveries", ref="sly"))["items"]
    assert "private network" in failed["error"]
    assert receiver.got == []


async def test_the_connection_goes_to_the_address_that_was_judged(monkeypatch):
    async def looked_up(_loop, _host, port, **_more):
        return [(2, 1, 6, "", ("93.184.216.34", port))]

    monkeypatch.setattr("asyncio.BaseEventLoop.getaddrinfo", looked_up)
    target = await address.resolve("https://example.com:8443/a?b=c", address.EgressPolicy())

    assert target == address.EgressTarget("https://93.184.216.34:8443/a?b=c", "example.com:8443", "example.com")


@pytest.mark.parametrize("text", ["2002:7f00:1::", "::ffff:10.0.0.1", "::", "fec0::1", "240.0.0.1", "198.18.0.1"])
def test_addresses_that_hide_a_private_one_are_not_public(text):
    assert not address.is_public(ipaddress.ip_address(text))


async def test_what_arrived_long_ago_is_forgotten_by_a_job_and_dead_letters_stay(own_hq, added, receiver, deliver):
    hand = JobHand(own_hq, "forget-deliveries")
    await hand.run_once()
    await own_hq.do("task.create", title="Arrives")
    await deliver()
    receiver.answers = [500] * 20
    await own_hq.do("task.create", title="Never")
    for wait in (*RETRIES, RETRIES[-1]):
        await deliver()
        own_hq.clock.advance(seconds=wait.total_seconds() * 2)
    own_hq.clock.advance(days=8)

    assert await hand.run_once() == 1
    left = (await own_hq.do("webhook.deliveries", ref="warehouse"))["items"]
    assert [each["status"] for each in left] == ["dead"]


async def test_a_courier_at_work_delivers_as_events_come(own_hq, added, receiver, deliver):
    announcer = asyncio.create_task(Announcer(own_hq.address.app_url, own_hq.clock).run())
    courier = asyncio.create_task(deliver.courier.run())
    async with asyncio.timeout(30):
        await own_hq.do("task.create", title="One")
        while not receiver.got:
            await asyncio.sleep(0.01)
    for task in (announcer, courier):
        task.cancel()
    await asyncio.gather(announcer, courier, return_exceptions=True)
