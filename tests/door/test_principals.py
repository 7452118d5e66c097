"""Who may do what: identity is a credential, and an agent never holds the founder's verbs."""

from __future__ import annotations

import pytest

from hq.app import registry

FOUNDERS = sorted(v.name for v in registry() if v.scope in ("founder", "install"))


@pytest.mark.parametrize("kind", ["agent", "worker", "service"])
async def test_no_machine_reaches_a_founders_verb(hq, kind):
    token = (await hq.do("auth.token", **{kind: "m"}, scopes=["read", "write", "effect"]))["token"]

    codes = {name: (await hq.call(name, **_any(name), _token=token)).error["code"] for name in FOUNDERS}

    assert set(codes.values()) == {"forbidden"}, codes


def _any(name: str) -> dict:
    fields = registry().get(name).args.model_fields
    fill = {"verb": "task.create", "value": "v", "name": "n", "kind": "mcp", "scopes": ["read"], "tools": []}
    return {n: fill.get(n, "x") for n, f in fields.items() if f.is_required()}


async def test_an_agent_cannot_be_given_the_founders_scope(hq):
    outcome = await hq.call("auth.token", agent="chief", scopes=["read", "founder"])

    assert outcome.error["code"] == "forbidden"


async def test_a_credential_holds_only_its_scopes(hq):
    reader = await hq.agent("reader", scopes=["read", "write:memo"])

    assert (await hq.call("task.list", _token=reader)).ok
    assert (await hq.call("memo.create", title="x", content_md="x", _token=reader)).ok
    assert (await hq.call("task.create", title="x", _token=reader)).error["code"] == "forbidden"


async def test_an_expired_credential_is_no_credential(hq, clock):
    token = (await hq.do("auth.token", device="phone", days=1))["token"]

    clock.advance(days=2)

    assert (await hq.call("task.list", _token=token)).error["code"] == "unauthenticated"


async def test_revoking_takes_effect_at_once_for_all_credentials_of_an_actor(hq):
    tokens = [await hq.agent("chief"), await hq.agent("chief")]

    await hq.do("auth.revoke", id="agent:chief")

    assert [(await hq.call("task.list", _token=t)).error["code"] for t in tokens] == ["unauthenticated"] * 2


async def test_a_login_code_is_good_once_and_only_for_a_session(hq):
    code = (await hq.do("auth.login"))["code"]

    assert (await hq.call("task.list", _token=code)).error["code"] == "forbidden"
    session = await hq.call("auth.exchange", _token=code)
    assert (await hq.call("task.list", _token=session.data["token"])).ok
    assert (await hq.call("auth.exchange", _token=code)).error["code"] == "unauthenticated"


async def test_actor_can_only_narrow(hq):
    agent = await hq.agent("chief")
    await hq.agent("operator")

    assert (await hq.call("auth.whoami", _actor="agent:chief")).data["kind"] == "agent"
    assert (await hq.call("vault.list", _actor="agent:chief")).error["code"] == "forbidden"
    assert (await hq.call("auth.whoami", _actor="user:founder", _token=agent)).error["code"] == "forbidden"
    assert (await hq.call("auth.whoami", _actor="agent:operator", _token=agent)).error["code"] == "forbidden"
    assert (await hq.call("auth.whoami", _actor="agent:chief/scout", _token=agent)).data["actor"] == "agent:chief/scout"


async def test_no_token_is_ever_listed(hq):
    issued = await hq.do("auth.token", device="phone")

    listed = str(await hq.do("auth.list", all=True))

    assert "device:phone" in listed and issued["token"] not in listed


async def test_the_vault_keeps_secrets_and_gives_none_away(hq):
    await hq.do("vault.set", name="mail/password", value="hunter2")
    await hq.do("vault.rotate")
    listed = await hq.do("vault.list")

    assert "hunter2" not in str(listed) and listed["items"][0]["version"] == 2
    assert not [name for name in registry().verbs if name.startswith("vault.") and "get" in name]


async def test_nobody_hands_out_more_than_they_hold(hq):
    assert (await hq.call("auth.token", device="x", scopes=["install"])).error["code"] == "forbidden"


async def test_a_crash_while_the_vault_is_rotated_loses_no_secret(hq, tmp_path):
    await hq.do("vault.set", name="a", value="1")
    (tmp_path / "vault.new").write_text("rubbish")
    await hq.do("vault.rotate")

    keys = (tmp_path / "vault.key").read_text().split()

    assert len(keys) == 2 and all(len(key) == 64 for key in keys)
