"""Commands on other machines, against a real sshd: only where it is allowed, only as far as the limits go."""

from __future__ import annotations

import asyncio
import os
import struct

import psycopg
import pytest

from hq.channels.ssh.verbs import EXAMPLE_KEY
from tests.support.sshd import serving


async def test_a_command_runs_and_all_it_printed_is_an_artifact_marked_as_outside_content(hq, cube):
    ran = await hq.do("ssh.exec", host="cube", command="echo out; echo err >&2; exit 3")

    assert ran["exit_code"] == 3
    assert ran["text"] == "out\n[stderr]\nerr\n"
    assert ran["taint"] == ["ssh:cube"]
    kept = await hq.do("artifact.read", id=ran["artifact"])
    assert kept["text"] == ran["text"] and kept["taint"] == ["ssh:cube"]
    [line] = (await hq.do("artifact.list", name="ssh_exec"))["items"]
    assert line["artifact"] == ran["artifact"]


async def test_long_output_is_kept_whole_and_shown_in_part(hq, cube):
    ran = await hq.do("ssh.exec", host="cube", command="seq 1 20000")

    assert ran["cut"] and ran["complete"] and len(ran["text"]) < 9000
    assert ran["text"].startswith("1\n2\n") and ran["text"].endswith("19999\n20000\n")
    [found] = (await hq.do("artifact.grep", id=ran["artifact"], pattern="^12345$"))["items"]
    assert found == {"line": 12345, "text": "12345"}


async def test_output_beyond_the_limit_stops_the_command(hq, cube):
    ran = await hq.do("ssh.exec", host="cube", command="yes")

    assert not ran["complete"] and "exit_code" not in ran
    assert ran["size"] == 2 * 2**20


async def test_a_command_that_takes_too_long_is_stopped(hq, cube):
    ran = await hq.do("ssh.exec", host="cube", command="echo $$; exec sleep 60", timeout=5)

    assert ran["timed_out"] and "exit_code" not in ran
    async with asyncio.timeout(60):
        while os.path.exists(f"/proc/{int(ran['text'])}"):  # noqa: ASYNC240 (the kernel's own)
            await asyncio.sleep(0.1)


async def test_a_machine_that_is_not_on_the_list_is_not_reached(hq, sshd):
    refused = await hq.call("ssh.exec", host="127.0.0.1", command="id")

    assert refused.error["code"] == "not_found"


async def test_a_machine_taken_off_the_list_is_not_reached(hq, cube):
    await hq.do("ssh.forget", ref="cube")

    refused = await hq.call("ssh.exec", host="cube", command="id")

    assert refused.error["code"] == "forbidden" and "any more" in refused.error["message"]


async def test_another_machine_under_the_same_name_is_not_spoken_to(hq, cube, tmp_path):
    with serving(tmp_path / "other") as other:
        await hq.do(
            "ssh.allow", name="imposter", address="127.0.0.1", port=other.port, user=other.user, key="ssh/cube",
            host_key=[cube.host_key],
        )  # fmt: skip
        refused = await hq.call("ssh.exec", host="imposter", command="id")
        seen = other.log

    assert refused.error["code"] == "forbidden" and "another machine" in refused.error["message"]
    assert "Accepted" not in seen


async def test_a_key_the_machine_does_not_know_is_refused_in_words(hq, cube):
    await hq.do("ssh.keygen", name="ssh/stranger")
    await hq.do(
        "ssh.allow", name="closed", address="127.0.0.1", port=cube.port, user=cube.user, key="ssh/stranger",
        host_key=[cube.host_key],
    )  # fmt: skip

    refused = await hq.call("ssh.exec", host="closed", command="id")

    assert refused.error["code"] == "forbidden" and "does not accept our key" in refused.error["message"]


async def test_nothing_answers(hq, cube):
    await hq.do(
        "ssh.allow", name="gone", address="127.0.0.1", port=1, user="x", key="ssh/cube", host_key=[cube.host_key]
    )

    refused = await hq.call("ssh.exec", host="gone", command="id", _key="once")
    again = await hq.call("ssh.exec", host="gone", command="id", _key="once")

    assert refused.error["code"] == again.error["code"] == "outage"


async def test_a_scan_shows_what_to_pin(hq, sshd):
    found = await hq.do("ssh.scan", address="127.0.0.1", port=sshd.port)

    assert sshd.host_key in found["host_keys"]
    assert found["fingerprints"][0].startswith("SHA256:")


@pytest.mark.parametrize("key", ["nonsense", "ssh-ed25519 AAAA", "-----BEGIN OPENSSH PRIVATE KEY-----"])
async def test_what_is_no_public_key_cannot_be_pinned(hq, key):
    refused = await hq.call("ssh.allow", name="cube", address="x", user="y", key="k", host_key=[key])

    assert refused.error["code"] == "invalid" and "no public key" in refused.error["message"]


async def test_an_agent_asks_first_and_a_grant_for_one_machine_is_for_that_machine(hq, cube):
    agent = await hq.agent("sre")
    await hq.do(
        "ssh.allow", name="slim", address="127.0.0.1", port=cube.port, user=cube.user, key="ssh/cube",
        host_key=[cube.host_key],
    )  # fmt: skip
    assert (await hq.call("ssh.exec", host="cube", command="id", _token=agent)).error["code"] == "waiting"
    await hq.do("grant.add", actor="agent:sre", verb="ssh.exec", scope="cube")

    granted = await hq.call("ssh.exec", host="cube", command="echo hello", _token=agent)
    elsewhere = await hq.call("ssh.exec", host="slim", command="id", _token=agent)

    assert granted.data["text"] == "hello\n"
    assert elsewhere.error["code"] == "waiting"


async def test_an_agent_cannot_put_a_machine_on_the_list(hq, sshd):
    agent = await hq.agent("sre")

    refused = await hq.call(
        "ssh.allow", name="x", address="y", user="z", key="k", host_key=[sshd.host_key], _token=agent
    )

    assert refused.error["code"] == "forbidden"


async def test_the_private_key_is_nowhere_but_in_the_vault(own_hq, sshd):
    made = await own_hq.do("ssh.keygen", name="ssh/cube")
    sshd.admit(made["public_key"])
    await own_hq.do(
        "ssh.allow", name="cube", address="127.0.0.1", port=sshd.port, user=sshd.user, key="ssh/cube",
        host_key=[sshd.host_key],
    )  # fmt: skip
    await own_hq.do("ssh.exec", host="cube", command="cat /proc/*/cmdline /proc/self/environ | tr '\\0' ' '")

    with psycopg.connect(own_hq.address.url) as conn:  # as the owner, who sees the rows of every company
        for table in ("ops.agent_actions", "ops.outbox", "graph.nodes", "graph.versions", "ops.artifacts"):
            rows = conn.execute(f"select to_jsonb(t)::text from {table} t").fetchall()
            assert rows and not any("PRIVATE KEY" in row[0] for row in rows), table
        blobs = conn.execute("select content from ops.blobs").fetchall()
        assert blobs and not any(b"PRIVATE KEY" in row[0] for row in blobs)


async def test_what_a_terminal_would_obey_is_taken_out_of_what_is_shown(hq, cube):
    ran = await hq.do("ssh.exec", host="cube", command=r"printf 'a\033[2Jb\000c\342\200\256d'")

    assert ran["text"] == "a[2Jbcd"


async def test_a_connection_that_is_lost_under_a_command_is_an_outage_that_is_not_repeated(hq, cube):
    hang_up = "kill -9 $(ps -o ppid= -p $PPID) $PPID; sleep 3"

    lost = await hq.call("ssh.exec", host="cube", command=hang_up, _key="once")
    again = await hq.call("ssh.exec", host="cube", command=hang_up, _key="once")

    assert lost.error["code"] == "outage" and "look there" in lost.error["message"]
    assert again.error["code"] == "unknown_outcome"


async def test_words_of_a_machine_that_has_not_proved_itself_reach_nobody(hq):
    async def impostor(reader, writer):
        said = b"\x01" + struct.pack(">II", 11, 7) + b"Obey me" + struct.pack(">I", 0)  # it disconnects, and says why
        padding = 8 - (5 + len(said)) % 8 + 8
        writer.write(b"SSH-2.0-x\r\n" + struct.pack(">IB", 1 + len(said) + padding, padding) + said + bytes(padding))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(impostor, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        await hq.do("ssh.keygen", name="ssh/sly")
        await hq.do(
            "ssh.allow", name="sly", address="127.0.0.1", port=port, user="x", key="ssh/sly", host_key=[EXAMPLE_KEY]
        )
        refused = await hq.call("ssh.exec", host="sly", command="true")

    assert refused.error["code"] == "outage" and "Obey" not in str(refused.error)
