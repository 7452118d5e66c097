"""The past over HTTP: `?at=` and `?known_at=` on every call and on the page."""

from __future__ import annotations

from urllib.parse import quote


async def logged_in(web, hq) -> str:
    link = await hq.do("auth.login")
    return (await web.get(link["path"])).cookie


async def test_a_call_can_be_made_about_another_moment(web, hq, clock):
    await hq.do("task.create", title="First")
    before = quote(clock.now().isoformat())
    clock.advance(hours=1)
    await hq.do("task.create", title="Second")

    then = await web.call("task.list", {}, query=f"?at={before}")
    now = await web.call("task.list", {}, query=f"?at={before}&known_at=now")
    sql = await web.call("sql.query", {"query": "select slug from task"}, query=f"?at={before}")

    assert [item["slug"] for item in then.json["data"]["items"]] == ["first"]
    assert [item["slug"] for item in now.json["data"]["items"]] == ["first"]
    assert sql.json["data"]["items"] == [{"slug": "first"}]


async def test_the_page_shows_another_moment_and_says_so(web, hq, clock):
    await hq.do("task.create", title="First")
    before = quote(clock.now().isoformat())
    clock.advance(hours=1)
    await hq.do("task.create", title="Second")
    await hq.do("tenant.set", name="Renamed")
    cookie = await logged_in(web, hq)

    now, then = await web.get("/house", cookie=cookie), await web.get(f"/house?at={before}", cookie=cookie)

    assert "<b>2</b>tasks" in now.text and "<h1>Renamed</h1>" in now.text and "as it was" not in now.text
    assert (
        "<b>1</b>tasks" in then.text and "<h1>Renamed</h1>" not in then.text and "The company as it was at" in then.text
    )


async def test_a_moment_that_is_none_is_explained_on_the_page(web, hq):
    cookie = await logged_in(web, hq)

    wrong, early = (
        await web.get("/house?at=yesterdayish", cookie=cookie),
        await web.get("/house?at=2001-01-01", cookie=cookie),
    )

    assert wrong.status == 422 and "is not a moment" in wrong.text
    assert early.status == 404 and "had not been founded" in early.text


async def test_only_reads_with_a_past_say_that_they_take_a_moment(web):
    paths = (await web.get("/openapi.json")).json["paths"]

    def takes(verb: str) -> bool:
        return {"$ref": "#/components/parameters/at"} in paths[f"/api/{verb}"]["post"]["parameters"]

    assert takes("task/list") and takes("action/list") and takes("sql/query")
    assert not takes("auth/whoami") and not takes("task/create")
