"""What a button does, and whose words stand on a card, on the pages and in the API."""

from __future__ import annotations

import html

import pytest

CREATES = "Create an agent: name “Mole”, role “Spy” (agent.create)"
MOLE = {"name": "Mole", "role": "Spy"}


@pytest.fixture
async def page(web, hq):
    """A page's text, as a browser of the founder gets it."""
    await hq.do("agent.load")
    await hq.do("ceo.quiet", hours="off")
    cookie = (await web.get((await hq.do("auth.login"))["path"])).cookie

    async def show(path: str) -> str:
        return html.unescape((await web.get(path, cookie=cookie)).text)

    return show


async def test_an_agents_button_for_more_than_it_may_is_refused_over_http(web, hq):
    await hq.do("agent.load")
    buttons = [{"key": "ok", "label": "Noted", "verb": "agent.create", "args": MOLE}]

    sent = await web.call(
        "card.send", {"kind": "report", "title": "All is well", "buttons": buttons}, token=await hq.agent("chief")
    )

    assert sent.status == 403 and "call agent.create itself" in sent.json["error"]["hint"]


@pytest.mark.parametrize("path", ["/", "/inbox"])
async def test_what_a_button_does_stands_beside_it_on_the_page(page, hq, path):
    buttons = [{"key": "ok", "label": "Noted", "verb": "agent.create", "args": MOLE}, {"key": "no", "label": "No"}]
    await hq.do("card.send", kind="hire", title="Look", buttons=buttons)

    shown = await page(path)

    assert f"{CREATES}</span>" in shown and shown.count('class="does"') == 1
    assert f'title="{CREATES}"' not in shown, "nobody has to point at it"


@pytest.mark.parametrize("path", ["/", "/inbox"])
async def test_what_a_proposals_yes_does_stands_beside_it_whatever_it_is_called(page, hq, path):
    change = {"verb": "agent.create", "args": MOLE}
    made = await hq.do("proposal.propose", kind="agent_change", change=change, _token=await hq.agent("chief"))
    if path == "/":
        await hq.do("card.send", kind="attention", ask=made["slug"])

    assert f"{CREATES}</span>" in await page(path)


async def test_over_an_ask_its_own_words_come_first_on_the_page(page, web, hq):
    chief = await hq.agent("chief")
    asked = await hq.call("agent.create", **MOLE, _reason="It is nothing.", _token=chief)
    over = {"kind": "report", "title": "The week went well", "text": "Nothing to decide."}
    sent = await hq.do("card.send", **over, ask=asked.data["approval"], _token=chief)

    shown = await page("/")
    answered = (await web.call("card.show", {"card": sent["id"]})).json["data"]

    title, does, remark = (shown.index(each) for each in (">Create agent “Mole”</h2>", CREATES, "The week went well"))
    assert title < remark and title < does
    assert '<p class="whose">Chief says:</p>The week went well' in shown
    assert answered["title"] == "Create agent “Mole”" and answered["remark"]["by"] == "agent:chief"
    assert '<p class="whose">Chief says:</p>' in await page("/inbox"), "the reason is the asker's own too"


async def test_a_choice_is_the_founders_line_as_a_choice(page, web, hq):
    card = {"kind": "choice", "title": "Which name?", "buttons": [{"key": "a", "label": "Pay the invoice now"}]}
    sent = await hq.do("card.send", **card, _token=await hq.agent("chief"))

    pressed = await web.call("card.press", {"card": sent["id"], "button": "a"})

    assert pressed.json["ok"]
    assert "I chose the option “Pay the invoice now” of which-name, where chief asked “Which name?”" in await page("/")
