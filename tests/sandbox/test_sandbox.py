"""Running a program: what it is told, what it says, how it ends, and whom it can talk to."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import nullcontext

import pytest
import uvloop

from hq.errors import Outage, Refused
from hq.sandbox import SandboxJob, SandboxLimits
from hq.sandbox.dialer import Blocked, Dialer, NetworkPolicy
from tests.support.sandboxes import MISSING, Ground

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))


async def test_the_outcome_says_how_it_ended_and_what_it_said(ground: Ground) -> None:
    outcome = await ground.sh("echo out; echo err >&2; exit 7")

    assert (outcome.exit, outcome.stdout, outcome.stderr) == (7, b"out\n", b"err\n")
    assert not outcome.ok and outcome.killed_by is None
    assert outcome.enforced_by["files"] == "kernel" and outcome.enforced_by["memory"] == "supervised"


async def test_a_program_that_is_not_there_is_an_outcome(ground: Ground) -> None:
    outcome = await ground.run(["no-such-program"])

    assert outcome.exit == 127 and b"No such file" in outcome.stderr


async def test_a_signal_shows_in_the_exit_status(ground: Ground) -> None:
    assert (await ground.sh("kill -TERM $$")).exit == 128 + 15


async def test_its_input_is_what_it_was_given_and_then_ends(ground: Ground) -> None:
    outcome = await ground.run(["wc", "-c"], stdin=b"x" * 1_000_000)

    assert outcome.stdout.strip() == b"1000000"


async def test_input_that_is_not_read_does_no_harm(ground: Ground) -> None:
    assert (await ground.run(["true"], stdin=b"x" * 1_000_000)).ok


def test_it_works_on_the_servers_loop_too(ground: Ground) -> None:
    async def several() -> list[int]:
        done = [await ground.run(["true"], stdin=b"not read") for _ in range(5)]
        return [outcome.exit for outcome in [*done, await ground.run(["cat"], stdin=b"read")]]

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(several()) == [0] * 6
        with pytest.raises(Outage, match="Permission denied") if os.geteuid() == 0 else nullcontext():
            (ground.path / "missions").chmod(0o700)
            for _ in range(5):
                runner.run(ground.run(["true"], stdin=b"nobody there"))


async def test_output_is_heard_as_it_comes_and_kept_up_to_a_point(ground: Ground) -> None:
    heard: list[bytes] = []

    outcome = await ground.sandbox.run(
        SandboxJob(["sh", "-c", "yes | head -c 300000"], ground.mission, limits=SandboxLimits(output_bytes=1000)),
        on_output=lambda stream, piece: heard.append(piece),
    )

    assert outcome.truncated and len(outcome.stdout) == 1000 and sum(map(len, heard)) == 300_000


async def test_one_can_talk_with_it(ground: Ground) -> None:
    said: asyncio.Queue[bytes] = asyncio.Queue()
    job = SandboxJob(["sh", "-c", "while read line; do echo heard $line; done"], ground.mission)

    async with ground.sandbox.start(job, lambda _, piece: said.put_nowait(piece)) as running:
        await running.send(b"one\n")
        assert await said.get() == b"heard one\n"
        await running.send(b"two\n")
        assert await said.get() == b"heard two\n"
        await running.end_input()
        assert (await running.wait()).ok


async def test_it_can_be_called_off(ground: Ground) -> None:
    async with ground.sandbox.start(SandboxJob(["sleep", "60"], ground.mission)) as running:
        await running.kill("the founder said stop")
        outcome = await running.wait()

    assert outcome.killed_by == "caller" and outcome.why == "the founder said stop"


async def test_several_at_once_keep_their_own_limits(ground: Ground) -> None:
    six = "for i in 1 2 3 4 5; do sleep 0.5 & done; wait"

    assert all(outcome.ok for outcome in await asyncio.gather(*[ground.sh(six) for _ in range(4)]))


async def test_nothing_is_left_in_the_scratch_directory(ground: Ground) -> None:
    await ground.sh("mkdir -p /tmp/a/b; echo x > /tmp/a/b/c; chmod 0 /tmp/a/b /tmp/a")

    assert list((ground.path / "scratch").iterdir()) == []


async def test_what_a_process_that_died_left_there_is_removed_by_the_next(ground: Ground) -> None:
    left = ground.path / "scratch" / "job-left"
    (left / "deep").mkdir(parents=True)

    async with ground.sandbox.start(SandboxJob(["sleep", "20"], ground.mission)):
        mine = list((ground.path / "scratch").iterdir())
        await ground.sh("true")
        assert left not in mine and mine == list((ground.path / "scratch").iterdir())


async def test_ordinary_tools_work(ground: Ground) -> None:
    outcome = await ground.sh(
        "git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --oneline | wc -l;"
        "python3 -m venv --without-pip v && v/bin/python -c 'import getpass; print(getpass.getuser())'"
    )

    assert outcome.stdout == b"1\nmission\n", outcome.stderr


@pytest.mark.parametrize("argv", [[], ["a\0b"]])
async def test_a_job_that_makes_no_sense_is_refused(ground: Ground, argv: list[str]) -> None:
    with pytest.raises(Refused):
        await ground.run(argv)


@pytest.fixture
async def web(ground: Ground) -> AsyncIterator[int]:
    """A web server on this machine that the test's dialer counts as outside."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        body = b"hello " + head.split(b" ")[1] + b"\n"
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        ground.dialer.port = server.sockets[0].getsockname()[1]
        yield ground.dialer.port


@pytest.mark.parametrize("option", ["", "--proxytunnel"])
async def test_a_listed_domain_is_reached_through_the_proxy(ground: Ground, web: int, option: str) -> None:
    outcome = await ground.sh(f"curl -sS {option} http://good.test:{web}/x", network=[f"good.test:{web}"])

    assert outcome.stdout == b"hello /x\n", outcome.stderr
    assert [(each.host, each.refused) for each in outcome.reached] == [("good.test", "")]


async def test_any_public_domain_is_reached_where_the_network_is_on_unless_it_is_blocked(
    ground: Ground, web: int
) -> None:
    fetch = f"curl -sS http://good.test:{web}/x"

    assert (await ground.sh(fetch, network="on")).stdout == b"hello /x\n"
    blocked = await ground.sh(fetch, network="on", blocked=["test"])
    assert b"blocked for the workspace" in blocked.stdout and blocked.reached[0].refused


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://evil.test:{web}/", "not among those"),
        ("http://meta.good.test/latest/meta-data", "private network"),
        ("http://mapped.good.test/", "private network"),
        ("http://127.0.0.1:{web}/", "not among those"),
        ("http://nowhere.good.test/", "no such host"),
    ],
)
async def test_everything_else_is_refused_with_a_reason(ground: Ground, web: int, url: str, why: str) -> None:
    outcome = await ground.sh(
        f"curl -sS -x http://127.0.0.1:3128 --noproxy '' {url.format(web=web)}",
        network=[f"good.test:{web}", "*.good.test"],
    )

    assert why in outcome.stdout.decode()


@pytest.mark.parametrize("network", ["off", "on", ["good.test"]])
async def test_there_is_no_way_around_the_proxy(ground: Ground, web: int, network: str | list[str]) -> None:
    outcome = await ground.sh(f"curl -sS -m 5 --noproxy '*' http://127.0.0.1:{web}/", network=network)

    assert outcome.exit == 7


async def test_a_port_of_this_machine_is_not_outside_even_where_the_network_is_on(ground: Ground, web: int) -> None:
    ground.dialer.port = 0

    outcome = await ground.sh(f"curl -sS http://home.test:{web}/", network="on")

    assert b"this machine or a private network" in outcome.stdout


async def test_a_door_leads_to_one_address_and_no_other(ground: Ground, web: int) -> None:
    outcome = await ground.sh(
        f"curl -sS http://127.0.0.1:7000/door; curl -sS http://127.0.0.1:{web}/", doors={7000: ("127.0.0.1", web)}
    )

    assert outcome.stdout == b"hello /door\n" and outcome.exit == 7


async def test_our_own_public_address_is_not_outside() -> None:
    class Here(Dialer):
        async def addresses(self, host, port):
            from ipaddress import ip_address

            return [ip_address("127.0.0.1")]

    with pytest.raises(Blocked):
        await Here().dial(NetworkPolicy("on"), "here.example", 80)


@pytest.mark.parametrize("pattern", ["", "https://example.com", "example.com/path", "example.com:http", "*."])
def test_a_list_of_domains_that_makes_no_sense_is_refused(pattern: str) -> None:
    with pytest.raises(Refused):
        NetworkPolicy([pattern])


@pytest.mark.parametrize(
    ("pattern", "host", "port", "reached"),
    [
        ("example.com", "example.com", 443, True),
        ("example.com", "www.example.com", 443, False),
        ("example.com", "badexample.com", 443, False),
        ("*.example.com", "www.example.com", 443, True),
        ("*.example.com", "example.com", 443, False),
        ("example.com", "example.com", 22, False),
        ("example.com:22", "example.com", 22, True),
        ("example.com:22", "example.com", 443, False),
    ],
)
def test_what_a_listed_domain_covers(pattern: str, host: str, port: int, reached: bool) -> None:
    try:
        NetworkPolicy([pattern]).check(host, port)
    except Blocked:
        assert not reached
    else:
        assert reached
