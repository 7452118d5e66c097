"""Finding things by name, by words, by meaning, in the languages they were written in."""

from __future__ import annotations

import pytest

from tests.support.searching import catch_up, slugs


async def say(hq, body: str, **more) -> str:
    return (await hq.do("interaction.log", channel="chat", direction="internal", body=body, **more))["slug"]


async def test_a_node_is_found_by_any_word_it_says(hq, index):
    slug = (await hq.do("memo.create", title="Offsite", content_md="We rented a lighthouse near Porto."))["slug"]
    await index()

    found = (await hq.do("graph.search", query="lighthouses"))["items"]

    assert [row["slug"] for row in found] == [slug]
    assert "**lighthouse**" in found[0]["snippet"]
    assert found[0]["why"].startswith("words")


async def test_an_agent_is_found_by_what_is_said_of_it_not_by_its_settings(own_hq):
    await own_hq.do("agent.create", name="Vera", role="Bookkeeper", tools=["ledgerbook"])
    await catch_up(own_hq)

    assert await slugs(own_hq, "bookkeeper") == ["vera"]
    assert await slugs(own_hq, "ledgerbook", mode="words") == []


async def test_a_snippet_is_one_line(hq, index):
    await hq.do("task.create", title="Call Ana", description="First\n\n- the invoice\n- the harbour\n")
    await index()

    [found] = (await hq.do("graph.search", query="harbour"))["items"]
    assert found["snippet"] == "Call Ana First - the invoice - the **harbour**"


async def test_a_slug_and_a_title_are_found_at_once_without_the_index(hq):
    await hq.do("task.create", title="Call Ana about the quote")

    by_slug = (await hq.do("graph.search", query="call-ana-about-the-quote"))["items"]

    assert [row["why"] for row in by_slug] == ["exact slug"]
    assert await slugs(hq, "task:call-ana-about-the-quote") == ["call-ana-about-the-quote"]
    assert await slugs(hq, "Call Ana about the quote") == ["call-ana-about-the-quote"]
    assert await slugs(hq, "call-an", mode="slug") == ["call-ana-about-the-quote"]


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("She was painting the fences yesterday", "paint fence"),
        ("As empresas precisavam de novos contratos para o ano que vem", "empresa contrato"),
        ("Os clientes não pagaram as faturas", "cliente pagar fatura"),
        ("会議は来週の月曜日に東京で行われます", "月曜日"),
    ],
)
async def test_words_are_found_in_another_form_in_the_language_they_were_written_in(hq, index, written, asked):
    await say(hq, "This one is about something else, in English, and it is not what we look for")
    slug = await say(hq, written)
    await index()

    assert (await slugs(hq, asked, mode="words"))[:1] == [slug]


@pytest.mark.parametrize("typed", ["Carolnie", "Caroline Perreira", "Periera", "carolin pereirra"])
async def test_a_name_is_found_though_it_is_misspelt(hq, index, typed):
    await hq.do("contact.create", name="Caroline Pereira")
    await hq.do("contact.create", name="Bruno Almeida")
    await index()

    found = (await hq.do("graph.search", query=typed, mode="words"))["items"]

    assert [row["slug"] for row in found] == ["caroline-pereira"]
    assert "similar name" in found[0]["why"]


async def test_meaning_finds_what_no_word_does(hq, index):
    await hq.do("memo.create", title="Pets", content_md="The dog and the cat were at the vet.")
    await hq.do("memo.create", title="Numbers", content_md="Quarterly revenue grew by nine percent.")
    await index()

    assert (await slugs(hq, "animals", mode="meaning"))[0] == "pets"
    assert await slugs(hq, "animals", mode="words") == []


async def test_an_answer_is_found_by_the_question_before_it(hq, index, clock):
    conversation = (await hq.do("conversation.create", title="Chat"))["slug"]
    lines = ["Where did you buy the telescope?", "In a small shop behind the station.", "Nice weather by the way."]
    said = []
    for line in lines:
        clock.advance(seconds=30)
        said.append(await say(hq, line, conversation=conversation))
    await index()

    found = (await hq.do("graph.search", query="telescope", type=["interaction"]))["items"]

    assert [row["slug"] for row in found][:2] == said[:2]
    assert "context" in found[1]["why"]


async def test_who_said_it_counts_when_the_question_names_them(hq, index):
    await hq.do("contact.create", name="Melanie Stone")
    await hq.do("contact.create", name="Robert Frost")
    await say(hq, "I went hiking in the mountains", **{"from": "robert-frost"})
    mine = await say(hq, "I went hiking at the lake", **{"from": "melanie-stone"})
    await index()

    assert (await slugs(hq, "Where did Melanie go hiking?", type=["interaction"]))[0] == mine


async def test_filters_narrow(hq, index, clock):
    await hq.do("task.create", title="Paint the fence", tags=["garden", "urgent"], priority="now")
    await hq.do("memo.create", title="Paint colours", tags=["garden"], content_md="Green.")
    await index()
    clock.advance(days=3)
    await hq.do("task.create", title="Paint the door")
    await index()

    assert set(await slugs(hq, "paint")) == {"paint-the-fence", "paint-colours", "paint-the-door"}
    assert set(await slugs(hq, "paint", type=["task"])) == {"paint-the-fence", "paint-the-door"}
    assert set(await slugs(hq, "paint", tag=["garden"])) == {"paint-the-fence", "paint-colours"}
    assert await slugs(hq, "paint", tag=["garden", "urgent"]) == ["paint-the-fence"]
    assert await slugs(hq, "paint", since="1d") == ["paint-the-door"]
    assert set(await slugs(hq, "paint", until="1d")) == {"paint-the-fence", "paint-colours"}
    assert set(await slugs(hq, "paint", status="todo")) == {"paint-the-fence", "paint-the-door"}
    assert len(await slugs(hq, "paint", limit=1)) == 1
    assert await slugs(hq, "paint", producer="founder", mode="slug") == []


async def test_an_unknown_type_is_refused_with_a_hint(hq):
    outcome = await hq.call("graph.search", query="x", type=["wombat"])

    assert outcome.error["code"] == "invalid"
    assert "wombat" in outcome.error["message"]


async def test_a_search_of_the_past_finds_what_was_said_then(hq, index, clock):
    await hq.do("memo.create", title="Plan", content_md="We sail to Lisbon.")
    await index()
    then = clock.now().isoformat()
    clock.advance(days=1)
    await hq.do("memo.update", ref="plan", content_md="We fly to Berlin.")
    await index()

    assert await slugs(hq, "Berlin", mode="words") == ["plan"]
    assert await slugs(hq, "Lisbon", mode="words") == []
    assert await slugs(hq, "Lisbon", mode="words", _at=then) == ["plan"]
    assert await slugs(hq, "Berlin", mode="words", _at=then) == []
    assert await slugs(hq, "Lisbon", _at=then) == ["plan"]


async def test_what_is_corrected_backwards_is_found_in_the_past_as_known_since(hq, index, clock):
    await hq.do("memo.create", title="Plan", content_md="We sail to Lisbon.")
    await index()
    then = clock.now()
    clock.advance(days=2)
    before_we_knew = clock.now().isoformat()
    clock.advance(days=2)
    await hq.do("memo.update", ref="plan", content_md="We walk to Madrid.", valid_from=then.isoformat())
    await index()

    assert await slugs(hq, "Madrid", mode="words", _at=then.isoformat(), _known_at="now") == ["plan"]
    assert await slugs(hq, "Madrid", mode="words", _at=then.isoformat(), _known_at=before_we_knew) == []
    assert await slugs(hq, "Lisbon", mode="words", _at=then.isoformat(), _known_at=before_we_knew) == ["plan"]


async def test_a_planned_text_is_found_when_its_day_has_come(hq, index, clock):
    await hq.do("memo.create", title="Plan", content_md="We sail to Lisbon.")
    later = (clock.now().replace(microsecond=0)).isoformat()
    clock.advance(days=1)
    await hq.do("memo.update", ref="plan", content_md="We fly to Berlin.", valid_from=(clock.now().isoformat()))
    soon = clock.now()
    clock.advance(hours=1)
    await hq.do(
        "memo.update",
        ref="plan",
        content_md="We ride to Rome.",
        valid_from=soon.replace(year=soon.year + 1).isoformat(),
    )
    await index()

    assert await slugs(hq, "Rome", mode="words") == []
    assert await slugs(hq, "Berlin", mode="words") == ["plan"]
    clock.advance(days=400)
    assert await slugs(hq, "Rome", mode="words") == ["plan"]
    assert later


async def test_archived_things_are_not_found_unless_asked_for(hq, index):
    await hq.do("memo.create", title="Zeppelin notes", content_md="Airships.")
    await index()
    await hq.do("memo.archive", ref="zeppelin-notes")

    assert await slugs(hq, "zeppelin") == []
    assert await slugs(hq, "zeppelin-notes") == []
    assert await slugs(hq, "zeppelin", archived=True) == ["zeppelin-notes"]
    await index()
    assert await slugs(hq, "zeppelin", archived=True) == ["zeppelin-notes"]
    await hq.do("memo.restore", ref="zeppelin-notes")
    await index()
    assert await slugs(hq, "zeppelin") == ["zeppelin-notes"]


async def test_finding_outside_words_taints_the_call_and_only_then(hq, index):
    await hq.do("interaction.log", channel="email", body="Please wire the zircon money")
    await hq.do("memo.create", title="Marmalade", content_md="Oranges.")
    await index()

    async def taint(query: str) -> list[str]:
        outcome = await hq.call("graph.search", query=query, mode="words")
        return (await hq.do("action.show", id=str(outcome.action_id)))["taint"]

    assert await taint("marmalade") == []
    assert await taint("zircon") == ["email"]


async def test_long_texts_are_found_by_what_stands_at_their_end(hq, index):
    body = " ".join(f"Sentence number {n} says nothing of note." for n in range(300)) + " The password is xylophone."
    await hq.do("memo.create", title="Long", content_md=body)
    await index()

    found = (await hq.do("graph.search", query="xylophone", mode="words"))["items"]

    assert [row["slug"] for row in found] == ["long"]
    assert "**xylophone**" in found[0]["snippet"]


async def test_an_indexer_that_starts_over_indexes_nothing_twice(own_hq):
    for n in range(5):
        await own_hq.do("memo.create", title=f"Note {n} on sailing", content_md="Wind.")
    await catch_up(own_hq)
    await catch_up(own_hq)

    async with own_hq.door.pool.connection() as conn:
        tenant = (await own_hq.do("auth.whoami"))["tenant_id"]
        async with conn.transaction():
            await conn.execute("select set_config('hq.tenant', %s, true)", [tenant])
            row = await (
                await conn.execute("select count(*), count(distinct source_id) from graph.passages")
            ).fetchone()
    assert row is not None and row[0] == row[1]
