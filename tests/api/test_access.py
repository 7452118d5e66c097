"""Who gets in: bearer tokens, the browser's cookie, foreign pages, foreign names."""

from __future__ import annotations

import pytest

from hq.api.credentials import COOKIE
from hq.api.guard import Hosts
from hq.api.problems import HttpError
from hq.settings import Settings

HEADERS = {
    "content-security-policy", "x-content-type-options", "x-frame-options", "referrer-policy",
    "cross-origin-opener-policy", "cross-origin-resource-policy", "cache-control",
}  # fmt: skip


async def log_in(web, hq) -> str:
    """The cookie of a browser that followed a login link."""
    link = await hq.do("auth.login")
    return (await web.get(link["path"])).cookie


async def test_a_request_without_a_credential_is_told_how_to_get_one(web):
    answer = await web.send("POST", "/api/task/list", {})

    assert answer.status == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert "hq auth token" in answer.json["error"]["hint"]


@pytest.mark.parametrize("header", ["Bearer nonsense", "Bearer ", "Basic Zm9vOmJhcg==", "Bearer ☃"])
async def test_a_wrong_credential_is_refused(web, header):
    answer = await web.send("POST", "/api/auth/whoami", {"authorization": header})

    assert answer.status == 401


async def test_an_agent_cannot_reach_a_founders_verb(web, hq):
    agent = await hq.agent("chief")

    for verb, args in [("auth.token", {"device": "x"}), ("vault.list", {}), ("freeze.lift", {"scope": "all"})]:
        answer = await web.call(verb, args, token=agent)
        assert answer.status in (403, 422), verb


async def test_the_scheme_of_a_bearer_token_is_read_in_any_case(web):
    answer = await web.send("POST", "/api/auth/whoami", {"authorization": f"bEARER  {web.token}"})

    assert answer.status == 200


async def test_a_login_link_becomes_a_session_once(web, hq):
    link = await hq.do("auth.login")

    first = await web.get(link["path"])
    second = await web.get(link["path"])

    assert (first.status, first.headers["location"]) == (303, "/")
    parts = first.headers["set-cookie"].lower()
    assert parts.startswith(f"{COOKIE}=hq_session_") and "httponly" in parts and "samesite=lax" in parts
    assert second.status == 401 and "hq auth login" in second.text


@pytest.mark.parametrize("path", ["/login", "/login?code=", "/login?code=hq_login_nonsense"])
async def test_a_bad_link_says_what_to_do(web, path):
    answer = await web.get(path)

    assert answer.status == 401
    assert answer.headers["content-type"].startswith("text/html")
    assert "<code>hq auth login</code>" in answer.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "cross-site", "origin": "http://127.0.0.1:8300"}, 403),
        ({"origin": "http://127.0.0.1:8300"}, 200),
        ({"origin": "http://127.0.0.1:8301"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({}, 403),
    ],
)
async def test_a_cookie_works_only_from_our_own_pages(web, hq, headers, status):
    cookie = await log_in(web, hq)

    answer = await web.send("POST", "/api/auth/whoami", {"cookie": cookie, **headers})

    assert answer.status == status


async def test_logging_out_ends_that_session_and_no_other(web, hq):
    mine, other = await log_in(web, hq), await log_in(web, hq)

    left = await web.send("POST", "/logout", {"cookie": mine, "sec-fetch-site": "same-origin"})

    assert left.status == 303 and "max-age=0" in left.headers["set-cookie"].lower()
    assert (await web.send("POST", "/api/auth/whoami", {"cookie": mine, "sec-fetch-site": "same-origin"})).status == 401
    assert (
        await web.send("POST", "/api/auth/whoami", {"cookie": other, "sec-fetch-site": "same-origin"})
    ).status == 200


async def test_a_foreign_page_cannot_log_anybody_out(web, hq):
    cookie = await log_in(web, hq)

    answer = await web.send("POST", "/logout", {"cookie": cookie, "origin": "https://evil.example"})

    assert answer.status == 403
    assert (await web.send("POST", "/api/auth/whoami", {"cookie": cookie, "sec-fetch-site": "none"})).status == 200


async def test_the_first_page_says_how_to_log_in(web):
    answer = await web.get("/")

    assert answer.status == 200
    assert "<code>hq auth login</code>" in answer.text
    assert "Acme HQ" not in answer.text


async def test_the_first_page_shows_the_company_to_who_is_logged_in(web, hq):
    cookie = await log_in(web, hq)
    await hq.do("tenant.set", name="Fish & <Chips>")

    answer = await web.get("/house", cookie=cookie)

    assert "Fish &amp; &lt;Chips&gt;" in answer.text and "<Chips>" not in answer.text
    assert "database" in answer.text and "tasks" in answer.text


async def test_pages_run_no_scripts_and_only_our_styles(web):
    answer = await web.get("/")

    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src" not in policy and "unsafe" not in policy
    assert "<script" not in answer.text and "<style" not in answer.text and "//" not in answer.text
    style = answer.text.partition('<link rel="stylesheet" href="')[2].partition('"')[0]
    assert (await web.get(style)).headers["content-type"].startswith("text/css")


@pytest.mark.parametrize("path", ["/health", "/nowhere", "/api/task/list", "/", "/openapi.json", "/metrics", "/login"])
async def test_every_answer_carries_the_security_headers(web, path):
    answer = await web.get(path)

    assert set(answer.headers) >= HEADERS
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8300", 200),
        ("localhost", 200),
        ("LOCALHOST:1", 200),
        ("[::1]:8300", 200),
        ("hq.example", 200),
        ("other.example:443", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example:8300", 421),
        ("192.168.1.5:8300", 421),
        ("", 421),
    ],
)
async def test_only_our_own_names_are_answered(web, host, status):
    answer = await web.send("GET", "/health", {"host": host})

    assert answer.status == status


@pytest.mark.parametrize(
    ("host", "answered"),
    [("192.168.1.5:8300", True), ("[fe80::1]:8300", True), ("evil.example", False), ("1.2.3.4.evil", False)],
)
def test_served_to_all_any_address_will_do_but_no_foreign_name(host, answered):
    hosts = Hosts(Settings.load({"HQ_HOST": "0.0.0.0"}))

    if answered:
        hosts.check(host)
    else:
        with pytest.raises(HttpError):
            hosts.check(host)
