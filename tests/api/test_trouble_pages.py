"""What goes wrong, for whom: a browser is shown a page in our own look, a program gets a problem document."""

from __future__ import annotations

import pytest

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


async def logged_in(web, hq) -> str:
    await hq.do("agent.load")
    return (await web.get((await hq.do("auth.login"))["path"])).cookie


async def test_a_missing_page_is_a_page(web):
    answer = await web.get("/nowhere<b>", accept=BROWSER)

    assert answer.status == 404 and answer.headers["content-type"].startswith("text/html")
    assert "There is nothing here" in answer.text and "/nowhere&lt;b&gt;" in answer.text
    assert 'href="/"' in answer.text and "openapi" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("/nowhere", "application/json"),
        ("/nowhere", "*/*"),
        ("/nowhere", ""),
        ("/api/nowhere", BROWSER),
        ("/part/nowhere", BROWSER),
    ],
)
async def test_a_program_gets_a_problem_document(web, path, accept):
    answer = await web.get(path, accept=accept)

    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["error"]["code"] == "not_found"


async def test_a_client_of_openai_s_gets_its_own_sort_of_error(web):
    answer = await web.get("/v1/nowhere", accept=BROWSER)

    assert answer.status == 404 and answer.headers["content-type"] == "application/json"
    assert answer.json["error"]["type"] == "invalid_request_error"


async def test_a_login_that_ended_says_how_to_get_another(web, hq):
    cookie = await logged_in(web, hq)
    await web.send("POST", "/logout", {"cookie": cookie, "sec-fetch-site": "same-origin"})

    for path in ("/", "/inbox", "/agents"):
        answer = await web.get(path, accept=BROWSER, cookie=cookie)
        assert answer.status == 401 and "<code>hq auth login</code>" in answer.text
    assert (await web.get("/agents", accept="application/json", cookie=cookie)).json["status"] == 401


async def test_what_is_not_there_and_what_was_asked_wrongly_is_said_on_a_page(web, hq):
    cookie = await logged_in(web, hq)

    missing = await web.get("/agents/nobody", accept=BROWSER, cookie=cookie)
    wrong = await web.get("/work?at=yesterdayish", accept=BROWSER, cookie=cookie)

    assert missing.status == 404 and "There is no agent" in missing.text
    assert wrong.status == 422 and "is not a moment" in wrong.text


async def test_a_fault_of_ours_is_told_with_the_number_of_its_trace(web, hq, monkeypatch):
    cookie = await logged_in(web, hq)

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("hq.web.pages.page", broken)
    answer = await web.get("/work", accept=BROWSER, cookie=cookie)
    program = await web.get("/work", accept="application/json", cookie=cookie)

    number = answer.text.partition("<code>trc_")[2].partition("</code>")[0]
    assert answer.status == 500 and "Something went wrong" in answer.text and "secret detail" not in answer.text
    assert len(number) == 32
    assert answer.text.count("hq logs") == 1
    assert program.status == 500 and program.json["error"]["code"] == "defect"
