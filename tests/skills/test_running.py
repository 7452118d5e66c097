"""Skills at work, for real: on this machine, over ssh, and in the sandbox."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
import subprocess
import time

import pytest

from hq.errors import Refused
from hq.skills.run import environment
from hq.skills.types import SkillParameter
from tests.support.passable import needs_sandbox

from .test_registry import COMMANDS, PAGE, SCRIPT, WITH_COMMAND

PLACES = ["here", "cube"]
VERDICTS = ["ok", "warning", "critical", "unknown"]


@pytest.fixture(params=PLACES)
def place(request) -> dict[str, str]:
    """On this machine, and on the same one over ssh."""
    if request.param == "here":
        return {}
    request.getfixturevalue("cube")
    return {"host": "cube"}


async def run(hq, skill: str, place: dict[str, str], **args):
    if not any(i["slug"] == skill for i in (await hq.do("skill.list", enabled=True))["items"]):
        await hq.do("skill.enable", skill=skill)
    return await hq.do("skill.run", skill=skill, command="check", args=args, **place)


async def test_disks_are_measured(hq, place):
    ran = await run(hq, "disk-health", place, warn_percent=100, critical_percent=101)
    full = await run(hq, "disk-health", place, warn_percent=0, critical_percent=0)

    assert ran["verdict"] == "ok" and ran["exit_code"] == 0
    assert "% of space used" in ran["text"] and "% of files used" in ran["text"]
    assert full["verdict"] == "critical"
    assert ran["where"] == (place.get("host") or "this machine")
    assert ran["taint"] == (["ssh:cube"] if place else [])
    assert (await hq.do("artifact.read", id=ran["artifact"]))["text"] == ran["text"]


async def test_backups_are_judged_by_the_age_of_the_newest(hq, place, tmp_path):
    tmp_path = tmp_path / "backups"
    tmp_path.mkdir()
    (tmp_path / "old.tar").touch()
    os.utime(tmp_path / "old.tar", (time.time() - 30 * 3600,) * 2)
    directory = {"tool": "directory", "path": str(tmp_path)}

    assert (await run(hq, "backup-health", place, **directory))["verdict"] == "critical"
    os.utime(tmp_path / "old.tar", (time.time() - 22 * 3600,) * 2)
    assert (await run(hq, "backup-health", place, **directory))["verdict"] == "warning"
    (tmp_path / "new.tar").touch()
    assert (await run(hq, "backup-health", place, **directory))["verdict"] == "ok"
    assert (await run(hq, "backup-health", place, tool="directory", path="/nowhere"))["verdict"] == "unknown"


KOPIA = """#!/bin/sh
[ "$*" = "snapshot list --all --json" ] && printf '[{"id":"a","endTime":"%s"},{"id":"b","endTime":"2020-01-01T00:00:00Z"}]' "$(date -u -d '-330 minutes' +%Y-%m-%dT%H:%M:%SZ)"
"""
DOCKER = """#!/bin/sh
case "$1" in
    ps) printf 'a\\nb\\n' ;;
    inspect) for id; do :; done; [ "$id" = a ] && echo "/web running 0 0 healthy always" || echo "/job $STATE" ;;
esac
"""


def _script_of(name: str, env: dict[str, str], programs: dict[str, str], tmp_path) -> subprocess.CompletedProcess[str]:
    """A check by itself, with programs this machine does not have."""
    from hq.skills.shipped import shipped

    for program, text in programs.items():
        (tmp_path / program).write_text(text)
        (tmp_path / program).chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    return subprocess.run(
        ["sh", "-s"], input=shipped()[name]["scripts/check.sh"].decode(), env={"PATH": path, **env},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_kopias_snapshots_are_read(tmp_path):
    ran = _script_of("backup-health", {"SKILL_TOOL": "kopia"}, {"kopia": KOPIA}, tmp_path)
    late = _script_of("backup-health", {"SKILL_TOOL": "auto", "SKILL_MAX_AGE_HOURS": "4"}, {"kopia": KOPIA}, tmp_path)

    assert ran.returncode == 0 and "5 hours old" in ran.stdout
    assert late.returncode == 2, late.stdout


@pytest.mark.parametrize(
    ("state", "code", "says"),
    [
        ("running 0 0 healthy no", 0, "2 containers are well"),
        ("exited 0 0 none no", 0, "2 containers are well"),
        ("exited 137 0 none no", 2, "ended with 137"),
        ("exited 0 0 none always", 2, "should always run"),
        ("running 0 0 unhealthy no", 2, "unhealthy"),
        ("running 0 9 none no", 1, "restarted 9 times"),
        ("restarting 1 2 none no", 2, "is restarting"),
    ],
)
def test_containers_are_judged_by_what_their_engine_says(tmp_path, state, code, says):
    ran = _script_of("container-health", {"STATE": state}, {"docker": DOCKER}, tmp_path)

    assert ran.returncode == code and says in ran.stdout, ran.stdout
    ignored = _script_of("container-health", {"STATE": state, "SKILL_IGNORE": "job"}, {"docker": DOCKER}, tmp_path)
    assert ignored.returncode == 0 and "1 containers" in ignored.stdout


async def test_containers_of_this_machine_are_asked_for_or_it_says_why_not(hq, place):
    ran = await run(hq, "container-health", place)

    levels = [line.partition(" ")[0].lower() for line in ran["text"].splitlines()]
    assert ran["verdict"] == max(levels, key=VERDICTS.index) == VERDICTS[ran["exit_code"]]


@pytest.fixture
def certificate(tmp_path):
    """Good for ten more days, with its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    files = (tmp_path / "cert.pem", tmp_path / "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "10", "-subj", "/CN=localhost",
         "-out", files[0], "-keyout", files[1]], check=True, capture_output=True,
    )  # fmt: skip
    return files


@pytest.fixture
async def tls(certificate):
    """A server that shows it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_addresses_services_and_certificates_are_looked_at(hq, place, tls):
    ran = await run(hq, "service-health", place, reach=[tls], certificates=[tls], warn_days=5)
    soon = await run(hq, "service-health", place, certificates=[tls], warn_days=21)
    down = await run(hq, "service-health", place, reach=["127.0.0.1:1"], services=["no-such-service"])

    assert ran["verdict"] == "ok" and "accepts connections" in ran["text"] and "good until" in ran["text"], ran["text"]
    assert soon["verdict"] == "warning" and "expires soon" in soon["text"]
    assert down["verdict"] == "critical" and down["text"].count("CRITICAL") == 2
    itself = await run(hq, "service-health", place)
    assert "listen on the ports" in itself["text"], "what it knows of itself, where nothing was named"


@pytest.mark.parametrize("evil", ["-e/bin/sh:80", "a;touch /tmp/x:1", "$(id):1", "x`id`:1", "--help"])
async def test_no_value_becomes_part_of_a_command(hq, place, evil):
    ran = await run(hq, "service-health", place, reach=[evil])

    assert ran["verdict"] == "unknown" and "no address" in ran["text"]


@needs_sandbox
async def test_a_skill_from_elsewhere_runs_in_the_sandbox_and_never_on_this_machine(hq):
    script = "id -u; ls /skill; cat /etc/shadow; ls /root"
    files = [*WITH_COMMAND[:2], {"path": "scripts/say.sh", "content": script}]
    await hq.do("skill.import", name="haiku", files=files)
    await hq.do("skill.enable", skill="haiku")

    ran = await hq.do("skill.run", skill="haiku", command="say", args={"word": "x"})

    assert ran["where"] == "sandbox"
    assert "SKILL.md" in ran["text"] and "root:" not in ran["text"]
    assert "shadow" in ran["text"].partition("[stderr]")[2], "there is none"


@needs_sandbox
async def test_one_under_the_name_of_ours_is_still_from_elsewhere(hq):
    page = PAGE.replace("name: haiku", "name: disk-health")
    files = [{"path": "SKILL.md", "content": page}, *WITH_COMMAND[1:]]
    await hq.do("skill.import", name="disk-health", files=files)
    await hq.do("skill.enable", skill="disk-health")

    ran = await hq.do("skill.run", skill="disk-health", command="say", args={"word": "hello", "times": 2})

    assert ran["where"] == "sandbox" and ran["text"] == "hello\nhello\n"


async def test_values_arrive_as_they_are_over_ssh(hq, cube):
    await hq.do("skill.import", name="haiku", files=WITH_COMMAND)
    await hq.do("skill.enable", skill="haiku")
    word = 'it\'s "$HOME" `id` \\ ünïcode\nand more'

    ran = await hq.do("skill.run", skill="haiku", command="say", args={"word": word}, host="cube")

    assert ran["text"] == word + "\n"


@pytest.mark.parametrize(
    ("args", "says"),
    [({}, "word is needed"), ({"word": "x", "time": 2}, "times"), ({"word": "x", "times": "many"}, "type integer")],
)
async def test_arguments_are_checked_before_anything_runs(hq, args, says):
    await hq.do("skill.import", name="haiku", files=WITH_COMMAND)
    await hq.do("skill.enable", skill="haiku")

    refused = await hq.call("skill.run", skill="haiku", command="say", args=args)

    assert refused.error["code"] == "invalid" and says in refused.error["message"]


async def test_a_disabled_skill_does_not_run_and_says_how_to_ask_for_it(hq):
    await hq.do("skill.import", name="haiku", files=WITH_COMMAND)

    refused = await hq.call("skill.run", skill="haiku", command="say", args={"word": "x"})

    assert "disabled" in refused.error["message"] and "hq skill enable haiku" in refused.error["hint"]


async def test_an_agent_runs_what_it_was_given_even_on_tainted_grounds_when_it_only_looks(hq, sre):
    await hq.do("skill.grant", skill="disk-health", agent="sre")

    given = await hq.call("skill.run", skill="disk-health", command="check", _token=sre, _taint=frozenset({"web:x"}))

    assert given.ok, given.error


async def test_j15_one_yes_enables_and_grants_a_skill_and_the_work_goes_on(hq, sre):
    await hq.do("skill.import", name="haiku", files=WITH_COMMAND)
    call = {"skill": "haiku", "command": "say", "args": {"word": "x"}, "_token": sre}

    asked = await hq.call("skill.run", **call)
    assert asked.error["code"] == "waiting"
    [ask] = (await hq.do("ask.list"))["items"]
    told = (await hq.do("ask.show", ask=ask["slug"]))["options"][0]["does"]
    assert "one that is off or not yours is asked for" in told and "(haiku)" in told
    answered = await hq.do("ask.answer", ask=ask["slug"], option="yes")

    assert answered["result"]["ok"], answered
    shown = await hq.do("skill.show", skill="haiku")
    assert shown["status"] == "enabled" and shown["agents"] == ["sre"]
    assert (await hq.call("skill.run", **call)).ok, "nobody is asked a second time"


async def test_j15_a_no_leaves_a_skill_as_it_was(hq, sre):
    asked = await hq.call("skill.run", skill="disk-health", command="check", _token=sre)
    await hq.do("approval.reject", ref=asked.data["approval"])

    assert "sre" not in (await hq.do("skill.show", skill="disk-health"))["agents"]


@pytest.fixture
async def chief(hq):
    await hq.do("agent.load")
    return await hq.agent("chief")


@pytest.mark.parametrize(
    "args",
    [
        {"skill": "disk-health"},
        {"skill": "system-health"},
        {"skill": "service-health", "args": {"reach": ["127.0.0.1:1", "localhost:2"], "certificates": ["/etc/x.pem"]}},
        {"skill": "backup-health", "args": {"tool": "directory", "path": "/var/backups"}},
    ],
)
async def test_s13_who_leads_checks_this_machine_from_the_first_day_and_reads_nobody_elses_words(hq, chief, args):
    ran = await hq.call("skill.run", command="check", **args, _token=chief)

    assert ran.ok, ran.error
    assert ran.data["where"] == "this machine" and ran.data["verdict"] in VERDICTS and not ran.taint


@pytest.mark.parametrize(
    "args",
    [
        {"skill": "service-health", "args": {"reach": ["secret.example:443"]}},
        {"skill": "service-health", "args": {"certificates": ["127.0.0.1:443", "example.com:443"]}},
        {"skill": "backup-health", "args": {"tool": "restic", "path": "rest:http://example.com/x"}},
    ],
)
async def test_s13_what_reaches_another_machine_from_here_is_asked_about(hq, chief, args):
    asked = await hq.call("skill.run", command="check", **args, _token=chief)

    assert asked.error["code"] == "waiting", asked.data


async def test_s13_another_machine_needs_to_be_allowed_and_a_yes_once(hq, chief, cube):
    call = {"skill": "disk-health", "command": "check", "host": "cube", "_token": chief}
    asked = await hq.call("skill.run", **call)
    assert asked.error["code"] == "waiting"
    await hq.do("approval.approve", ref=asked.data["approval"])

    again = await hq.call("skill.run", **call)
    assert again.ok and again.taint == {"ssh:cube"}
    elsewhere = await hq.call("skill.run", **call | {"host": "nowhere"})
    assert elsewhere.error["code"] == "not_found"


async def test_s13_a_disabled_check_is_asked_for_and_its_yes_enables_it(hq, chief):
    await hq.do("skill.disable", skill="disk-health")
    asked = await hq.call("skill.run", skill="disk-health", command="check", _token=chief)
    assert asked.error["code"] == "waiting"

    await hq.do("approval.approve", ref=asked.data["approval"])

    assert (await hq.do("skill.show", skill="disk-health"))["status"] == "enabled"


async def test_a_standing_grant_does_not_run_what_the_founder_disabled(hq, chief):
    await hq.do("grant.add", actor="agent:chief", verb="skill.run")
    await hq.do("skill.disable", skill="disk-health")

    refused = await hq.call("skill.run", skill="disk-health", command="check", _token=chief)

    assert refused.error["code"] == "conflict" and "disabled" in refused.error["message"]


@pytest.mark.parametrize(("effect", "clean", "tainted"), [("reversible", True, False), ("irreversible", False, False)])
async def test_what_does_more_than_look_goes_by_the_risk_table(hq, sre, effect, clean, tainted):
    commands = COMMANDS.replace("effect: read", f"effect: {effect}")
    files = [
        WITH_COMMAND[0],
        {"path": "commands.yaml", "content": commands},
        {"path": "scripts/say.sh", "content": SCRIPT},
    ]
    await hq.do("skill.import", name="haiku", files=files)
    await hq.do("skill.enable", skill="haiku")
    await hq.do("skill.grant", skill="haiku", agent="sre")
    call = {"skill": "haiku", "command": "say", "args": {"word": "x"}, "_token": sre}

    on_clean = await hq.call("skill.run", **call)
    on_tainted = await hq.call("skill.run", **call, _taint=frozenset({"web:x"}))

    assert (on_clean.ok, on_tainted.ok) == (clean, tainted), (on_clean.error, on_tainted.error)


async def test_a_skill_is_tried_out_where_it_is_to_run(hq, place):
    tried = await hq.do("skill.test", skill="disk-health", **place)

    assert tried["ok"] and [item["check"] for item in tried["items"]] == ["requires df", "requires awk", "check"]


async def test_what_is_missing_is_named(hq):
    commands = COMMANDS.replace("[sh]", "[no-such-program, 'python3 >= 2.0', 'python3 >= 99', 'some words here']")
    files = [WITH_COMMAND[0], {"path": "commands.yaml", "content": commands}, WITH_COMMAND[2]]
    await hq.do("skill.import", name="haiku", files=files)
    await hq.do("skill.enable", skill="haiku")

    tried = await hq.do("skill.test", skill="haiku")

    assert not tried["ok"]
    assert [item["ok"] for item in tried["items"]] == [False, True, False, False]
    assert tried["items"][0]["says"] == "no-such-program is not installed"


async def test_a_script_that_takes_too_long_is_stopped(hq, place):
    files = [*WITH_COMMAND[:2], {"path": "scripts/say.sh", "content": "echo begun; sleep 60"}]
    await hq.do("skill.import", name="haiku", files=files)
    await hq.do("skill.enable", skill="haiku")

    ran = await hq.do("skill.run", skill="haiku", command="say", args={"word": "x"}, timeout=5, **place)

    assert ran["timed_out"] and "exit_code" not in ran and "begun" in ran["text"]


def test_what_is_longer_than_an_environment_may_be_is_refused_in_words():
    parameter = SkillParameter(name="text", type="string", description="What.")

    with pytest.raises(Refused) as refused:
        environment([parameter], {"text": "x" * 200_000})

    assert "100,000 bytes" in refused.value.message


async def test_a_machine_that_nobody_allowed_is_said_not_to_be_known_and_no_command_is_named_that_is_none(hq):
    await hq.do("agent.load")

    said = await hq.call(
        "skill.run", skill="system-health", command="check", host="web1", _token=await hq.agent("chief")
    )

    assert said.error["message"] == "no machine 'web1' is known; the founder has allowed none yet"
    assert "ssh_host list" not in str(said.error)
