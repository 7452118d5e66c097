"""Which mind answers for a company: set through the door, keyed by the vault, closed for all when one is turned away."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from pydantic_ai import exceptions as said
from pydantic_ai.exceptions import ModelConnectionError
from pydantic_ai.messages import ModelRequest
from structlog.testing import capture_logs

from hq.clock import FakeClock
from hq.guard.vault import Vault
from hq.minds.config import MindConfig
from hq.minds.failures import translated
from hq.minds.mind import KeyRefused, MindAway, MindBusy, MindDown, MindRequest
from hq.minds.service import Minds
from tests.support.company import Hq
from tests.support.provider import Fault, Provider

KEY = "sk-ant-very-secret-0123456789"
TIME = MindRequest([ModelRequest.user_text_prompt("what time is it?")], instructions="Now: 2026-01-01T10:00:00Z")


async def instantly(seconds: float) -> None:
    return None


@pytest.fixture
async def tenant(hq: Hq) -> UUID:
    return UUID((await hq.do("auth.whoami"))["tenant_id"])


@pytest.fixture
async def minds(hq: Hq) -> AsyncIterator[Minds]:
    """As the door has it, but without pauses and without this machine's environment."""
    made = Minds(hq.door.pool, hq.door.services[Vault], hq.clock, {}, instantly)
    hq.door.services[Minds] = made
    yield made
    await made.close()


async def set_up(hq: Hq, provider: Provider, name: str = "anthropic", **more: Any) -> None:
    await hq.do("vault.set", name="anthropic_api_key", value=KEY)
    await hq.do("mind.set", name=name, provider="anthropic", base_url=provider.url, **more)


async def test_with_nothing_set_the_script_answers_and_says_why(hq: Hq, minds: Minds, tenant: UUID) -> None:
    reply = await (await minds.mind(tenant)).answer(TIME)
    told = await hq.do("mind.list")

    assert reply.response.text == "It is 10:00 UTC on Thu 01 Jan 2026."
    assert reply.model == "script:conversation.time"
    assert [tier["answers"] for tier in told["tiers"]] == ["script"] * 3
    assert "no key was found" in told["tiers"][0]["why"]


async def test_until_a_mind_has_its_key_the_script_answers_and_everybody_is_told(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await hq.do("agent.load")
    made = await hq.do("mind.set", name="anthropic", base_url=provider.url)

    assert made["lacks"] == "anthropic lacks the key anthropic_api_key: `hq vault set anthropic_api_key`"
    assert (await (await minds.mind(tenant)).answer(TIME)).model == "script:conversation.time"
    told, now = (await hq.do("mind.list"))["tiers"][0], await hq.do("chat.status")
    assert told["answers"] == "script" and "lacks the key anthropic_api_key" in told["why"]
    assert now["state"] == "waiting" and "Anthropic has no key yet" in now["why"]
    tested = (await hq.call("mind.test")).error
    assert "needs a key" in tested["message"] and "hq vault set anthropic_api_key" in tested["hint"]

    await hq.do("vault.set", name="anthropic_api_key", value=KEY)
    minds.forget(tenant)
    assert (await (await minds.mind(tenant)).answer(TIME)).model.startswith("anthropic:")
    assert (await hq.do("chat.status"))["state"] == "ready"


async def test_until_a_mind_has_a_key_that_works_the_script_answers_and_everybody_is_told(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await hq.do("agent.load")
    await set_up(hq, provider)
    provider.fail(401)

    answers = [await (await minds.mind(tenant)).answer(TIME) for _ in range(3)]

    assert {reply.model for reply in answers} == {"script:conversation.time"}
    assert "refused the key anthropic_api_key" in answers[0].passed_over[0]
    assert len(provider.seen) == 1, "it is left alone until it has another key"
    minds.forget(tenant)
    now, told = await hq.do("chat.status"), await hq.do("mind.list")
    assert now["state"] == "waiting" and "Anthropic refused the key it has" in now["why"]
    assert told["tiers"][0]["answers"] == "script" and "refused the key" in told["minds"][0]["state"]

    provider.faults.clear()
    await hq.do("vault.set", name="anthropic_api_key", value=KEY + "-another")
    minds.forget(tenant)
    assert (await (await minds.mind(tenant)).answer(TIME)).model.startswith("anthropic:")
    assert (await hq.do("chat.status"))["state"] == "ready"


async def test_a_refused_key_is_said_at_once_in_the_list_and_in_the_conversation(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await hq.do("agent.load")
    await set_up(hq, provider)
    await hq.do("mind.list")
    provider.fail(401)

    assert not (await hq.call("mind.test")).ok

    told = await hq.do("mind.list")
    assert "refused the key anthropic_api_key" in told["minds"][0]["state"] and told["tiers"][0]["answers"] == "script"
    assert "refused the key" in (await hq.do("chat.status"))["why"]
    first = await (await minds.mind(tenant)).answer(replace(TIME, purpose="dm"))
    assert (first.response.text or "").startswith("anthropic refused the key anthropic_api_key: `hq vault set")
    assert "It is 10:00" in (first.response.text or "")
    talk = [*TIME.messages, first.response, *TIME.messages]
    again = await (await minds.mind(tenant)).answer(replace(TIME, messages=talk, purpose="dm"))
    assert "refused" not in (again.response.text or ""), "once in a conversation is enough"
    work = await (await minds.mind(tenant)).answer(replace(TIME, purpose="mission"))
    assert "refused" not in (work.response.text or ""), "what an agent hands in is no place for it"


async def test_who_takes_any_answer_for_a_models_hears_of_a_refused_key(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await hq.do("mind.set", name="own", provider="compatible", model="m", base_url=provider.url)
    provider.fail(401, times=3)

    for _ in range(2):  # the second time nobody knocks
        with pytest.raises(KeyRefused) as told:
            await (await minds.mind(tenant)).answer(replace(TIME, purpose="dm", stand_in=False))
        assert "a_key" not in f"{told.value.message} {told.value.hint}"


async def test_a_refused_key_is_said_once_also_where_the_door_is_closed_by_then(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await set_up(hq, provider)
    provider.fail(401)
    mind = await minds.mind(tenant)
    first = await mind.answer(replace(TIME, purpose="dm"))
    talk = [*TIME.messages, first.response, *TIME.messages]

    again = await mind.answer(replace(TIME, messages=talk, purpose="dm"))

    assert "refused" in (first.response.text or "") and "refused" not in (again.response.text or "")


async def test_the_key_that_is_refused_just_now_is_said_in_the_same_answer(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await set_up(hq, provider)
    provider.fail(401)
    heard: list[str] = []

    async def listen(text: str) -> None:
        heard.append(text)

    reply = await (await minds.mind(tenant)).answer(replace(TIME, purpose="dm"), on_text=listen)

    assert "refused the key anthropic_api_key" in (reply.response.text or "")
    assert "".join(heard) == reply.response.text


@pytest.mark.parametrize(("status", "place"), [(500, "unproven"), (401, "refused")])
async def test_a_key_that_never_worked_is_never_called_ready_however_long_ago_that_was(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider, status: int, place: str
) -> None:
    """After a quarter of an hour the header was green, the card was gone and the list said `ready`."""
    await hq.do("agent.load")
    await set_up(hq, provider)
    provider.fail(status, times=3)
    assert not (await hq.call("mind.test")).ok

    provider.faults.clear()
    hq.clock.advance(days=1)

    told = await hq.do("mind.list")
    assert place in told["minds"][0]["key"] and told["minds"][0]["state"] != "ready" and told["lacking"]
    assert told["tiers"][0]["answers"] == "script" and (await hq.do("chat.status"))["state"] == "waiting"
    minds.forget(tenant)
    assert (await (await minds.mind(tenant)).answer(TIME)).model.startswith("anthropic:"), "it is tried again by itself"
    told = await hq.do("mind.list")
    assert told["minds"][0]["state"] == "ready" and "lacking" not in told
    assert (await hq.do("chat.status"))["state"] == "ready"


async def test_a_mind_that_was_set_before_its_server_ran_is_tried_again_soon(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await set_up(hq, provider)
    provider.fail(500, times=3)
    assert not (await hq.call("mind.test")).ok
    minds.forget(tenant)

    assert (await (await minds.mind(tenant)).answer(TIME)).model == "script:conversation.time"
    with pytest.raises(KeyRefused) as told:
        await (await minds.mind(tenant)).answer(replace(TIME, stand_in=False))
    assert told.value.until == hq.clock.now() + timedelta(seconds=5)
    hq.clock.set(told.value.until)
    minds.forget(tenant)
    assert (await (await minds.mind(tenant)).answer(replace(TIME, stand_in=False))).model.startswith("anthropic:")


async def test_a_test_that_hangs_ends_and_says_how_to_wait_longer(hq: Hq, minds: Minds, provider: Provider) -> None:
    await set_up(hq, provider)
    provider.faults += [Fault("hang")]

    tested = (await hq.call("mind.test", name="anthropic", seconds=1)).error

    assert "did not answer within 1 s" in tested["message"] and "--seconds" in tested["hint"]


def test_what_a_provider_says_is_not_ended_twice() -> None:
    config = MindConfig("anthropic", "anthropic")
    error = translated(ModelConnectionError("claude", "Connection error."), config, "claude", None, datetime.now(UTC))

    assert isinstance(error, MindDown) and error.message.endswith("does not answer: Connection error")


async def test_a_key_in_the_vault_is_enough(hq: Hq, minds: Minds) -> None:
    await hq.do("vault.set", name="openai_api_key", value=KEY)

    told = await hq.do("mind.list")

    assert [tier["answers"] for tier in told["tiers"]] == ["openai:gpt-5.4", "openai:gpt-5.5", "openai:gpt-5.4-mini"]


async def test_a_key_in_the_environment_is_enough(hq: Hq) -> None:
    hq.door.services[Minds] = Minds(hq.door.pool, hq.door.services[Vault], hq.clock, {"ANTHROPIC_API_KEY": KEY})

    told = await hq.do("mind.list")

    assert told["tiers"][1]["answers"] == "anthropic:claude-opus-5-5"
    assert told["minds"][0]["key"] == "anthropic_api_key (environment)"
    assert KEY not in json.dumps(told)


async def test_the_key_of_the_vault_reaches_the_provider_and_nothing_else(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with capture_logs() as logs:
        await set_up(hq, provider)
        provider.fail(500, times=1)
        await (await minds.mind(tenant)).answer(TIME)
        provider.fail(401)
        await (await minds.mind(tenant)).answer(TIME)

    assert all(any(KEY in value for value in seen["headers"].values()) for seen in provider.seen)
    assert KEY not in caplog.text + json.dumps(logs, default=str)
    with psycopg.connect(hq.address.url) as conn:
        for table in ("ops.agent_actions", "ops.outbox", "ops.minds", "ops.mind_doors"):
            assert not conn.execute(f"select 1 from {table} t where t::text like %s", [f"%{KEY}%"]).fetchall()


async def test_each_tier_gets_its_model(hq: Hq, minds: Minds, tenant: UUID, provider: Provider) -> None:
    await set_up(hq, provider)
    await hq.do(
        "mind.set",
        name="thinker",
        provider="anthropic",
        model="claude-opus-5",
        base_url=provider.url,
        tier=["heavy"],
        rank=1,
    )

    told = {tier["tier"]: tier["answers"] for tier in (await hq.do("mind.list"))["tiers"]}

    assert told == {
        "default": "anthropic:claude-sonnet-5-5",
        "heavy": "anthropic:claude-opus-5-5",
        "light": "anthropic:claude-haiku-5-5",
    }
    await hq.do("mind.set", name="anthropic", rank=5)
    assert (await hq.do("mind.list"))["tiers"][1]["answers"] == "anthropic:claude-opus-5"
    heavy = MindRequest(TIME.messages, tier="heavy")
    assert (await (await minds.mind(tenant, "heavy")).answer(heavy)).model == "anthropic:claude-opus-5"


async def test_the_next_mind_answers_when_the_first_cannot(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await set_up(hq, provider)
    await hq.do("mind.set", name="spare", provider="compatible", model="local", base_url=provider.url + "/v1")
    provider.fail(500, times=3)

    reply = await (await minds.mind(tenant)).answer(TIME)

    assert reply.model == "compatible:local"
    assert reply.cost_usd is None
    assert "does not answer" in reply.passed_over[0]


async def test_without_another_mind_it_is_told_when_it_is_tried_again(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await set_up(hq, provider)
    provider.fail(500, times=3)

    for _ in range(2):  # the second time nobody knocks, and it is no quota either
        with pytest.raises(MindAway) as told:
            await (await minds.mind(tenant)).answer(TIME)
        assert told.value.until == hq.clock.now() + timedelta(seconds=5)
    assert len(provider.seen) == 3


async def test_a_closed_door_is_not_knocked_at_until_it_opens(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await set_up(hq, provider)
    provider.fail(429, retry_after="60")
    mind = await minds.mind(tenant)
    for _ in range(3):
        with pytest.raises(MindBusy) as told:
            await mind.answer(TIME)
        assert told.value.until == hq.clock.now() + timedelta(seconds=60)
    assert len(provider.seen) == 1
    assert "closed until" in (await hq.do("mind.list"))["minds"][0]["state"]

    hq.clock.advance(seconds=61)

    assert (await mind.answer(TIME)).response.text
    assert (await hq.do("mind.list"))["minds"][0]["state"] == "ready"


async def test_until_when_is_told_as_it_is_now_and_not_as_it_was_at_first(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await set_up(hq, provider)
    mind = await minds.mind(tenant)
    heard = []
    for _ in range(2):
        provider.fail(429)
        with pytest.raises(MindBusy) as told:
            await mind.answer(TIME)
        heard.append(told.value)
        with pytest.raises(MindBusy) as again:
            await mind.answer(TIME)
        assert again.value.message == told.value.message
        assert f"tried again at {told.value.until:%Y-%m-%d %H:%M:%S} UTC" in told.value.message
        hq.clock.set(told.value.until)

    assert heard[0].what == heard[1].what and heard[0].message != heard[1].message


@pytest.mark.parametrize("after", [None, 5.0, 30.0])
def test_a_server_that_fails_is_an_outage_whatever_the_error_is_called(after: float | None, clock: FakeClock) -> None:
    body = {"error": {"type": "rate_limit_error", "message": "no more"}}
    error = said.ModelHTTPError.for_category(said.ModelRateLimitError, status_code=500, model_name="m", body=body)
    error.retry_after = after

    told = translated(error, MindConfig("anthropic", "anthropic", "m"), "m", None, clock.now())

    assert isinstance(told, MindAway if after == 30 else MindDown) and "quota" not in str(told)


async def test_a_door_that_does_not_say_how_long_is_left_alone_longer_each_time(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await set_up(hq, provider)
    mind = await minds.mind(tenant)
    waits = []
    for _ in range(8):
        provider.fail(429)
        with pytest.raises(MindBusy) as told:
            await mind.answer(TIME)
        waits.append((told.value.until - hq.clock.now()).total_seconds())
        hq.clock.set(told.value.until)

    assert waits == [20, 40, 80, 160, 320, 640, 900, 900]


OTHER = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from uuid import UUID
from datetime import datetime
from pydantic_ai import exceptions as said
from pydantic_ai.exceptions import ModelConnectionError
from pydantic_ai.messages import ModelRequest
from hq.app import open_door
from hq.clock import FakeClock
from hq.database.address import Address
from hq.minds.mind import MindBusy, MindRequest
from hq.minds.service import Minds

async def main(url, home, tenant, now):
    clock = FakeClock(datetime.fromisoformat(now))
    async with open_door(Address(url), vault_file=Path(home) / "vault.key", clock=clock) as door:
        mind = await door.services[Minds].mind(UUID(tenant))
        try:
            await mind.answer(MindRequest([ModelRequest.user_text_prompt("hello")]))
        except MindBusy as busy:
            print(busy.until.isoformat())

asyncio.run(main(*sys.argv[1:]))
"""


async def test_who_is_turned_away_in_one_process_waits_in_every_other(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider, tmp_path: Path
) -> None:
    await set_up(hq, provider)
    provider.fail(429, retry_after="600")

    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", OTHER, hq.address.url, tmp_path, str(tenant), hq.clock.now().isoformat()],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip

    with pytest.raises(MindBusy) as told:
        await (await minds.mind(tenant)).answer(TIME)
    assert told.value.until.isoformat() == done.stdout.split()[-1]
    assert len(provider.seen) == 1


async def test_another_company_has_its_own_minds_and_doors(
    hq: Hq, minds: Minds, tenant: UUID, provider: Provider
) -> None:
    await set_up(hq, provider)
    provider.fail(429, retry_after="600")
    with pytest.raises(MindBusy):
        await (await minds.mind(tenant)).answer(TIME)
    other = await hq.tenant()

    told = await hq.do("mind.list", _token=other)

    assert told["minds"] == []
    assert told["tiers"][0]["answers"] == "script"


async def test_mind_test_really_asks_and_measures(hq: Hq, minds: Minds, provider: Provider) -> None:
    scripted = (await hq.do("mind.test"))["items"][0]
    assert (scripted["said"], scripted["cost"]) == ("ready", "free")

    await set_up(hq, provider)
    told = (await hq.do("mind.test", name="anthropic", tier="heavy"))["items"][0]

    assert told["said"] == "ready"
    assert told["model"] == "anthropic:claude-opus-5-5"
    assert told["tokens_in"] > 0
    assert told["cost"].startswith("$0.0")
    assert told["latency_ms"] > 0


async def test_mind_test_says_unpriced_and_what_is_wrong(hq: Hq, minds: Minds, provider: Provider) -> None:
    await hq.do("mind.set", name="local", provider="compatible", model="mine", base_url=provider.url + "/v1")
    assert (await hq.do("mind.test"))["items"][0]["cost"] == "unpriced"

    provider.fail(401)
    outcome = await hq.call("mind.test", name="local")

    assert outcome.error["code"] == "conflict"
    assert "refused the key" in outcome.error["message"]


async def test_setting_a_mind_can_be_taken_back(hq: Hq, minds: Minds, provider: Provider) -> None:
    made = await hq.call("mind.set", name="local", provider="ollama", model="qwen3")
    changed = await hq.call("mind.set", name="local", model="llama4", seconds=30)

    await hq.do("action.undo", id=str(changed.action_id))
    assert (await hq.do("mind.list"))["minds"][0]["model"] == "qwen3"
    await hq.do("action.undo", id=str(made.action_id))
    assert (await hq.do("mind.list"))["minds"] == []


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({"name": "mine"}, "'mine' is no provider; there are anthropic,"),
        ({"name": "compatible", "model": "x"}, "say --base-url"),
        ({"name": "ollama"}, "say --model"),
        ({"name": "x", "provider": "compatible", "model": "m", "base_url": "ftp://host"}, "is not an address"),
        ({"name": "x", "provider": "compatible", "model": "m", "base_url": "http://me:pw@host"}, "no credentials"),
    ],
)
async def test_a_mind_that_cannot_work_is_not_set(hq: Hq, minds: Minds, args: dict[str, Any], says: str) -> None:
    outcome = await hq.call("mind.set", **args)

    assert outcome.error["code"] == "invalid"
    assert says in outcome.error["message"]


async def test_only_the_founder_sets_and_tests_minds(hq: Hq, minds: Minds) -> None:
    token = await hq.agent("chief", scopes=["read", "write", "effect"])

    for verb, args in (("mind.set", {"name": "anthropic"}), ("mind.test", {}), ("mind.remove", {"name": "x"})):
        assert (await hq.call(verb, _token=token, **args)).error["code"] == "forbidden"
    assert (await hq.call("mind.list", _token=token)).ok


def test_plain_verbs_load_nothing_of_a_model() -> None:
    program = "import sys, hq.app; hq.app.registry(); print(*[m for m in sys.modules if m.split('.')[0] in "
    program += "('pydantic_ai', 'anthropic', 'openai', 'google', 'httpx2', 'genai_prices', 'jinja2')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.strip() == ""
