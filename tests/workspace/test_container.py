"""`container_exec`: a shell on the working tree, and on nothing else."""

from __future__ import annotations

import pytest

from tests.support.sandboxes import MISSING

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))


@pytest.fixture
def run(hq, tree):
    async def ran(command: str, **more):
        return await hq.call("container.exec", command=command, workspace="app1", session="one", **more)

    return ran


async def test_a_command_works_on_the_tree_and_what_it_printed_is_an_artifact(hq, run, tree):
    ran = (await run("echo made > file; pwd; cat; echo bad >&2; exit 4", stdin="given")).data

    assert ran["exit_code"] == 4 and ran["text"] == "/mission\ngiven\n[stderr]\nbad\n"
    assert (tree / "file").read_text() == "made\n"
    assert ran["taint"] == [] and ran["enforced_by"]["files"] == "kernel"
    assert (await hq.do("artifact.read", id=ran["artifact"]))["text"] == ran["text"]


async def test_nothing_else_is_within_reach(run):
    ran = (await run("cat /etc/shadow; ls /root /home; touch /usr/x; env | grep -i hq; env | grep -c PATH=")).data

    assert ran["text"].splitlines() == [
        "1",  # there is an environment to look into
        "[stderr]",
        "cat: /etc/shadow: No such file or directory",
        "ls: cannot access '/root': No such file or directory",
        "ls: cannot access '/home': No such file or directory",
        "touch: cannot touch '/usr/x': Read-only file system",
    ]


async def test_what_takes_too_long_is_stopped(run):
    ran = (await run("echo begun; sleep 60", timeout=5)).data

    assert ran["killed_by"] == "runtime" and "exit_code" not in ran and "begun" in ran["text"]


async def test_there_is_no_network_unless_it_is_asked_for_and_allowed(hq, run):
    await hq.do("workspace.set", ref="app1", network=False)

    refused = await run("true", network=True)

    assert refused.error["code"] == "forbidden"
    assert (await run("cat /proc/net/route | wc -l")).data["text"].strip() in ("0", "1")


async def test_an_agent_runs_without_network_and_asks_for_it(hq, tree):
    await hq.do("agent.create", name="forge", role="Developer", tools=["container"])
    agent = await hq.agent("forge")
    await hq.do("workspace.begin", ref="app1", session="two", _token=agent)
    call = {"command": "echo hello", "workspace": "app1", "session": "two", "_token": agent}

    quiet = await hq.call("container.exec", **call, _taint=frozenset({"web:x"}))
    loud = await hq.call("container.exec", **call, network=True)
    await hq.do("workspace.set", ref="app1", allow=["example.org"])
    listed = await hq.call("container.exec", **call, network=True)
    tainted = await hq.call("container.exec", **call, network=True, _taint=frozenset({"web:x"}))

    assert quiet.ok and quiet.data["text"] == "hello\n"
    assert loud.error["code"] == tainted.error["code"] == "waiting"
    assert listed.ok, listed.error
