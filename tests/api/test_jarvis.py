"""The Supervisor API as seed 001 writes it, over HTTP: auth, runs, their events, time-outs, and coming back."""

from __future__ import annotations

import asyncio
import re
from datetime import datetime
from functools import partial

import httpx2
import pytest

from hq.chat import run_view
from hq.database.migrate import Migrated
from hq.engine.sessions.places import Places
from hq.headquarters import Headquarters
from tests.api import jarvis_stream
from tests.support.cast import Cast, spawn, spawned, wait
from tests.support.play import Play, Told, route
from tests.support.streams import announcing, served
from tests.support.supervised import announced

ASK = {
    "task": "Check my server health",
    "context": {
        "conversation_id": "jarvis-session-123",
        "previous_messages": [{"role": "user", "content": "Cube was slow yesterday"}],
    },
    "preferences": {"verbosity": "concise", "notify_on_complete": False},
}
DONE = '<task-complete reason="78 % full"/>'


@pytest.fixture
async def live(own_hq, settings):
    await own_hq.do("agent.load")
    house = Headquarters(settings, own_hq.address, own_hq.door, own_hq.token, own_hq.clock, Migrated((), 1))
    async with served(house) as server:
        yield server


@pytest.fixture
async def device(own_hq, live):
    """A device that came in with its secret, and has nothing but its session cookie."""
    secret = (await own_hq.do("auth.token", device="jarvis"))["token"]
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{live.port}", timeout=60) as client:
        assert (await client.post("/api/jarvis/auth", json={"device_secret": secret})).status_code == 200
        yield client


async def follow(live, device, run: int, path: str = "/api/jarvis/supervisor/events", **headers: str):
    """Everything that is told of a run until it is over, as (name, data)."""
    return await jarvis_stream.whole(live, f"{path}?run_id={run}", device.cookies["jarvis_session"], **headers)


async def start(device, **more) -> dict:
    answer = await device.post("/api/jarvis/supervisor", json=ASK | more)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def work(hq, mind, rounds: int = 6) -> None:
    runner = Play(hq).runner(mind)
    for _ in range(rounds):
        await runner.run_once()
        await route(hq)


async def test_a_device_secret_becomes_a_session_of_seven_days(own_hq, live):
    secret = (await own_hq.do("auth.token", device="kitchen"))["token"]
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{live.port}") as client:
        refused = await client.post("/api/jarvis/auth", json={"device_secret": "nonsense"})
        assert refused.status_code == 401 and not client.cookies
        answer = await client.post("/api/jarvis/auth", json={"device_secret": secret})
        assert answer.json()["session_expires_in"] == 7 * 24 * 3600
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie and secret not in cookie
        session = client.cookies["jarvis_session"]

        assert (await client.get("/api/jarvis/runs/1")).status_code == 404  # it is let in
        again = await client.post("/api/jarvis/auth", json={"device_secret": session})
        assert again.status_code == 403  # or it would never end
        own_hq.clock.advance(days=7, seconds=1)
        assert (await client.get("/api/jarvis/runs/1")).status_code == 401


async def test_a_session_ends_with_the_secret_that_opened_it(own_hq, live):
    kitchen, hall = [await own_hq.do("auth.token", device="kitchen") for _ in range(2)]
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{live.port}") as client:
        tokens = []
        for secret in (kitchen, hall):
            await client.post("/api/jarvis/auth", json={"device_secret": secret["token"]})
            tokens.append(client.cookies["jarvis_session"])
        link = await own_hq.do("auth.login", _token=kitchen["token"])
        browser = (await own_hq.do("auth.exchange", _token=link["code"]))["token"]
        client.cookies.clear()

        await own_hq.do("auth.revoke", id=kitchen["id"])

        bearer = [await own_hq.call("auth.whoami", _token=token) for token in (*tokens, browser)]
        assert [each.ok for each in bearer] == [False, True, False]
        client.cookies["jarvis_session"] = tokens[0]
        assert (await client.get("/api/jarvis/runs/1")).status_code == 401


async def test_a_page_elsewhere_cannot_use_the_session(device):
    for header in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        answer = await device.post("/api/jarvis/supervisor", json=ASK, headers=header)
        assert answer.status_code == 403


async def test_a_task_is_dispatched_as_the_seed_says(own_hq, device):
    told = await start(device)

    assert told == {
        "run_id": told["run_id"],
        "thread_id": told["thread_id"],
        "status": "running",
        "estimated_duration_seconds": 30,
        "stream_url": f"/api/jarvis/supervisor/events?run_id={told['run_id']}",
    }
    assert type(told["run_id"]) is int and type(told["thread_id"]) is int
    mind = Told(["Fine."])
    await Play(own_hq).runner(mind).run_once()
    asked, told = str(mind.asked[0].messages), mind.asked[0].now
    assert "Check my server health" in asked and "Cube was slow" not in asked
    assert all(part in told for part in ("Cube was slow yesterday", "a sentence or two", "jarvis-session-123"))


async def test_every_run_is_in_the_founders_one_thread(own_hq, device):
    first = await start(device)
    await work(own_hq, ["Fine."], 1)
    second = await start(device, task="And the backup?")

    assert second["thread_id"] == first["thread_id"] and second["run_id"] > first["run_id"]
    await own_hq.do("session.stop", id=(await own_hq.do("chat.status"))["session"])
    third = await start(device, task="Still there?")
    assert third["thread_id"] == first["thread_id"]  # also when its session was begun anew
    lines = [line["text"] for line in (await own_hq.do("chat.history"))["items"]]
    assert "Fine." in lines and any("Still there?" in line for line in lines)


async def test_runs_at_once_each_get_their_own_answer(own_hq, device):
    """One comes while another is worked on, two more before anybody looks."""
    tasks = [f"Task {n}" for n in "ABC"]
    runs = [(await start(device, task=tasks[0]))["run_id"]]

    class Overtaken(Told):
        async def answer(self, ask, *, on_text=None):
            if len(runs) == 1:
                runs.extend([(await start(device, task=task))["run_id"] for task in tasks[1:]])
            return await super().answer(ask)

    calls = iter([("hq_task", {"action": "list"})])
    said = Overtaken(lambda ask: next(calls, None) or f"About {re.findall('Task (.)', str(ask.messages))[-1]}")
    await work(own_hq, said)

    shown = [(await device.get(f"/api/jarvis/runs/{run}")).json() for run in runs]
    assert [(run["status"], run["result"]) for run in shown] == [("success", f"About {n}") for n in "ABC"]


class Interrupted(Told):
    """Answers after a while, and before its first answer comes this happens."""

    def __init__(self, hq, meanwhile, seconds: float = 6) -> None:
        super().__init__(lambda ask: f"About {re.findall('Task (.)', str(ask.messages))[-1]}")
        self.hq, self.meanwhile, self.seconds = hq, meanwhile, seconds

    async def answer(self, ask, *, on_text=None):
        self.hq.clock.advance(seconds=self.seconds)
        if not self.asked:
            await self.meanwhile()
        return await super().answer(ask)


async def outcomes(device, *runs: int) -> list[tuple[str, str]]:
    shown = [(await device.get(f"/api/jarvis/runs/{run}")).json() for run in runs]
    return [(run["status"], run["result"]) for run in shown]


async def test_a_run_and_a_chat_message_that_overlap_each_get_their_own_answer(own_hq, device):
    run = (await start(device, task="Task A"))["run_id"]
    said = partial(own_hq.do, "chat.say", text="Task B")

    await work(own_hq, mind := Interrupted(own_hq, said))

    assert await outcomes(device, run) == [("success", "About A")]
    lines = [line["text"] for line in (await own_hq.do("chat.history"))["items"]]
    assert lines[-3:] == ["About A", "Task B", "About B"] and len(mind.asked) == 2


async def test_time_counts_from_where_the_own_turn_begins(own_hq, device):
    """A mind that takes 40 of the 60 seconds; a chat message and a second run come meanwhile."""
    runs = [(await start(device, task="Task A"))["run_id"]]

    async def meanwhile() -> None:
        await own_hq.do("chat.say", text="Task B")
        runs.append((await start(device, task="Task C"))["run_id"])

    await work(own_hq, mind := Interrupted(own_hq, meanwhile, 40))

    assert await outcomes(device, *runs) == [("success", "About A"), ("success", "About C")]
    lines = [line["text"] for line in (await own_hq.do("chat.history"))["items"]]
    assert "About B" in lines and len(mind.asked) == 3 and not any("stopped" in line for line in lines)


async def test_who_speaks_while_a_run_waits_for_a_worker_is_answered_at_once_and_the_run_later(own_hq, device):
    run = (await start(device, task="Task A"))["run_id"]
    mind = Cast([spawn("A long one"), lambda ask: wait(*spawned(ask)), "Hello.", "The worker is done."], [DONE])
    runner = Play(own_hq).runner(mind)
    runner.places = Places(1)  # the worker has to wait
    await runner.run_once()
    await own_hq.do("chat.say", text="Are you there?")
    await runner.run_once()

    assert (await own_hq.do("chat.history"))["items"][-1]["text"] == "Hello."
    assert await outcomes(device, run) == [("running", None)]
    await work(own_hq, mind)
    assert await outcomes(device, run) == [("success", "The worker is done.")]


async def test_events_of_a_run_with_workers(own_hq, live, device):
    run = (await start(device))["run_id"]
    mind = Cast(
        [
            [spawn("Check disk usage on cube"), spawn("Check docker")],
            lambda ask: wait(*spawned(ask)),
            "Your servers look good.",
        ],
        ["Cube is fine.\n" + DONE],
    )
    told, _ = await asyncio.gather(follow(live, device, run), work(own_hq, mind))

    thread = (await device.get(f"/api/jarvis/runs/{run}")).json()["thread_id"]
    names = [name for name, _ in told]
    assert told[0] == (
        "supervisor_started",
        {"run_id": run, "thread_id": thread, "task": "Check my server health"},
    )
    assert told[1] == ("supervisor_thinking", {"message": "Analyzing your request..."})
    assert told[-1] == ("supervisor_complete", {"run_id": run, "result": "Your servers look good."})
    for name in ("worker_spawned", "worker_started", "worker_complete", "worker_summary_ready"):
        assert names.count(name) == 2, names
    job = next(data["job_id"] for name, data in told if name == "worker_spawned")
    of_first = {name: data for name, data in told if data.get("job_id") == job}  # the two work side by side
    worker = of_first["worker_started"]["worker_id"]
    assert list(of_first) == ["worker_spawned", "worker_started", "worker_complete", "worker_summary_ready"]
    assert of_first["worker_spawned"] == {"job_id": job, "task": "Check disk usage on cube", "model": "script"}
    assert of_first["worker_started"] == {"job_id": job, "worker_id": worker}
    assert of_first["worker_complete"] == {"job_id": job, "worker_id": worker, "status": "success", "duration_ms": 0}
    assert of_first["worker_summary_ready"] == {"job_id": job, "worker_id": worker, "summary": "78 % full"}
    assert type(job) is int and worker.endswith("_check-disk-usage-on-cube")


async def test_what_a_run_came_to(own_hq, device):
    began = f"{own_hq.clock.now():%Y-%m-%dT%H:%M:%SZ}"
    begun = await start(device)
    run, thread = begun["run_id"], begun["thread_id"]
    before = (await device.get(f"/api/jarvis/runs/{run}")).json()
    assert before["status"] == "running" and before["completed_at"] is None and before["result"] is None
    mind = Cast([spawn("Check disk usage"), lambda ask: wait(*spawned(ask)), "All good."], [DONE])
    await work(own_hq, mind)

    told = (await device.get(f"/api/jarvis/runs/{run}")).json()

    worker = told["workers"][0].pop("worker_id")
    assert worker.endswith("_check-disk-usage")
    assert told == {
        "run_id": run,
        "status": "success",
        "started_at": began,
        "completed_at": began,
        "duration_ms": 0,
        "result": "All good.",
        "workers": [{"task": "Check disk usage", "status": "success", "duration_ms": 0}],
        "thread_id": thread,
        "tokens_used": 0,  # nothing is set aside on the tests' stage
        "cost_usd": None,  # nor is anything priced there
    }


async def test_whoever_comes_back_is_told_the_rest_and_nothing_twice(own_hq, live, device):
    run = (await start(device))["run_id"]
    mind = Cast([spawn("One"), spawn("Two"), lambda ask: wait(*spawned(ask)), "Done."], [DONE])
    await work(own_hq, mind)
    whole = await jarvis_stream.events(live, f"/api/jarvis/events?run_id={run}", device.cookies["jarvis_session"])

    for n, seen in enumerate(whole[:-1]):
        rest = await jarvis_stream.events(
            live, f"/api/jarvis/events?run_id={run}", device.cookies["jarvis_session"], last_event_id=seen.id
        )
        assert rest == whole[n + 1 :]
    assert len({said.id for said in whole}) == len(whole)
    over = await device.get(f"/api/jarvis/events?run_id={run}", headers={"last-event-id": whole[-1].id})
    assert over.status_code == 204  # an EventSource stops coming back


async def test_a_run_that_takes_too_long_stops_with_what_it_has(own_hq, live, device):
    run = (await start(device))["run_id"]

    def slow(ask):
        own_hq.clock.advance(seconds=59)
        return [("hq_task", {"action": "list"})]

    await work(own_hq, Told(slow), 1)
    told = await follow(live, device, run)

    name, data = told[-1]
    assert name == "error" and data["run_id"] == run and "out of time after 60 s" in data["message"]
    shown = (await device.get(f"/api/jarvis/runs/{run}")).json()
    assert shown["status"] == "timeout" and "sorry" in shown["error"]
    assert "out of time" in (await own_hq.do("chat.history"))["items"][-1]["text"]
    again = (await start(device, task="Go on"))["run_id"]  # the thread goes on
    await work(own_hq, ["Here it is."], 1)
    assert (await device.get(f"/api/jarvis/runs/{again}")).json()["status"] == "success"


async def test_partial_results_come_with_the_error(own_hq, live, device):
    run = (await start(device))["run_id"]

    class Slow(Told):
        async def answer(self, ask, *, on_text=None):
            if not self.asked:
                return await super().answer(ask)
            await on_text("The disk is fine, the")
            own_hq.clock.advance(seconds=60)
            (session,) = runner.sessions.values()
            session.signals.thinking.reschedule(asyncio.get_running_loop().time())  # that its time is up, it hears now
            return await asyncio.Future()  # for ever

    runner = Play(own_hq).runner(Slow([("hq_task", {"action": "list"})]))
    await runner.run_once()
    await route(own_hq)
    told = await follow(live, device, run)

    assert told[-1][0] == "error" and told[-1][1]["details"] == "The disk is fine, the"


async def test_what_is_spent_waiting_does_not_count(own_hq, live, device):
    run = (await start(device))["run_id"]
    mind = Cast([spawn("A long one"), lambda ask: wait(*spawned(ask)), "It took an hour."], [DONE])
    runner = Play(own_hq).runner(mind)
    assert await runner.run_once()  # spawns, and lies down
    own_hq.clock.advance(minutes=4)
    await work(own_hq, mind)

    told = (await device.get(f"/api/jarvis/runs/{run}")).json()
    assert (told["status"], told["result"]) == ("success", "It took an hour.")
    assert told["duration_ms"] >= 240_000


async def test_a_supervisor_that_breaks_says_so(own_hq, live, device):
    run = (await start(device))["run_id"]
    await own_hq.do("session.stop", id=(await own_hq.do("chat.status"))["session"])

    told = await follow(live, device, run)

    assert told[-1][0] == "error" and "I am sorry" in told[-1][1]["message"]
    assert (await device.get(f"/api/jarvis/runs/{run}")).json()["status"] == "failed"


async def test_a_paused_supervisor_is_an_answer_and_no_run(own_hq, device):
    await own_hq.do("agent.pause", agent="chief")

    answer = await device.post("/api/jarvis/supervisor", json=ASK)

    assert answer.status_code == 409 and "chief is paused" in answer.json()["detail"]


async def test_the_end_is_announced_for_whoever_wants_to_be_notified(own_hq, live, device):
    run = (await start(device, preferences={"notify_on_complete": True}))["run_id"]
    await work(own_hq, ["Done."], 1)
    await announced(own_hq)

    stream = await live.follow("?topic=run.finished&after=0")

    (told,) = await stream.events(1)
    assert told.data["payload"] | {"id": run, "status": "success", "notify": True} == told.data["payload"]
    stream.cut()


async def test_the_heartbeat(own_hq, live, device, monkeypatch):
    monkeypatch.setattr(run_view, "HEARTBEAT", 0.1)
    run = (await start(device))["run_id"]
    stream = await jarvis_stream.opened(
        live, f"/api/jarvis/supervisor/events?run_id={run}", device.cookies["jarvis_session"]
    )

    beat = await stream.until("heartbeat")

    assert list(beat.data) == ["timestamp"] and datetime.fromisoformat(beat.data["timestamp"])
    stream.cut()


async def test_the_heartbeat_comes_although_others_keep_the_house_busy(own_hq, live, device, monkeypatch):
    """What happens beside a run is news to whoever follows it, and says nothing to them."""
    monkeypatch.setattr(run_view, "HEARTBEAT", 1.5)
    run = (await start(device))["run_id"]
    target = f"/api/jarvis/supervisor/events?run_id={run}"
    stream = await jarvis_stream.opened(live, target, device.cookies["jarvis_session"])

    async def go_on() -> None:
        while True:
            await start(device)

    others = asyncio.create_task(go_on())
    async with announcing(own_hq), asyncio.timeout(20):
        for _ in range(2):
            await stream.until("heartbeat")
    assert others.cancel(), others
    stream.cut()


async def test_nobody_sees_another_companys_run(own_hq, live, device):
    run = (await start(device))["run_id"]
    token = await own_hq.tenant()
    async with httpx2.AsyncClient(
        base_url=f"http://127.0.0.1:{live.port}", headers={"authorization": f"Bearer {token}"}
    ) as other:
        assert (await other.get(f"/api/jarvis/runs/{run}")).status_code == 404
        assert (await other.get(f"/api/jarvis/events?run_id={run}")).status_code == 404


@pytest.mark.parametrize(
    "body", [{}, {"task": ""}, {"task": "   "}, {"task": 5}, {"task": "x", "preferences": {"verbosity": "loud"}}]
)
async def test_a_bad_request_is_said_clearly(device, body):
    answer = await device.post("/api/jarvis/supervisor", json=body)

    assert answer.status_code == 422 and answer.json()["detail"]


@pytest.mark.parametrize("run", ["", "x", "0", "-1", "9" * 30])
async def test_a_bad_number_is_said_clearly(device, run):
    answer = await device.get(f"/api/jarvis/events?run_id={run}")

    assert answer.status_code == 422 and "run_id" in answer.json()["detail"]
