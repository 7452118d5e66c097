"""OAuth for `/mcp`: what is given out, to whom, and what attackers try."""

from __future__ import annotations

import re

import pytest

from hq.door.verbs.credentials import EVERYDAY
from tests.api.conftest import OURS
from tests.api.oauth_client import BACK, FORM, Program, said
from tests.api.test_access import log_in

INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    b'"clientInfo":{"name":"t","version":"1"}}}'
)


@pytest.fixture
async def program(web, hq) -> Program:
    made = Program(web, (await log_in(web, hq)).partition("=")[2])
    await made.register()
    return made


async def who(hq, program, token: str, host: str = OURS) -> int:
    """What `/mcp` says to this token."""
    headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream", "host": host}
    sent = headers | {"content-type": "application/json"}
    return (await program.web.send("POST", "/mcp", sent, INITIALIZE)).status


async def test_whoever_comes_without_a_token_is_told_where_to_get_one(web):
    answer = await web.send("POST", "/mcp", {}, INITIALIZE)
    where = re.search(r'resource_metadata="http://127.0.0.1:8300([^"]+)"', answer.headers["www-authenticate"])

    assert answer.status == 401 and where
    about = (await web.get(where[1])).json
    server = (await web.get("/.well-known/oauth-authorization-server")).json
    assert about == (await web.get("/.well-known/oauth-protected-resource")).json
    assert about["resource"] == f"http://{OURS}/mcp" and about["authorization_servers"] == [server["issuer"]]
    assert server["code_challenge_methods_supported"] == ["S256"]


async def test_the_page_says_who_asks_for_what_and_where_it_goes_back_to(program):
    page = await program.page()

    assert page.status == 200 and "Desk" in page.text and BACK in page.text
    assert 'value="write"' in page.text and 'value="effect"' not in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "form-action 'self' http://127.0.0.1:4567;" in policy
    assert "script-src" not in policy and "frame-ancestors 'none'" in policy


async def test_a_name_with_markup_is_only_text(web, program):
    await program.register(client_name="<script>alert(1)</script>")

    assert "<script>" not in (await program.page()).text


async def test_a_code_becomes_a_token_of_a_service_with_what_was_allowed(hq, program):
    given = (await program.token(code=await program.code())).json

    assert (given["token_type"], given["expires_in"], given["scope"]) == ("Bearer", 3600, "read write")
    assert await who(hq, program, given["access_token"]) == 200
    listed = [each for each in (await hq.do("auth.list"))["items"] if each["actor"].startswith("service:desk-")]
    assert {each["name"].split()[0]: each["scopes"] for each in listed} == {
        "renewal": sorted(["read", "write", *EVERYDAY]),
        "access": sorted(["read", "write", *EVERYDAY]),
    }


async def test_the_founder_ends_it_like_any_other_credential(hq, program):
    given = (await program.token(code=await program.code())).json
    actor = next(e["actor"] for e in (await hq.do("auth.list"))["items"] if e["actor"].startswith("service:desk-"))

    await hq.do("auth.revoke", id=actor)

    assert await who(hq, program, given["access_token"]) == 401
    assert (await program.renewed(given["refresh_token"])).json["error"] == "invalid_grant"


async def test_a_token_lives_an_hour_and_is_renewed_with_a_secret_that_changes(hq, program, clock):
    first = (await program.token(code=await program.code())).json
    clock.advance(hours=2)
    assert await who(hq, program, first["access_token"]) == 401

    second = (await program.renewed(first["refresh_token"])).json

    assert await who(hq, program, second["access_token"]) == 200
    assert second["refresh_token"] != first["refresh_token"]


async def test_a_client_gives_its_permission_back(hq, program):
    given = (await program.token(code=await program.code())).json
    other = Program(program.web)
    await other.register()

    for each, status in ((other, 200), (program, 401)):
        body = f"client_id={each.id}&token={given['access_token']}".encode()
        assert (await program.web.send("POST", "/revoke", FORM, body)).status == 200
        assert await who(hq, program, given["access_token"]) == status
    assert (await program.renewed(given["refresh_token"])).json["error"] == "invalid_grant"


# What attackers try.


@pytest.mark.parametrize(
    "back",
    ["https://evil.example/cb", "http://127.0.0.1:4567/other", "http://127.0.0.1:4567/callback?x=1",
     "http://127.0.0.1.evil.example/callback", "http://localhost:4567/callback", "https://127.0.0.1:4567/callback",
     "http://u@127.0.0.1:4567/callback"],
)  # fmt: skip
async def test_nobody_is_sent_to_an_address_that_was_not_registered(program, back):
    answer = await program.authorize(redirect_uri=back)

    assert answer.status == 400 and "location" not in answer.headers


async def test_on_this_machine_the_port_may_be_another(program):
    code = said(await program.consent(await program.page(redirect_uri="http://127.0.0.1:9/callback")))["code"]

    assert (await program.token(code=code)).json["error"] == "invalid_request"  # not the one it was given for
    assert "access_token" in (await program.token(code=code, redirect_uri="http://127.0.0.1:9/callback")).json


@pytest.mark.parametrize(
    "back", ["http://evil.example/cb", "javascript:alert(1)", "data:text/html,x", "https://a.example/#f",
             "https://u:p@a.example/", "https://a.example;script-src/", "mailto:a@b.example", "chrome://x/y", "ms-msdt:/id",
             "intent://x/y", "tel:1"],
)  # fmt: skip
async def test_such_an_address_is_not_registered(web, back):
    answer = await Program(web).register(back)

    assert answer.status == 400 and answer.json["error"] in ("invalid_redirect_uri", "invalid_client_metadata")


async def test_an_app_s_own_scheme_is_registered_where_it_has_a_dot(web):
    assert (await Program(web).register("com.example.app:/back")).status == 201


async def test_a_form_of_consent_is_good_once(program):
    page = await program.page()

    first, second = await program.consent(page), await program.consent(page)

    assert said(first)["code"]
    assert second.status == 403 and "location" not in second.headers


async def test_a_host_with_a_user_in_it_is_nobody_s_name(web):
    answer = await web.get("/.well-known/oauth-authorization-server", host=f"{OURS}@evil.example")

    assert answer.status == 421


async def test_a_code_that_comes_twice_ends_what_it_gave(hq, program):
    code = await program.code()
    given = (await program.token(code=code)).json

    assert (await program.token(code=code)).json["error"] == "invalid_grant"
    assert await who(hq, program, given["access_token"]) == 401
    assert (await program.renewed(given["refresh_token"])).json["error"] == "invalid_grant"


async def test_a_secret_that_comes_twice_ends_all_that_followed(hq, program):
    first = (await program.token(code=await program.code())).json
    second = (await program.renewed(first["refresh_token"])).json

    assert (await program.renewed(first["refresh_token"])).json["error"] == "invalid_grant"
    assert await who(hq, program, second["access_token"]) == 401
    assert (await program.renewed(second["refresh_token"])).json["error"] == "invalid_grant"


async def test_a_code_is_good_for_a_minute(program, clock):
    code = await program.code()
    clock.advance(minutes=2)

    assert (await program.token(code=code)).json["error"] == "invalid_grant"


async def test_a_challenge_is_wanted_and_only_the_good_one(program):
    for wrong in ({"code_challenge": None}, {"code_challenge_method": "plain"}, {"code_challenge": "short"}):
        assert said(await program.authorize(**wrong))["error"] == "invalid_request"
    code = await program.code()

    assert (await program.token(code=code, code_verifier="w" * 50)).json["error"] == "invalid_grant"


async def test_another_clients_code_and_secret_are_nothing(program):
    other = Program(program.web)
    await other.register(client_name="Other")

    assert (await other.token(code=await program.code())).json["error"] == "invalid_grant"
    given = (await program.token(code=await program.code())).json
    assert (await other.renewed(given["refresh_token"])).json["error"] == "invalid_grant"


async def test_only_our_own_page_gives_the_founders_word(hq, program):
    page = await program.page()

    foreign = await program.consent(page, **{"sec-fetch-site": "cross-site"})
    assert foreign.status == 403 and "location" not in foreign.headers
    # A page that was shown to another login is not answered with this one.
    program.session = (await log_in(program.web, hq)).partition("=")[2]
    assert (await program.consent(page)).status == 403
    assert not [e for e in (await hq.do("auth.list"))["items"] if e["actor"].startswith("service:desk")]


async def test_who_is_not_the_founder_gives_no_word(hq, program):
    program.session = await hq.agent()

    page = await program.page()

    assert (await program.consent(page)).status == 403


async def test_without_a_login_there_is_nothing_to_say_yes_to(program):
    program.session = ""

    page = await program.page()

    assert page.status == 401 and "hq auth login" in page.text and "<form" not in page.text


async def test_no_is_told_to_the_client(program):
    back = await program.consent(await program.page(), "deny")

    assert (said(back)["error"], said(back)["state"], said(back)["iss"]) == ("access_denied", "s1", f"http://{OURS}")


async def test_registrations_leave_nothing_here(hq, web, program):
    async def rows() -> int:
        return len((await hq.do("auth.list", all=True))["items"])

    before = await rows()
    for n in range(50):
        assert (await Program(web).register(client_name=f"n{n}")).status == 201

    assert await rows() == before
    assert (await Program(web).register("https://a.example/" + "x" * 40_000)).status in (400, 413)


async def test_nobody_is_given_more_than_was_allowed(hq, program):
    assert (await program.register(scope="read founder")).status == 400
    await program.register(scope="read")
    assert said(await program.authorize(scope="read write"))["error"] == "invalid_scope"
    # The form may say more than was asked for; the request that is sealed in it counts.
    given = (await program.token(code=await program.code(scope="read"))).json
    assert given["scope"] == "read"

    assert (await program.renewed(given["refresh_token"], scope="read write")).json["error"] == "invalid_scope"


async def test_the_founders_verbs_stay_out_of_reach(hq, program, web):
    given = (await program.token(code=await program.code())).json
    actor = next(e["actor"] for e in (await hq.do("auth.list"))["items"] if e["actor"].startswith("service:desk-"))
    for verb, args in (("approval.approve", {"ref": "x"}), ("vault.list", {}), ("auth.token", {"device": "x"})):
        outcome = await web.call(verb, args, x_hq_actor=actor)
        assert outcome.status == 403, verb
    assert given["scope"] == "read write"


async def test_a_token_is_for_the_address_it_was_given_for(hq, program):
    token = (await program.token(code=await program.code())).json["access_token"]

    assert await who(hq, program, token, "localhost:8300") == 401
    assert (await program.web.call("task.list", {}, token=token)).status == 401
    assert said(await program.authorize(resource="https://other.example/mcp"))["error"] == "invalid_target"
    refused = await program.token(code=await program.code(), resource="https://other.example/mcp")
    assert refused.status == 400 and refused.json["error"] == "invalid_target"


async def test_a_registration_that_is_too_large_is_told_how_large_it_may_be(web):
    answer = await Program(web).register(client_name="x" * 40_000)

    assert "32 KiB" in answer.text


async def test_a_token_opens_the_company_of_who_agreed(hq, program):
    await hq.do("task.create", title="Call Ana")
    other = await hq.tenant()
    link = await program.web.call("auth.login", {}, token=other)
    program.session = (await program.web.get(link.json["data"]["path"])).cookie.partition("=")[2]
    token = (await program.token(code=await program.code())).json["access_token"]

    assert await who(hq, program, token) == 200
    assert not [e for e in (await hq.do("auth.list"))["items"] if e["actor"].startswith("service:desk")]


async def test_over_the_network_tokens_travel_by_tls_alone(web):
    from starlette.requests import Request

    from hq.api.oauth.address import challenge, origin_of

    scope = web.scope("GET", "/mcp", {"host": "hq.example.com"})
    assert origin_of(Request(scope)) is None and "resource_metadata" not in challenge(Request(scope), sent=False)
    assert origin_of(Request(scope | {"scheme": "https"})) == "https://hq.example.com"
