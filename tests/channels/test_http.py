"""Requests by agents: nowhere private, with no credential astray, and no answer can drown us."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import tracemalloc
import zlib
from collections.abc import Callable

import pytest

from hq.channels.egress.client import EgressClient
from hq.channels.egress.decompression import Decoder

from .outside import outside, page, sent_on


@pytest.fixture
async def site(hq, out):
    """The same server as a site of the founder's, with a credential."""
    await hq.do("vault.set", name="forge/token", value="s3cr3t-token")
    await hq.do("http.allow", name="forge", url=out.url, bearer="forge/token", allow_private=True)
    return out


def most_memory(work: Callable[[], object]) -> int:
    """How many bytes it held at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


PRIVATE = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://2130706433/",
    "http://0.0.0.0/",
    "http://localhost/",
    "http://10.0.0.5/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fec0::1]/",
    "http://[fc00::1]/",
    "http://[ff02::1]/",
    "http://①②⑦.⓪.⓪.①/",
]


@pytest.mark.parametrize("url", PRIVATE)
@pytest.mark.parametrize("verb", ["http.request", "web.fetch"])
async def test_no_spelling_of_a_private_address_is_asked(hq, url, verb):
    refused = await hq.call(verb, url=url)

    assert refused.error["code"] == "forbidden", refused.error
    assert "private" in refused.error["message"]


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "gopher://x/", "ftp://x/", "https://", "//x", "http://a b/", "http://x:0/", "http://x:99999/",
     "https://user:pw@example.com/", "https://example.com\\@127.0.0.1/", "javascript:1"],
)  # fmt: skip
async def test_what_is_no_web_address_is_refused(hq, url):
    assert (await hq.call("http.request", url=url)).error["code"] == "invalid"


@pytest.mark.parametrize("port", [22, 25, 5432, 6379, 8300])
async def test_other_ports_than_the_webs_are_not_asked(hq, port):
    refused = await hq.call("http.request", url=f"https://example.com:{port}/")

    assert refused.error["code"] == "forbidden" and "port" in refused.error["message"]


def _names(monkeypatch, *answers: list[str]) -> list[str]:
    """The resolver says these addresses, the next ones each time it is asked."""
    asked, left = [], list(answers)

    async def getaddrinfo(host, port, **_):
        asked.append(host)
        now = left.pop(0) if len(left) > 1 else left[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in now]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
    return asked


async def test_a_name_with_one_private_address_among_public_ones_is_not_asked(hq, monkeypatch):
    _names(monkeypatch, ["93.184.216.34", "10.0.0.5"])

    assert (await hq.call("http.request", url="http://mixed.example/")).error["code"] == "forbidden"


async def test_a_name_that_changes_after_it_was_judged_changes_nothing(hq, monkeypatch):
    """Rebinding: the second answer would be this machine. There is no second question."""
    asked = _names(monkeypatch, ["93.184.216.34"], ["127.0.0.1"])
    dialled = []

    async def send(self, request, **_):
        dialled.append((str(request.url), request.headers["host"], request.extensions["sni_hostname"]))
        raise OSError("no way out of here")

    monkeypatch.setattr("httpx2.AsyncClient.send", send)
    await hq.call("http.request", url="https://rebinding.example/x?y=1")

    assert asked == ["rebinding.example"]
    assert dialled == [("https://93.184.216.34/x?y=1", "rebinding.example", "rebinding.example")]


@pytest.mark.parametrize(
    "where",
    ["http://169.254.169.254/latest/", "http://127.0.0.1:8300/api/auth/token", "http://[::1]/", "file:///etc/passwd"],
)
async def test_a_redirect_is_judged_like_any_address_even_from_a_site_that_is_at_home(hq, site, where):
    site.pages["/go"] = sent_on(where)

    refused = await hq.call("http.request", url=f"{site.url}/go", site="forge")

    assert refused.error["code"] in ("forbidden", "invalid")


async def test_a_redirect_that_goes_round_ends(hq, site):
    site.pages["/round"] = sent_on("/round")

    refused = await hq.call("http.request", url=f"{site.url}/round", site="forge")

    assert refused.error["code"] == "outage" and "on and on" in refused.error["message"]


async def test_a_credential_goes_to_its_site_and_is_blotted_out_of_what_comes_back(hq, site):
    site.pages["/echo"] = page('{"you sent": "Bearer s3cr3t-token"}', "application/json", X_Seen="s3cr3t-token")

    asked = await hq.do("http.request", url=f"{site.url}/echo", site="forge")

    assert "Bearer s3cr3t-token" in site.heard[0]
    assert asked["text"] == '{"you sent": "Bearer [secret]"}' and asked["headers"]["x-seen"] == "[secret]"
    assert asked["taint"] == ["web:127.0.0.1"]
    assert "s3cr3t" not in json.dumps(await hq.do("artifact.read", id=asked["artifact"]))


async def test_a_credential_does_not_follow_a_redirect_to_another_server(hq, site):
    async with outside() as other:
        other.pages["/there"] = page("hello")
        site.pages["/go"] = sent_on(f"{other.url}/there")
        await hq.do("http.allow", name="other", url=other.url, allow_private=True)

        refused = await hq.call("http.request", url=f"{site.url}/go", site="forge")
        elsewhere = await hq.call("http.request", url=f"{other.url}/there", site="forge")

    assert refused.error["code"] == "forbidden", "what is allowed at the first is not thereby allowed elsewhere"
    assert other.url not in str(refused.error), "where it would go is the server's word"
    assert elsewhere.error["code"] == "forbidden" and "not within forge" in elsewhere.error["message"]
    assert not other.heard


async def test_only_what_lies_within_a_site_is_reached_by_its_name(hq, out):
    await hq.do("http.allow", name="api", url=f"{out.url}/v1", allow_private=True)
    out.pages["/v1/x"] = page("yes")

    assert (await hq.do("http.request", url=f"{out.url}/v1/x", site="api"))["text"] == "yes"
    for path in (
        "/admin",
        "/v10/x",
        "/v1/../admin",
        "/v1/%2e%2e/admin",
        "/v1/..%2fadmin",
        "/v1/%252e%252e/x",
        "/v1/..;/x",
    ):
        assert (await hq.call("http.request", url=out.url + path, site="api")).error["code"] == "forbidden", path
    assert len(out.heard) == 1


async def test_a_credential_does_not_follow_a_redirect_out_of_its_site(hq, out):
    await hq.do("vault.set", name="api/token", value="s3cr3t-token")
    await hq.do("http.allow", name="api", url=f"{out.url}/v1", bearer="api/token", allow_private=True)
    out.pages |= {"/v1/go": sent_on("/v1/x"), "/v1/x": page("yes"), "/v1/out": sent_on("/admin"), "/admin": page("no")}

    assert (await hq.do("http.request", url=f"{out.url}/v1/go", site="api"))["text"] == "yes"
    assert all("s3cr3t-token" in heard for heard in out.heard)
    assert (await hq.call("http.request", url=f"{out.url}/v1/out", site="api")).error["code"] == "forbidden"
    assert not [heard for heard in out.heard if heard.startswith("GET /admin")]


async def test_a_site_that_was_forgotten_can_be_allowed_again_and_is_as_it_is_said_now(hq, site):
    site.pages["/x"] = page("yes")
    taken = await hq.call("http.allow", name="forge", url="https://example.com")
    assert taken.error["code"] == "conflict" and "taken" in taken.error["message"]

    await hq.do("http.forget", ref="forge")
    await hq.do("http.allow", name="forge", url=site.url, allow_private=True)

    assert (await hq.do("http.request", url=f"{site.url}/x", site="forge"))["text"] == "yes"
    assert "authorization" not in site.heard[-1].lower(), "its credential was forgotten too"
    assert [item["slug"] for item in (await hq.do("http.sites"))["items"]] == ["forge"]


@pytest.mark.parametrize("url", ["http://[::1", "https://host:99999/", "{site}/\x01", "{site}/\x7f", "{site}/a b", "x"])
async def test_what_is_no_address_is_refused_for_a_site_too(hq, site, url):
    refused = await hq.call("http.request", url=url.format(site=site.url), site="forge")

    assert refused.error["code"] == "invalid" and "no address" in refused.error["message"]


@pytest.mark.parametrize(
    "where", ["http://[::1", "https://host:99999/", "javascript:Obey me", "http://Obey me/", "http://Obey.me:0/"]
)
async def test_a_redirect_that_leads_nowhere_is_told_in_our_own_words(hq, site, where):
    site.pages["/go"] = sent_on(where)

    refused = await hq.call("http.request", url=f"{site.url}/go", site="forge")

    assert refused.error["code"] in ("outage", "invalid") and "127.0.0.1" in refused.error["message"]
    assert "obey" not in str(refused.error).lower()


@pytest.mark.parametrize("answer", [b"Obey me\r\n\r\n", b"HTTP/1.1 200 OK\r\nObey me\r\n\r\n", b""])
async def test_words_of_a_server_that_speaks_no_http_reach_nobody_unmarked(hq, site, answer):
    site.pages["/rude"] = answer

    refused = await hq.call("http.request", url=f"{site.url}/rude", site="forge")

    assert refused.error["code"] == "outage" and "not HTTP" in refused.error["message"]
    assert "Obey" not in str(refused.error)


@pytest.mark.parametrize(
    "headers",
    [{"X-Why": "é"}, {"X-Why": "a\r\nAuthorization: b"}, {"": "x"}, {"a b": "x"}, {"é": "x"}, {"X-Why": " x"}],
)
async def test_what_no_header_can_be_is_refused_before_anybody_is_asked(hq, site, headers):
    refused = await hq.call("http.request", url=f"{site.url}/", site="forge", headers=headers)

    assert refused.error["code"] == "invalid" and "header" in refused.error["message"] and not site.heard


@pytest.mark.parametrize("value", ["s3cr3t-line\n", "s3cr3t-é"])
async def test_a_secret_that_no_header_can_carry_is_not_shown_in_the_refusal(hq, site, value):
    await hq.do("vault.set", name="forge/token", value=value)

    refused = await hq.call("http.request", url=f"{site.url}/", site="forge")

    assert refused.error["code"] == "conflict" and "Authorization" in refused.error["message"]
    assert "s3cr3t" not in str(refused.error)
    shown = await hq.do("action.show", id=str(refused.action_id))
    assert "s3cr3t" not in str(shown)


@pytest.mark.parametrize("header", ["Authorization", "cookie", "X-API-Key", "Host", "Transfer-Encoding"])
async def test_credentials_and_framing_are_not_set_by_hand(hq, header):
    refused = await hq.call("http.request", url="https://example.com/", headers={header: "x"})

    assert refused.error["code"] == "invalid" and header in refused.error["message"]


async def test_something_is_sent(hq, site):
    site.pages["/things"] = page("made", status=201)

    asked = await hq.do(
        "http.request", url=f"{site.url}/things", site="forge", method="POST", body="é", headers={"X-Why": "test"}
    )

    assert asked["status"] == 201
    assert site.heard[0].startswith("POST /things ") and site.heard[0].endswith("é") and "x-why: test" in site.heard[0]


async def test_what_changes_something_is_not_sent_on_to_another_server(hq, site):
    async with outside() as other:
        site.pages["/go"] = sent_on(f"{other.url}/there", status=307)
        asked = await hq.do("http.request", url=f"{site.url}/go", site="forge", method="POST", body="x")

    assert asked["status"] == 307 and not other.heard


async def test_a_bomb_is_unpacked_only_as_far_as_it_is_kept(hq, site):
    bomb = gzip.compress(bytes(200 * 2**20), 9)
    site.pages["/bomb"] = page(bomb, Content_Encoding="gzip")

    asked = await hq.do("http.request", url=f"{site.url}/bomb", site="forge")

    assert not asked["complete"] and asked["size"] == 8 * 2**20
    assert most_memory(lambda: Decoder("gzip", 2**20).feed(bomb)) < 4 * 2**20, "all of it in one piece"


async def test_what_comes_behind_the_end_of_what_was_compressed_is_not_piled_up(hq, site):
    async def endless(writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"hello"))
        while True:
            writer.write(bytes(2**20))
            await writer.drain()

    site.pages["/endless"] = endless
    asked = await hq.do("http.request", url=f"{site.url}/endless", site="forge", timeout=5)

    assert asked["text"] == "hello"


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, lambda b: zlib.compress(b, wbits=-15)])
async def test_what_is_compressed_is_unpacked(hq, site, pack):
    encoding = "gzip" if pack is gzip.compress else "deflate"
    site.pages["/packed"] = page(pack(b"hello " * 1000), Content_Encoding=encoding)

    assert (await hq.do("http.request", url=f"{site.url}/packed", site="forge"))["size"] == 6000


async def test_an_answer_without_end_ends(hq, site):
    async def endless(writer):
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()

    site.pages["/endless"] = endless
    asked = await hq.do("http.request", url=f"{site.url}/endless", site="forge")

    assert not asked["complete"] and asked["size"] == 8 * 2**20


@pytest.mark.parametrize("first", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"])
async def test_an_answer_that_drips_is_given_up(hq, site, first):
    async def drip(writer):
        writer.write(first)
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    site.pages["/drip"] = drip
    refused = await hq.call("http.request", url=f"{site.url}/drip", site="forge", timeout=0.5)

    assert refused.error["code"] == "outage"


async def test_headers_without_end_are_given_up(hq, site):
    async def endless(writer):
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            writer.write(b"X-More: " + b"x" * 8000 + b"\r\n")
            await writer.drain()

    site.pages["/headers"] = endless

    assert (await hq.call("http.request", url=f"{site.url}/headers", site="forge", timeout=10)).error[
        "code"
    ] == "outage"


async def test_agents_look_and_the_founder_is_told_but_sending_and_tainted_grounds_are_asked_about(hq, site):
    site.pages["/x"] = page("hello")
    await hq.do("agent.create", name="scout", role="Researcher", tools=["http_request"])
    agent = await hq.agent("scout")
    url = f"{site.url}/x"

    looked = await hq.call("http.request", url=url, site="forge", _token=agent)
    sent = await hq.call("http.request", url=url, site="forge", method="DELETE", _token=agent)
    tainted = await hq.call("http.request", url=url, site="forge", _token=agent, _taint=frozenset({"web:x"}))

    assert looked.ok
    assert sent.error["code"] == tainted.error["code"] == "waiting"
    assert len(site.heard) == 1


async def test_the_client_leaves_no_connection_behind(hq, site):
    site.pages["/x"] = page("hello")
    for _ in range(3):
        await hq.do("http.request", url=f"{site.url}/x", site="forge")

    assert not hq.door.services[EgressClient]._client._transport._pool.connections
