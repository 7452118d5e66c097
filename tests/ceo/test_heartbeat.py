"""The CEO notices each thing once, acts on it, and says so without nagging."""

from __future__ import annotations

import asyncio
from pathlib import Path

from psycopg import AsyncConnection

from hq.engine.sessions.leases import Leases
from tests.support.heart import Heart, left, mission
from tests.support.play import Told, route, texts
from tests.support.supervised import announced


async def test_an_approval_that_waits_is_told_once_and_nudged_until_it_is_decided(heart):
    slug = await heart.approval()

    assert await heart.beat(minutes=5) == 0
    assert await heart.beat(minutes=6) == 1
    for _ in range(20):
        assert await heart.beat(minutes=10) == 0
    [card] = await heart.cards()
    assert card["title"].startswith("Merge entity “") and card["remark"]["by"] == "agent:chief"
    assert card["remark"]["text"].startswith("We need to talk: an approval waits for you")
    await heart.beat(hours=2)
    await heart.beat(hours=20)
    assert await heart.noticed() == ["approval_waiting", "approval_stale", "approval_stale"]

    await heart.hq.do("approval.approve", ref=slug)
    await heart.beat(hours=1)
    await heart.beat(hours=40)

    assert (await heart.noticed())[3:] == ["approval_resolved", "silence"]


async def test_what_was_approved_and_could_not_be_done_is_told(heart):
    slug = await heart.approval()
    await heart.hq.do("entity.archive", ref="acme")
    await heart.hq.call("approval.approve", ref=slug)

    await heart.beat(minutes=1)

    assert [title for title in await heart.titles() if title.startswith("What you approved")]


async def test_missions_nobody_has_are_given_to_whoever_is_idle_and_that_is_said_once(heart):
    await heart.hq.do("agent.create", name="scout", role="Researcher")
    for title in ("Research the market", "Research the rivals"):
        await mission(heart, title)

    await heart.beat(minutes=11)
    for _ in range(5):
        await heart.beat(minutes=10)

    given = await heart.hq.do("mission.list", status="assigned")
    assert len(given["items"]) == 1, "one idle agent takes one mission"
    cards = await heart.cards()
    assert [card["title"] for card in cards] == ["I went through the backlog and gave out a mission"]
    assert cards[0]["facts"][0]["value"].startswith("scout")
    made = [item for item in (await heart.hq.do("action.list"))["items"] if item["verb"] == "mission.assign"]
    assert [item["actor"] for item in made] == ["agent:chief"]


async def test_what_nobody_idle_can_do_is_said_once_a_day_and_three_times_at_most(heart):
    await heart.hq.do("ceo.quiet", hours="off")
    await heart.hq.do("agent.create", name="scout", role="Researcher")
    await mission(heart, "Count the birds")
    for _ in range(8 * 4):
        await heart.beat(hours=6)

    told = [title for title in await heart.titles() if title == "I could not give out count-the-birds"]
    assert len(told) == 3


async def test_when_nobody_is_there_to_work_one_hire_is_proposed_and_pressing_it_hires_once(heart):
    await mission(heart)
    await heart.beat(minutes=11)
    for _ in range(6):
        await heart.beat(hours=12)

    [card] = [card for card in await heart.cards() if card["kind"] == "hire"]
    pressed = [await heart.hq.do("card.press", card=card["id"], button="approve") for _ in range(2)]

    assert [each.get("already", False) for each in pressed] == [False, True]
    assert (await heart.hq.do("agent.show", ref="scout"))["props"]["role"] == "Generalist"
    assert (await heart.hq.do("card.show", card=card["id"]))["state"] == "pressed"


async def test_two_devices_that_press_different_buttons_at_once_act_once(heart):
    await mission(heart)
    await heart.beat(minutes=11)
    [card] = await heart.cards()
    tokens = [(await heart.hq.do("auth.token", device=name))["token"] for name in ("phone", "laptop")]

    both = await asyncio.gather(
        heart.hq.do("card.press", card=card["id"], button="approve", _token=tokens[0]),
        heart.hq.do("card.press", card=card["id"], button="decline", _token=tokens[1]),
    )

    assert sorted(each.get("already", False) for each in both) == [False, True]
    assert both[0]["pressed"] == both[1]["pressed"]
    made = [item for item in (await heart.hq.do("action.list"))["items"] if item["verb"] == "agent.hire"]
    assert len(made) == (both[0]["pressed"] == "approve")


async def test_a_press_whose_call_is_refused_can_be_made_again_and_then_counts(heart):
    slug = await mission(heart)
    button = {"key": "go", "label": "Go on", "verb": "mission.resume", "args": {"ref": slug}}
    chief = await heart.hq.agent("chief")
    card = await heart.hq.do("card.send", kind="mission", title="Go on?", buttons=[button], _token=chief)
    refused = await heart.hq.do("card.press", card=card["id"], button="go")
    assert refused["result"]["error"]["code"] == "conflict", "it is not paused"
    await heart.hq.do("mission.pause", ref=slug, why="rain", _token=chief)
    heart.hq.clock.advance(minutes=1)

    again = [await heart.hq.do("card.press", card=card["id"], button="go") for _ in range(2)]

    assert again[0]["result"]["ok"] and again[1]["already"]


async def test_a_mission_that_is_done_is_reported_with_cost_and_evidence(heart):
    slug = await mission(heart, deliverables=["A short list"])
    await heart.hq.do("agent.create", name="scout", role="Researcher")
    await heart.hq.do("mission.assign", ref=slug, to="scout")
    scout = await heart.hq.agent("scout")
    await heart.hq.do("mission.accept", ref=slug, _token=scout)
    submitted = await heart.hq.do("mission.submit", ref=slug, outcome="Forty birds.", _token=scout)
    assert submitted["status"] == "review"

    await heart.beat(minutes=1)
    [card] = await heart.cards()
    assert (card["kind"], card["text"]) == ("report", "Forty birds.")
    facts = {fact["name"]: fact["value"] for fact in card["facts"]}
    assert facts == {"by": "scout", "cost": "no model was asked", "A short list": "shipped (waits for a person's word)"}

    await heart.hq.do("card.press", card=card["id"], button="accept")
    await heart.beat(minutes=1)

    assert (await heart.hq.do("mission.show", ref=slug))["props"]["status"] == "done"
    assert (await heart.titles())[1:] == [], "one end, one card"


async def test_what_the_house_checked_nobody_signed_off(heart):
    """It was "signed off by: bruna" that stood on the card of bruna's own mission."""
    slug = await mission(heart, deliverables=["file:birds.md"])
    await heart.hq.do("agent.create", name="bruna", role="Researcher")
    await heart.hq.do("mission.assign", ref=slug, to="bruna")
    bruna = await heart.hq.agent("bruna")
    await heart.hq.do("mission.accept", ref=slug, _token=bruna)
    [workspace] = [row["slug"] for row in (await heart.hq.do("workspace.list"))["items"]]
    tree = Path((await heart.hq.do("workspace.begin", ref=workspace, session="mine"))["path"])
    (tree / "birds.md").write_text("Forty birds, counted twice.")
    for verb in ("save", "merge"):
        await heart.hq.do(f"workspace.{verb}", ref=workspace, session="mine")
    await heart.hq.do("mission.submit", ref=slug, outcome="Forty birds.", _token=bruna)

    await heart.beat(minutes=1)

    [card] = await heart.cards()
    facts = {fact["name"]: fact["value"] for fact in card["facts"]}
    assert card["title"].endswith("is done") and facts["checked by"] == "the house" and "signed off by" not in facts


async def test_a_report_says_where_the_files_are_and_how_they_are_opened(heart):
    slug = await mission(heart, deliverables=["A short list"])
    await heart.hq.do("agent.create", name="scout", role="Researcher")
    await heart.hq.do("mission.assign", ref=slug, to="scout")
    scout = await heart.hq.agent("scout")
    await heart.hq.do("mission.accept", ref=slug, _token=scout)
    [workspace] = [row["slug"] for row in (await heart.hq.do("workspace.list"))["items"]]
    tree = Path((await heart.hq.do("workspace.begin", ref=workspace, session="mine"))["path"])
    (tree / "main.py").write_text("print(40)")
    for verb in ("save", "merge"):
        await heart.hq.do(f"workspace.{verb}", ref=workspace, session="mine")

    await heart.hq.do("mission.submit", ref=slug, outcome="Forty birds.", _token=scout)

    await heart.beat(minutes=1)
    [card] = await heart.cards()
    facts = {fact["name"]: fact["value"] for fact in card["facts"]}
    assert (Path(facts["files"]) / "main.py").read_text() == "print(40)"
    assert card["offers"][0] == {
        "label": "Open",
        "link": f"/missions/{slug}/open",
        "command": f"hq mission open {slug}",
    }


async def test_what_is_settled_just_while_the_heart_looks_is_heard_at_the_next_beat(heart, monkeypatch):
    slug = await mission(heart)
    await heart.hq.do("mission.fail", ref=slug, why="rain", _token=await heart.hq.agent("chief"))
    execute = AsyncConnection.execute
    async with await AsyncConnection.connect(heart.hq.address.app_url, autocommit=True) as other:
        (failed,) = await (await other.execute("select drawn from ops.horizon(0)")).fetchone() or (0,)

        async def settling(conn, query, *more, **how):
            done = await execute(conn, query, *more, **how)
            if "ops.occurrences" in str(query):
                await execute(other, "select ops.announce(%s, 1000, %s)", [failed, heart.hq.clock.now()])
            return done

        with monkeypatch.context() as patched:
            patched.setattr(AsyncConnection, "execute", settling)
            await heart.hq.do("ceo.tick")
    await heart.beat(minutes=1)

    assert await heart.noticed() == ["task_done"]


async def test_more_events_than_one_look_takes_are_heard_at_the_next(heart):
    flood = """insert into ops.outbox (tenant_id, seq, ordinal, topic, action_id, payload, created_at)
               select id, nextval('ops.seq'), 0, 'schedule.failed', gen_random_uuid(), '{"notify": "never"}', %s
                 from ops.tenants, generate_series(1, 600)"""
    async with await AsyncConnection.connect(heart.hq.address.url, autocommit=True) as owner:
        await owner.execute(flood, [heart.hq.clock.now()])
    await heart.beat(minutes=1)
    await heart.beat(minutes=1)

    async with await AsyncConnection.connect(heart.hq.address.url) as owner:
        heard = await (await owner.execute("select count(*) from ops.occurrences")).fetchone()
    assert heard == (600,)


async def test_j15_one_press_enables_a_skill_for_who_has_the_mission(heart):
    hq = heart.hq
    await hq.do("skill.import", name="bird-watching", files=[SKILL])
    await hq.do("agent.create", name="scout", role="Researcher")
    await hq.do("mission.create", title="Try bird watching for the members", deliverables=["file:birds.md"])
    await hq.do("mission.assign", ref="try-bird-watching-for-the-members", to="scout")
    await heart.beat(minutes=1)

    [card] = [card for card in await heart.cards() if card["kind"] == "skill"]
    await hq.do("card.press", card=card["id"], button="enable")

    shown = await hq.do("skill.show", skill="bird-watching")
    assert shown["status"] == "enabled" and shown["agents"] == ["scout"]


async def test_a_mission_that_names_a_disabled_skill_asks_for_it_once_a_week(heart):
    await heart.hq.do("skill.import", name="bird-watching", files=[SKILL])
    await mission(heart, "Do some bird watching in May")

    await heart.beat(minutes=1)
    await mission(heart, "Bird watching again")
    await heart.beat(days=6)
    asked = [card for card in await heart.cards() if card["kind"] == "skill"]
    assert len(asked) == 1

    await heart.beat(days=2)
    await mission(heart, "Bird watching once more")
    await heart.beat(minutes=1)
    [_, card] = [card for card in await heart.cards() if card["kind"] == "skill"]
    await heart.hq.do("card.press", card=card["id"], button="enable")

    assert (await heart.hq.do("skill.show", skill="bird-watching"))["status"] == "enabled"


async def test_a_budget_that_is_nearly_used_up_is_told_once_per_period_with_ways_out(heart):
    await heart.hq.do("budget.set", on="company", period="day", usd_hard=5)
    near = {"scope": "tenant", "period": "day", "measure": "usd", "spent": 4.1, "hard": 5}
    began = heart.hq.clock.now().replace(hour=0).isoformat()
    for _ in range(3):
        await heart.hq.do("budget.warn", **near, began_at=began)
        await heart.beat(minutes=1)

    [card] = await heart.cards()
    assert card["kind"] == "budget" and "$4.10 today of $5.00" in card["title"]
    await heart.hq.do("card.press", card=card["id"], button="increase")

    [limit] = (await heart.hq.do("budget.show", on="company"))["limits"]
    assert limit["usd_hard"] == 7.5


async def test_a_message_nobody_takes_up_is_told_once(heart):
    await heart.hq.do("chat.say", text="Hello?")

    await heart.beat(minutes=1)
    assert await heart.noticed() == []
    for _ in range(4):
        await heart.beat(minutes=2)

    assert await heart.noticed() == ["founder_message"]


async def test_a_card_asks_no_mind_and_is_known_when_the_founder_speaks_next(heart, stage):
    mind = Told(["Hello.", "I did."])
    await heart.hq.do("chat.say", text="Hi")
    await stage(heart, mind).run_once()
    await heart.hq.do("card.send", kind="alert", title="The tea is out", _token=await heart.hq.agent("chief"))

    heart.hq.clock.advance(minutes=11)
    await route(heart.hq)
    await stage(heart, mind).run_once()
    assert len(mind.asked) == 1, "it has gone quiet, and nobody said anything"

    await heart.hq.do("chat.say", text="Did you tell me?")
    await stage(heart, mind).run_once()
    assert "[The house told the founder, in your name: The tea is out]" in texts(mind.asked[-1].messages)


async def test_silence_is_broken_once_until_something_happens(heart):
    for _ in range(10):
        await heart.beat(hours=12)
    assert await heart.noticed() == ["silence"]

    await heart.hq.do("task.create", title="Call Ana")
    for _ in range(10):
        await heart.beat(hours=12)

    assert await heart.noticed() == ["silence", "silence"]


async def test_at_night_it_is_held_and_said_in_the_morning_but_not_what_is_critical(heart):
    heart.hq.clock.set(heart.hq.clock.now().replace(hour=22, minute=30))
    await heart.hq.do("tenant.set", time_zone="Europe/Lisbon")
    await heart.approval()
    token = await heart.hq.agent("chief")
    heart.hq.clock.set(heart.hq.clock.now().replace(hour=23, minute=0))
    urgent = await heart.hq.do("card.send", kind="alert", title="Fire", severity="critical", _token=token)

    await heart.beat(minutes=11)
    await heart.beat(hours=4)
    assert urgent["state"] == "open"
    states = {card["title"]: card["state"] for card in await heart.cards()}
    assert states.pop("Fire") == "open" and set(states.values()) == {"held"}
    assert [line["text"] for line in await said(heart)] == ["Fire"]

    heart.hq.clock.set(heart.hq.clock.now().replace(hour=7, minute=0))
    await heart.beat()

    assert {card["state"] for card in await heart.cards()} == {"open"}
    assert len(await said(heart)) == len(await heart.cards())


async def test_the_most_urgent_mission_is_given_out_first(heart):
    for name in ("scout", "ranger"):
        await heart.hq.do("agent.create", name=name, role="Researcher")
    for title, priority in (("Research the rivals", "low"), ("Research the market", "critical")):
        await mission(heart, title, priority=priority)

    await heart.beat(minutes=11)

    [told] = [card for card in await heart.cards() if card["title"].startswith("I went through the backlog")]
    assert [fact["name"] for fact in told["facts"]] == ["research-the-market", "research-the-rivals"]


async def test_whoever_is_at_work_is_not_asleep(heart):
    chief = await heart.hq.agent("chief")
    heart.hq.clock.set(heart.hq.clock.now().replace(hour=23))
    held = await heart.hq.do("card.send", kind="alert", title="By the way", _token=chief)

    await heart.hq.do("task.create", title="Still here")
    heart.hq.clock.advance(minutes=14)
    sent = await heart.hq.do("card.send", kind="alert", title="By the way, again", _token=chief)
    heart.hq.clock.advance(minutes=2)
    late = await heart.hq.do("card.send", kind="alert", title="By the way, too late", _token=chief)

    assert (held["state"], sent["state"], late["state"]) == ("held", "open", "held")


async def test_the_open_cards_are_those_that_are_said_to_be_open(heart):
    chief = await heart.hq.agent("chief")
    ok = [{"key": "ok", "label": "Noted"}]
    for title, kind in (
        ("By the way", "alert"),
        ("Done with", "alert"),
        ("Which?", "choice"),
        ("Also done with", "alert"),
    ):
        await heart.hq.do("card.send", kind=kind, title=title, buttons=ok, _token=chief)
    for card in await heart.cards():
        if "one with" in card["title"]:
            await heart.hq.do("card.press", card=card["id"], button="ok")

    first = await heart.hq.do("card.list", open=True, limit=1)
    second = await heart.hq.do("card.list", open=True, limit=1, after=first["next"])
    asked = await heart.hq.do("card.list", open=True, asks=True)

    assert [[each["title"] for each in page["items"]] for page in (first, second)] == [["Which?"], ["By the way"]]
    assert "next" not in second or second["next"] is None
    assert [each["title"] for each in asked["items"]] == ["Which?"]


async def test_more_than_six_things_an_hour_wait_their_turn(heart):
    chief = await heart.hq.agent("chief")
    sent = [await heart.hq.do("card.send", kind="alert", title=str(n), _token=chief) for n in range(8)]

    assert [each["state"] for each in sent] == ["open"] * 6 + ["held"] * 2
    await heart.beat(minutes=61)
    assert {card["state"] for card in await heart.cards()} == {"open"}


async def enough(heart) -> str:
    """As much as is said within an hour; the token of who said it."""
    chief = await heart.hq.agent("chief")
    for n in range(6):
        await heart.hq.do("card.send", kind="alert", title=str(n), _token=chief)
    return chief


async def test_what_somebody_waits_for_is_never_held_because_enough_was_said(heart):
    chief = await enough(heart)
    done = await mission(heart, "Research the rivals")

    result = {"kind": "report", "title": "Research the rivals is done", "about": done}
    sent = await heart.hq.do("card.send", **result, _token=chief)
    ask = {"kind": "choice", "title": "Which?", "buttons": [{"key": "a", "label": "A"}, {"key": "b", "label": "B"}]}
    asked = await heart.hq.do("card.send", **ask, _token=chief)

    assert (sent["state"], asked["state"]) == ("open", "open")
    assert (await heart.hq.do("card.send", kind="alert", title="Chatter", _token=chief))["state"] == "held"


async def test_what_is_said_twice_counts_once(heart):
    chief = await heart.hq.agent("chief")
    sent = [await heart.hq.do("card.send", kind="alert", title="The same", _token=chief) for _ in range(8)]

    assert {each["state"] for each in sent} == {"open"}


async def test_what_is_held_is_told_with_when_it_is_shown(heart):
    chief = await enough(heart)
    for title in ("Chatter", "More chatter"):
        held = await heart.hq.do("card.send", kind="alert", title=title, _token=chief)

    at = held["shown_after"][11:16]
    brief = await heart.hq.do("ceo.brief")
    [section] = [each for each in brief["sections"] if each["section"] == "held"]
    assert [(each["title"], each["says"]) for each in section["items"]] == [
        ("Chatter", f"shown at {at}"),
        ("More chatter", f"shown at {at}"),
    ]
    assert (await heart.hq.do("chat.status"))["why"] == f"ready; 2 cards held until {at}"


async def test_the_brief_and_the_inbox_name_the_same_things_that_wait(heart):
    await heart.approval()
    await heart.hq.do("review.create", question_text="Which name?", options=[{"key": "a", "label": "A"}])
    for n in range(22):
        await heart.hq.do("review.create", question_text=f"Which, of {n}?", options=[{"key": "a", "label": "A"}])
    await heart.hq.call("agent.send", agent="founder", text="By the way", _token=await heart.hq.agent("operator"))

    brief = await heart.hq.do("ceo.brief")
    inbox = await heart.hq.do("ask.list")

    [waits] = [each for each in brief["sections"] if each["section"] == "waits for you"]
    assert [each["slug"] for each in waits["items"]] == [each["slug"] for each in inbox["items"]]


async def test_a_dry_run_says_the_same_and_writes_nothing(heart):
    await heart.approval()
    heart.hq.clock.advance(minutes=11)
    await announced(heart.hq)

    dry = await heart.hq.do("ceo.tick", dry_run=True)

    assert await heart.noticed() == [] and await heart.cards() == []
    done = await heart.hq.do("ceo.tick")
    assert [each["key"] for each in dry["seen"]] == [each["key"] for each in done["seen"]]
    assert [each["args"] for each in dry["actions"]] == [each["args"] for each in done["actions"]]


async def test_two_leaders_at_once_act_once(heart):
    await heart.approval()
    heart.hq.clock.advance(minutes=11)
    await announced(heart.hq)
    other = Heart(heart.hq)

    await asyncio.gather(*(each.look() for each in (heart, other, heart, other)))

    assert await heart.noticed() == ["approval_waiting"]
    assert len(await heart.cards()) == 1


async def test_an_agent_other_than_the_ceo_puts_nothing_before_the_founder(heart):
    outcome = await heart.hq.call("card.send", kind="alert", title="Psst", _token=await heart.hq.agent("operator"))

    assert outcome.error["code"] == "forbidden"


async def test_a_button_cannot_be_made_to_do_what_only_the_founder_decides(heart):
    chief = await heart.hq.agent("chief")
    button = {"key": "ok", "label": "Nice!", "verb": "approval.approve", "args": {"ref": "x"}}

    outcome = await heart.hq.call("card.send", kind="choice", title="A present", buttons=[button], _token=chief)

    assert outcome.error["code"] == "invalid" and "cannot call approval.approve" in outcome.error["message"]


async def said(heart) -> list[dict]:
    return (await heart.hq.do("chat.history"))["items"]


SKILL = {"path": "SKILL.md", "content": "---\nname: bird-watching\ndescription: Watch birds.\n---\n\nLook up.\n"}


async def test_what_was_chosen_is_told_to_the_ceo_who_knows_what_was_asked(heart, stage):
    options = [{"key": "a", "label": "The Weekly"}, {"key": "b", "label": "Field Notes"}]
    chief = await heart.hq.agent("chief")
    card = await heart.hq.do("card.send", kind="choice", title="Which name?", buttons=options, _token=chief)
    assert (await heart.hq.do("chat.status"))["why"] == "wants to talk to you about something"

    await heart.hq.do("card.press", card=card["id"], button="b")
    mind = Told(["Field Notes it is."])
    await stage(heart, mind).run_once()

    seen = " ".join(texts(mind.asked[0].messages))
    chosen = "I chose the option “Field Notes” of which-name, where chief asked “Which name?”"
    assert "The house told the founder, in your name: Which name?" in seen and chosen in seen
    assert [line["text"] for line in await said(heart)] == ["Which name?", chosen, "Field Notes it is."]
    assert (await said(heart))[0]["card"]["pressed"] == "b"
    assert (await heart.hq.do("chat.status"))["state"] == "ready"


async def test_a_card_waits_while_the_ceo_speaks(heart):
    await heart.hq.do("chat.say", text="Tell me a story")
    [claimed] = await Leases(heart.hq.door.pool, heart.hq.clock).claim(8)

    sent = await heart.hq.do("card.send", kind="alert", title="By the way", _token=await heart.hq.agent("chief"))

    assert sent["state"] == "held" and claimed.kind == "thread"


async def test_a_mission_that_its_agent_leaves_lying_is_told_once_with_ways_on(heart):
    await heart.hq.do("agent.create", name="scout", role="Researcher")
    await heart.hq.do("mission.assign", ref=await mission(heart), to="scout")
    await left(heart)

    await heart.beat(minutes=1)
    await heart.beat(minutes=1)

    assert await heart.noticed("mission_left") == ["mission_left"]
    [card] = [card for card in await heart.cards() if card["kind"] == "mission"]
    assert card["title"] == "scout stopped, and Count the birds is not done"
    await heart.hq.do("card.press", card=card["id"], button="go_on")
    [again] = await Leases(heart.hq.door.pool, heart.hq.clock).claim(8)
    assert again.agent == "scout" and again.trigger.mission, "in a session on the mission, with its working tree"
    assert "Go on with count-the-birds: it is not handed in." in again.trigger.text


async def test_a_mission_that_waits_for_an_answer_is_not_left_lying(heart):
    await heart.hq.do("agent.create", name="scout", role="Researcher")
    await heart.hq.do("mission.assign", ref=await mission(heart), to="scout")
    scout = await heart.hq.agent("scout")
    await heart.hq.do("mission.accept", ref="count-the-birds", _token=scout)
    await heart.hq.call("escalation.raise", summary="Which birds?", mission="count-the-birds", _token=scout)
    await left(heart)

    await heart.beat(minutes=1)

    assert await heart.noticed("mission_left") == []


async def test_the_warning_of_a_missions_budget_pauses_the_mission_and_goes_with_what_it_warned_of(heart):
    for title in ("Birds", "Trees", "Fish", "Bees"):
        made = await heart.hq.do("mission.create", title=title, token_budget=60_000)
        near = {
            "scope": f"mission:{made['id']}",
            "period": "total",
            "measure": "tokens",
            "spent": 52_000,
            "hard": 60_000,
        }
        await heart.hq.do("budget.warn", **near, began_at=heart.hq.clock.now().isoformat())
    await heart.beat(minutes=1)
    birds, trees, fish, bees = [
        next(card for card in await heart.cards() if card.get("about") == slug)
        for slug in ("birds", "trees", "fish", "bees")
    ]
    heart.hq.clock.advance(minutes=1)
    await heart.hq.do("card.press", card=birds["id"], button="pause")
    assert (await heart.hq.do("mission.show", ref="birds"))["props"]["status"] == "paused"
    await heart.hq.do("budget.raise", on="trees", period="total", tokens=92_209)
    more = {"on": "bees", "period": "total", "tokens": 92_209}
    asked = await heart.hq.call("budget.raise", **more, _token=await heart.hq.agent("chief"))
    assert asked.error["code"] == "waiting"
    await heart.hq.do("mission.fail", ref="fish", why="no longer wanted")

    await heart.beat(minutes=1)

    waiting = [card["id"] for card in await heart.cards() if card["state"] == "open"]
    assert bees["id"] not in waiting, (
        "who stands at it asked for as much as it needs: no second card says another number"
    )
    assert trees["id"] not in waiting, "its limit was raised since"
    assert fish["id"] not in waiting, "it is over"
