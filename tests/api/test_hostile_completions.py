"""Completions that strangers sent: without white space, very long, with a picture that is none. Each is answered or refused by its reason."""

from __future__ import annotations

import openai
import pytest

from hq.minds.scripted.mind import shipped
from tests.api.openai_house import answered, open_client, open_house, user, with_a_model


@pytest.fixture
async def live(own_hq, settings):
    async with open_house(own_hq, settings) as server:
        yield server


@pytest.fixture
async def client(live):
    async with open_client(live) as client:
        yield client


@pytest.mark.parametrize("text", ["-" * 150_000, "lorem ipsum " * 100_000], ids=["dashes", "long"])
async def test_a_script_answers_a_text_of_any_length(own_hq, client, text):
    asked = client.chat.completions.create(model="hq-ceo", messages=[user(text)])

    said = await answered(own_hq, asked, shipped())

    assert said.choices[0].finish_reason == "stop" and said.choices[0].message.content


async def test_a_programs_session_is_replayed_compared_and_followed(own_hq, live, client):
    for text in ("what time is it?", "what day is it?"):
        await answered(own_hq, client.chat.completions.create(model="hq-ceo", messages=[user(text)]), shipped())
    second, first = [row["completion"] for row in (await own_hq.do("client.list"))["items"]]

    steps = (await own_hq.do("session.replay", id=first))["items"]
    parted = await own_hq.do("session.diff", a=first, b=second)

    assert steps[0]["kind"] == "open" and steps[0]["says"] == "what time is it?"
    assert parted["same"] == 0
    stream = await live.follow(path=f"/api/sessions/{first}/steps")
    assert [event.data["step"] for event in await stream.events(len(steps))] == [step["step"] for step in steps]
    assert (await stream.until("over")).data["state"] == "done"


async def test_a_picture_that_is_no_base64_is_the_requests_mistake(own_hq, client):
    await with_a_model(own_hq)
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,!!!!"}}

    with pytest.raises(openai.BadRequestError) as error:
        await client.chat.completions.create(model="hq-ceo", messages=[{"role": "user", "content": [picture]}])

    assert error.value.param == "messages[0].content[0].image_url" and "base64" in error.value.message


async def test_a_model_has_its_day_and_one_that_is_none_its_code(client):
    models = [model async for model in client.models.list()]
    with pytest.raises(openai.NotFoundError) as error:
        await client.models.retrieve("a/b")

    assert all(model.created > 0 for model in models)
    assert error.value.code == "model_not_found"


async def test_a_response_that_is_not_there_is_no_previous_one(client):
    with pytest.raises(openai.NotFoundError) as error:
        await client.responses.retrieve("resp_nope")

    assert error.value.code == "response_not_found" and "Previous" not in error.value.message


async def test_a_text_with_nul_is_refused_where_it_stands(client):
    with pytest.raises(openai.BadRequestError) as error:
        await client.chat.completions.create(model="hq-ceo", messages=[user("a\0b")])

    assert (error.value.param or "").startswith("messages[0]") and "NUL" in error.value.message


async def test_what_was_cut_short_was_not_completed(own_hq, client):
    asked = client.responses.create(model="hq-ceo", input="help", max_output_tokens=16)

    said = await answered(own_hq, asked, shipped())

    assert said.status == "incomplete" and said.to_dict().get("completed_at") is None
