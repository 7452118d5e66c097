"""Messages: seven kinds, addresses, empty seats, turn boundaries, interrupts, receipts, questions that wait."""

from __future__ import annotations

import pytest

from tests.support.jobs import JobHand
from tests.support.play import Play, Told, route, texts

DONE = '<task-complete reason="done"/>'


def heard(mind: Told) -> str:
    return "\n".join(text for ask in mind.asked for text in texts(ask.messages))


class Post:
    """A company with a small organisation, and the job that delivers."""

    def __init__(self, play, org: str) -> None:
        self.play, self.hq, self.org = play, play.hq, org
        self.duty = JobHand(play.hq, "mail")

    async def hire(self, name: str, title: str) -> str:
        seat = await self.hq.do("position.show", org=self.org, title=title)
        await self.hq.do("agent.hire", name=name, position_id=seat["position_id"])
        return await self.hq.agent(name)

    async def settle(self) -> int:
        await route(self.hq)
        return await self.duty.run_once()

    async def state(self, message: str) -> str:
        items = (await self.hq.do("agent.read", message=message))["items"]
        return next(item["state"] for item in items if item["message"] == message)


@pytest.fixture
async def post(play) -> Post:
    org = (await play.hq.do("org.create", template="software-team"))["slug"]
    return Post(play, org)


@pytest.fixture
async def chart(post) -> list[dict]:
    return (await post.hq.do("position.list", org=post.org))["items"]


async def test_a_question_waits_and_its_answer_resumes_the_session_after_a_restart(play):
    await play.agent("ada")
    ask = ("hq_agent", {"action": "ask", "agent": "ada", "text": "How many?"})
    mind = Told(lambda a: ask if len(a.messages) == 1 else DONE)
    session = (await play.hq.do("agent.send", agent="scout", text="count"))["session"]
    await play.runner(mind).run_once()
    assert play.ended[session].state == "waiting"

    ada = await play.hq.agent("ada")
    (mail,) = (await play.hq.do("agent.inbox", _token=ada))["items"]
    assert (mail["kind"], mail["from"], mail["state"]) == ("question", "agent:scout", "delivered")
    await play.hq.do("agent.reply", message=mail["message"], text="Seven.", _token=ada)
    await route(play.hq)
    await play.runner(mind).run_once()  # another process: nothing is left of the first but the journal

    assert play.ended[session].state == "done"
    assert "Seven." in heard(mind)
    again = await play.hq.call("agent.reply", message=mail["message"], text="Eight.", _token=ada)
    assert again.error["code"] == "conflict"


async def test_a_message_is_read_at_the_next_turn_of_a_running_session(play):
    await play.agent("ada")
    ada = await play.hq.agent("ada")
    told = []

    def answer(ask):
        turn = len(ask.messages)
        if turn == 1:
            return ("hq_task", {"action": "list"})
        return DONE

    class Busy(Told):
        async def answer(self, ask, *, on_text=None):
            if not self.asked:
                sent = await play.hq.do("agent.send", agent="scout", text="It is 7", kind="report", _token=ada)
                told.append(sent)
            return await super().answer(ask)

    mind = Busy(answer)
    session, ended = await play.run(mind)

    assert told[0]["state"] == "queued" and told[0]["session"] == session
    assert ended.state == "done"
    assert "New report from agent:ada" in heard(mind)
    (mail,) = (await play.hq.do("agent.inbox", agent="scout", kind="report"))["items"]
    assert mail["state"] == "read"
    shown = (await play.hq.do("agent.read", message=mail["message"]))["items"][0]
    assert shown["session"] == session and set(shown["receipts"]) == {"delivered", "read"}


async def test_what_comes_with_the_last_word_is_answered_before_the_end(play):
    await play.agent("ada")
    ada = await play.hq.agent("ada")

    class Late(Told):
        async def answer(self, ask, *, on_text=None):
            if not self.asked:
                await play.hq.do("agent.send", agent="scout", text="Wait", kind="report", _token=ada)
            return await super().answer(ask)

    mind = Late([DONE])
    await play.run(mind)

    assert len(mind.asked) == 2


async def test_news_wake_nobody_and_go_along_with_the_next_session(play):
    sent = await play.hq.do("agent.send", agent="scout", text="Fridays are off", kind="fyi")
    assert sent["state"] == "queued"
    assert await play.runner([DONE]).run_once() == 0

    mind = Told([DONE])
    await play.run(mind)

    assert "Fridays are off" in heard(mind)


async def test_mail_for_an_empty_seat_waits_until_somebody_sits_down(post, chart):
    title = chart[0]["title"]
    sent = await post.hq.do("agent.send", agent=title, text="Welcome")
    assert (sent["state"], sent["agent"]) == ("queued", title)
    assert await post.settle() == 0

    await post.hire("Gavin", title)
    assert await post.settle() >= 1

    mind = Told([DONE])
    await post.play.runner(mind).run_once()
    assert "Welcome" in texts(mind.asked[0].messages)[0]
    assert await post.state(sent["message"]) == "read"


async def test_an_empty_seat_past_the_deadline_passes_it_up_to_the_founder(post, chart):
    below = next(seat for seat in chart if seat.get("reports_to"))
    sent = await post.hq.do("agent.send", agent=below["title"], text="Help", kind="escalation", within="2h")
    assert await post.settle() == 0

    post.hq.clock.advance(hours=3)
    assert await post.settle() == 1

    (mail,) = (await post.hq.do("agent.inbox"))["items"]
    assert (mail["message"], mail["state"]) == (sent["message"], "delivered")


async def test_manager_escalation_and_groups_follow_the_chart(post, chart):
    below = next(seat for seat in chart if seat.get("reports_to"))
    token = await post.hire("Con", below["title"])

    to_manager = await post.hq.do("agent.send", agent="manager", text="done", kind="report", _token=token)
    up = await post.hq.do("agent.send", agent="escalation", text="stuck", kind="escalation", _token=token)
    assert to_manager["state"] == "queued"  # the seat above is empty: it waits there
    assert up["agent"] == "founder"  # an escalation goes past empty seats

    boss = next(seat for seat in chart if seat["title"] == below["reports_to"])
    boss_token = await post.hire("Gavin", boss["title"])
    assert (await post.hq.do("agent.send", agent="manager", text="x", kind="report", _token=token))["agent"] == "gavin"
    assert (await post.hq.do("agent.send", agent="role:" + below["role"], text="x", _token=boss_token))[
        "agent"
    ] == "con"
    told = await post.hq.do("agent.broadcast", group="@reports", text="Friday is off", _token=boss_token)
    assert [item["agent"] for item in told["items"]] == ["con"]


async def test_only_the_ceo_speaks_to_the_founder_directly(post, chart):
    token = await post.hire("Con", chart[-1]["title"])

    refused = await post.hq.call("agent.send", agent="founder", text="hi", _token=token)

    assert refused.error["code"] == "cross_scope_violation" and "manager" in refused.error["hint"]


async def test_organisations_are_apart_until_the_founder_allows_it(post, chart):
    other = Post(post.play, (await post.hq.do("org.create", name="Other", purpose="other"))["slug"])
    token = await post.hire("Con", chart[-1]["title"])
    await post.hq.do("agent.hire", name="Eve", org=other.org, title="Trader", role="trader")

    refused = await post.hq.call("agent.send", agent="eve", text="hi", _token=token)
    assert refused.error["code"] == "cross_scope_violation" and "another organisation" in refused.error["message"]

    await post.hq.do("grant.add", actor="agent:con", verb="agent.send", scope=other.org)
    assert (await post.hq.do("agent.send", agent="eve", text="hi", _token=token))["agent"] == "eve"


async def test_a_soft_interrupt_is_read_before_what_was_to_be_done_next(play):
    calls = [("hq_task", {"action": "create", "title": f"Task {n}"}) for n in range(3)]

    class Overtaken(Told):
        async def answer(self, ask, *, on_text=None):
            if not self.asked:
                await play.hq.do("agent.send", agent="scout", text="Make none", kind="interrupt")
                ((id, why),) = (await runner.leases.keep(list(runner.sessions))).items()
                assert why == "soft interrupt"
                runner.sessions[id].signals.halt(why)
            return await super().answer(ask)

    mind = Overtaken(lambda ask: calls if len(ask.messages) == 1 else DONE)
    runner = play.runner(mind)
    session = (await play.hq.do("agent.send", agent="scout", text="make three"))["session"]
    await runner.run_once()

    assert (await play.hq.do("task.list"))["items"] == []
    assert play.ended[session].state == "done"


async def test_a_hard_interrupt_stops_with_a_memo_and_the_next_session_has_it(play):
    handed = '{"summary": "half", "handover": "Ana still waits", "memories": [{"kind": "fact", "body": "b"}]}'
    post = Post(play, "")
    session = (await play.hq.do("agent.send", agent="scout", text="write the offer"))["session"]
    runner = play.runner(None, remembers=True)

    class Stuck(Told):
        async def answer(self, ask, *, on_text=None):
            if "Leave a snapshot" in str(ask.messages[-1]):
                self.lines = [handed]
                return await super().answer(ask)
            if self.asked:  # the second turn hangs: only the interrupt ends it
                await play.hq.do("agent.send", agent="scout", text="Stop that", kind="interrupt", hard=True)
                stops = await runner.leases.keep(list(runner.sessions))
                for id, running in runner.sessions.items():
                    running.signals.halt(stops[id])
                import asyncio

                await asyncio.sleep(60)
            return await super().answer(ask)

    runner.company.told = Stuck([("hq_task", {"action": "list"})])
    await runner.run_once()

    shown = await play.hq.do("session.show", id=session)
    assert shown["state"] == "stopped" and shown["closed_as"].startswith("interrupt: founder: Stop that")
    assert await post.settle() == 1
    mind = Told([DONE])
    await play.runner(mind).run_once()
    first = texts(mind.asked[0].messages)[0]
    assert "Stop that" in first and "Ana still waits" in first


async def test_only_who_is_above_interrupts(post, chart):
    below = next(seat for seat in chart if seat.get("reports_to"))
    con = await post.hire("Con", below["title"])
    gavin = await post.hire("Gavin", below["reports_to"])

    up = await post.hq.call("agent.send", agent="gavin", text="stop", kind="interrupt", _token=con)
    down = await post.hq.call("agent.send", agent="con", text="stop", kind="interrupt", _token=gavin)

    assert up.error["code"] == "cross_scope_violation" and down.ok


async def test_a_question_nobody_answers_is_given_up_in_time_and_the_asker_goes_on(play):
    await play.agent("ada")
    ask = ("hq_agent", {"action": "ask", "agent": "ada", "text": "How many?", "timeout": 60})
    mind = Told(lambda a: ask if len(a.messages) == 1 else DONE)
    session = (await play.hq.do("agent.send", agent="scout", text="count"))["session"]
    await play.runner(mind, max_turns=5).run_once()
    post = Post(play, "")
    await play.hq.do("agent.pause", agent="ada")

    play.hq.clock.advance(seconds=61)
    assert await post.settle() == 1
    await route(play.hq)
    await play.runner(mind).run_once()

    assert play.ended[session].state == "done"
    assert "nobody answered in time" in heard(mind)


async def test_a_session_opened_for_a_question_answers_with_its_last_words(play):
    outcome = await play.hq.call("agent.ask", agent="scout", text="How many?", _key="once")
    assert outcome.error["code"] == "waiting"
    await play.runner(["Seven.\n" + DONE]).run_once()
    assert await Post(play, "").settle() == 1

    answered = await play.hq.do("agent.ask", agent="scout", text="How many?", _key="once")

    assert (answered["answered"], answered["text"], answered["by"]) == (True, "Seven.", "agent:scout")


async def test_two_that_ask_each_other_do_not_wait_for_ever(play):
    """Each waits for the other, so the question back is put to the one that waits, where it waits."""
    await play.agent("ada")
    post = Post(play, "")

    def answer(ask):
        first = str(ask.messages[0])
        if len(ask.messages) > 1:
            return DONE
        if "question from agent:ada" in first:
            return f"Seven of them.\n{DONE}"
        if "question from agent:scout" in first:
            return ("hq_agent", {"action": "ask", "agent": "scout", "text": "Of what?"})
        return ("hq_agent", {"action": "ask", "agent": "ada", "text": "How many?"})

    session = (await play.hq.do("agent.send", agent="scout", text="count"))["session"]
    runner = play.runner(answer)
    for _ in range(8):
        await runner.run_once()
        await post.settle()
        await route(play.hq)

    assert play.ended[session].state == "done"


async def test_an_agent_reads_only_its_own_mail(play):
    await play.agent("ada")
    ada = await play.hq.agent("ada")
    sent = await play.hq.do("agent.send", agent="scout", text="secret")

    assert (await play.hq.call("agent.inbox", agent="scout", _token=ada)).error["code"] == "cross_scope_violation"
    assert (await play.hq.call("agent.read", message=sent["message"], _token=ada)).error["code"] == "not_found"
    replied = await play.hq.call("agent.reply", message=sent["message"], text="x", _token=ada)
    assert replied.error["code"] == "not_found"


async def test_taint_travels_with_a_message_into_the_session_that_reads_it(play):
    from hq.door.tx import Call

    outcome = await play.hq.door.call(
        Call("agent.send", {"agent": "scout", "text": "hi", "kind": "fyi"}, play.hq.token, taint=frozenset({"mail"}))
    )
    assert outcome.ok
    await play.run([("hq_task", {"action": "create", "title": "Because of it"}), DONE])

    (task,) = (await play.hq.do("task.list"))["items"]
    assert (await play.hq.do("task.show", ref=task["slug"]))["taint"] == ["mail"]


async def test_the_roster_says_who_is_there_and_what_is_unread(post, chart):
    await post.hire("Con", chart[-1]["title"])
    await post.hq.do("agent.send", agent="con", text="hello", kind="fyi")

    items = {item["agent"]: item for item in (await post.hq.do("agent.roster"))["items"]}

    assert items["con"] | {"seat": chart[-1]["title"], "presence": "cold", "unread": 1} == items["con"]
    assert (await post.hq.do("agent.presence", agent="con"))["presence"] == "cold"


@pytest.mark.parametrize("address", ["nobody", "role:none", "position:none", "persona:none", "agent:none", "@none"])
async def test_an_address_that_names_nobody_says_so(play, address):
    verb = "agent.broadcast" if address.startswith("@") else "agent.send"
    to = {"group": address} if address.startswith("@") else {"agent": address}

    refused = await play.hq.call(verb, text="hi", **to)

    assert refused.error["code"] == "not_found" and refused.error["hint"]


async def test_a_restarted_agent_still_owes_the_answer(play):
    outcome = await play.hq.call("agent.ask", agent="scout", text="How many?", _key="once")
    assert outcome.error["code"] == "waiting"
    await play.hq.do("agent.restart", agent="scout")
    post = Post(play, "")
    assert await post.settle() == 0

    await play.runner(["Seven.\n" + DONE]).run_once()
    assert await post.settle() == 1

    assert (await play.hq.do("agent.ask", agent="scout", text="How many?", _key="once"))["text"] == "Seven."


async def test_the_founder_is_given_all_the_time_there_is(house):
    chief = await house.hq.agent("chief")
    asked = await house.hq.call("agent.ask", agent="founder", text="Which one?", timeout=60, _token=chief, _key="k")
    house.hq.clock.advance(days=3)
    await Post(Play(house.hq), "").settle()
    (mail,) = (await house.hq.do("agent.inbox", unread=True))["items"]

    await house.hq.do("agent.reply", message=mail["message"], text="The blue one.")

    assert asked.error["code"] == "waiting" and mail["kind"] == "question"
    again = await house.hq.do("agent.ask", agent="founder", text="Which one?", timeout=60, _token=chief, _key="k")
    assert (again["text"], again["by"]) == ("The blue one.", "founder")


async def test_a_group_knows_its_own_and_everybody_reads_only_theirs(post, chart):
    con, eve = await post.hire("Con", chart[-1]["title"]), await post.hire("Eve", chart[-2]["title"])
    told = await post.hq.do("agent.broadcast", group=f"@{post.org}", text="Friday is off", _token=con)

    assert [item["agent"] for item in told["items"]] == ["eve"]
    (mail,) = (await post.hq.do("agent.inbox", _token=eve))["items"]
    assert mail["text"] == "Friday is off" and (await post.hq.do("agent.inbox", _token=con))["items"] == []
    (sent,) = (await post.hq.do("agent.inbox", sent=True, _token=con))["items"]
    assert (sent["to"], sent["state"]) == ("agent:eve", "queued")
    await post.hq.do("agent.read", message=mail["message"], _token=eve)
    (sent,) = (await post.hq.do("agent.inbox", sent=True, _token=con))["items"]
    assert sent["state"] == "read"


async def test_what_a_retired_agent_did_not_read_goes_to_who_has_its_seat(post, chart):
    await post.hire("Con", chart[-1]["title"])
    await post.hq.do("agent.send", agent="con", text="The key is under the mat", kind="fyi")
    await post.hq.do("agent.succeed", agent="con", by="Dan")

    await post.settle()

    (mail,) = (await post.hq.do("agent.inbox", agent="dan"))["items"]
    assert mail["text"] == "The key is under the mat"


async def test_an_answer_that_comes_after_a_person_stopped_waiting_is_there_when_they_look(post):
    asked = await post.hq.call("agent.ask", agent="scout", text="How far?", timeout=2)
    post.hq.clock.advance(seconds=5)
    await post.settle()

    await post.play.runner([f"Half way.\n{DONE}"]).run_once()
    await post.settle()

    assert await post.state(asked.data["message"]) == "answered"
    said = (await post.hq.do("agent.read", message=asked.data["message"]))["items"][-1]
    assert (said["kind"], said["text"]) == ("answer", "Half way.")
