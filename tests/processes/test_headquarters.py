"""Who starts the embedded database, who stops it, and a company that is never without its key."""

from __future__ import annotations

import pytest

from hq import headquarters
from hq.door.tx import Call
from hq.errors import Refused
from hq.headquarters import open_headquarters, recover_token, stop_unused_database


async def test_the_last_one_out_stops_the_database(house):
    async with open_headquarters(house.settings) as one:
        async with open_headquarters(house.settings):
            pass
        assert house.database.running()
        assert (await one.door.call(Call("auth.whoami", {}, one.token or ""))).ok

    assert not house.database.running()


async def test_whoever_came_first_may_leave_first(house):
    first = open_headquarters(house.settings)
    await first.__aenter__()
    async with open_headquarters(house.settings) as second:
        await first.__aexit__(None, None, None)
        assert (await second.door.call(Call("auth.whoami", {}, second.token or ""))).ok

    assert not house.database.running()


async def test_whoever_owns_the_home_comes_back_in_without_its_token(house):
    lost = house.settings.token_file.read_text()
    house.settings.token_file.unlink()

    assert await recover_token(house.settings, None) == "headquarters"

    async with open_headquarters(house.settings) as hq:
        assert hq.token and hq.token != lost.strip()
        assert oct(house.settings.token_file.stat().st_mode)[-3:] == "600"
        rows = await hq.door.call(Call("action.list", {"verb": "auth.recover"}, hq.token))
        assert [row["actor"] for row in rows.data["items"]] == ["user:founder"]
    with pytest.raises(Refused, match="no company 'nosuch'"):
        await recover_token(house.settings, "nosuch")


async def test_a_database_in_use_is_not_swept_away(house):
    async with open_headquarters(house.settings):
        assert not stop_unused_database(house.settings)
        assert house.database.running()

    house.database.start()
    assert stop_unused_database(house.settings)
    assert not house.database.running()


async def test_a_company_is_never_founded_without_its_key(empty, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    kept = headquarters.write_private
    monkeypatch.setattr(headquarters, "write_private", lambda f, t: full() if f.name == "token" else kept(f, t))
    with pytest.raises(headquarters.Outage, match="No space left"):
        async with open_headquarters(empty.settings):
            pass
    monkeypatch.undo()

    async with open_headquarters(empty.settings) as hq:
        assert hq.token and (await hq.door.call(Call("auth.whoami", {}, hq.token))).ok
