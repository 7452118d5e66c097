"""The CEO notices each thing once, acts on it, and says so without nagging."""

from __future__ import annotations

import asyncio
from pathlib import Path

from psycopg import AsyncConnection

from hq.engine.sessions.leases import Leases
from tests.support.heart import Heart, left, mission
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
    assert facts == {"by": "scout", "cost": "$0.00, 0 tokens", "A short list": "shipped (waits for a person's word)"}

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


async def test_silence_is_broken_once_until_something_happens(heart):
    for _ in range(10):
        await heart.beat(hours=12)
    assert await heart.noticed() == ["silence"]

    await heart.hq.do("task.create", title="Call Ana")
    for _ in range(10):
        await heart.beat(hours=12)

    assert await heart.noticed() == ["silence", "silence"]


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


SKILL = {"path": "SKILL.md", "content": "---\nname: bird-watching\ndescription: Watch birds.\n---\n\nLook up.\n"}


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
