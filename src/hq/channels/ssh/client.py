"""Running one command on another machine, with limits on time and on what is read back.

asyncssh rather than the `ssh` program: keys go from the vault into memory and never touch a file or a command line,
host keys are pinned without a known_hosts file, and the owner's own configuration and agent are left out of it.
It is loaded on first use; it costs a tenth of a second.
"""

from __future__ import annotations

import asyncio
import math
import shlex
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hq.channels.command_result import CommandResult
from hq.errors import Outage, Refused

CONNECT = 15.0
LAST_WORDS = 2.0
"""Seconds a stopped command has to say how it ended."""


@dataclass(frozen=True)
class SshTarget:
    name: str
    address: str
    port: int
    user: str
    host_keys: tuple[str, ...]
    key: str = field(repr=False)


async def run(target: SshTarget, command: str, *, stdin: bytes = b"", seconds: float, most: int) -> CommandResult:
    """Run it. What fails before the command started is refused: nothing has happened there."""
    import asyncssh

    try:
        async with asyncio.timeout(CONNECT):
            connection = await asyncssh.connect(
                target.address,
                target.port,
                username=target.user,
                client_keys=[private_key(target.key, target.name)],
                known_hosts=_known(target),
                config=None,
                agent_path=None,
                gss_host=None,
                password_auth=False,
                kbdint_auth=False,
                keepalive_interval=15,
            )
    except (asyncssh.Error, OSError, TimeoutError) as error:
        raise _unreachable(target, error) from None
    try:
        process = await connection.create_process(_limited(command, seconds), encoding=None)
        return await _finished(process, stdin, seconds, most)
    except asyncssh.ChannelOpenError:
        raise Refused(f"{target.name} runs no commands for us", code="outage") from None
    except (asyncssh.Error, OSError):
        raise Outage(
            f"the connection to {target.name} was lost while the command ran, and nobody knows how far it came; "
            "look there before it is run again"
        ) from None
    finally:
        connection.close()


def _limited(command: str, seconds: float) -> str:
    """The command with a watch over there too: sshd passes no signal on to what root runs, and none once we are gone."""
    line, patience = shlex.quote(command), math.ceil(seconds) + 1
    watch = f"command -v timeout >/dev/null && exec timeout -k 1 {patience} sh -c {line} || exec sh -c {line}"
    return f"exec sh -c {shlex.quote(watch)}"


async def _finished(process: Any, stdin: bytes, seconds: float, most: int) -> CommandResult:
    out, err = bytearray(), bytearray()
    timed_out = False
    try:
        async with asyncio.timeout(seconds):
            _, more_out, more_err = await asyncio.gather(
                _feed(process.stdin, stdin),
                _read(process, process.stdout, out, most),
                _read(process, process.stderr, err, most),
            )
            complete = not (more_out or more_err)
            if complete:
                await process.wait_closed()
    except TimeoutError:
        timed_out = complete = True
    if timed_out:
        await _stop(process)
    code = process.exit_status if not timed_out and complete else None
    return CommandResult(bytes(out), bytes(err), code, timed_out, complete)


async def _feed(pipe: Any, content: bytes) -> None:
    with suppress(OSError):  # it need not listen
        if content:
            pipe.write(content)
            await pipe.drain()
        pipe.write_eof()


async def _read(process: Any, pipe: Any, into: bytearray, most: int) -> bool:
    """Read to the end; or to the limit, where the command is stopped and True comes back."""
    while chunk := await pipe.read(65_536):
        room = most - len(into)
        into += chunk[:room]
        if len(chunk) > room:
            await _stop(process)
            return True
    return False


async def _stop(process: Any) -> None:
    with suppress(OSError):
        process.kill()
    process.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(LAST_WORDS):
            await process.wait_closed()


async def host_keys(address: str, port: int) -> list[str]:
    """The keys a machine shows now. Who looks has to know by other means that it is the right machine."""
    import asyncssh

    found = []
    for algorithm in ("ssh-ed25519", "ecdsa-sha2-nistp256", "rsa-sha2-512"):
        with suppress(asyncssh.Error, OSError, TimeoutError):
            async with asyncio.timeout(CONNECT):
                key = await asyncssh.get_server_host_key(address, port, server_host_key_algs=[algorithm], config=None)
            if key is not None:
                found.append(key.export_public_key().decode().strip())
    return found


def private_key(text: str, name: str) -> Any:
    import asyncssh

    try:
        return asyncssh.import_private_key(text if text.endswith("\n") else text + "\n")
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
        raise Refused.conflict(
            f"the key of {name} in the vault cannot be read: {error}", hint="an OpenSSH private key without passphrase"
        ) from None


def public_key(text: str) -> Any:
    import asyncssh

    try:
        return asyncssh.import_public_key(text)
    except asyncssh.KeyImportError:
        raise Refused.invalid(
            f"{text[:60]!r} is no public key; it looks like `ssh-ed25519 AAAA…`, as `hq ssh scan` shows it"
        ) from None


def new_key(comment: str) -> tuple[str, str]:
    """A private key and its public line."""
    import asyncssh

    key = asyncssh.generate_private_key("ssh-ed25519", comment=comment)
    return key.export_private_key().decode(), key.export_public_key().decode().strip()


def _known(target: SshTarget) -> Any:
    import asyncssh

    where = target.address if target.port == 22 else f"[{target.address}]:{target.port}"
    return asyncssh.import_known_hosts("".join(f"{where} {key}\n" for key in target.host_keys))


def _unreachable(target: SshTarget, error: Exception) -> Refused:
    import asyncssh

    match error:
        case asyncssh.HostKeyNotVerifiable():
            return Refused.forbidden(
                f"{target.name} does not prove itself by a key that was pinned: it may be another machine",
                hint=f"if it was set up anew, the founder looks with `hq ssh scan {target.address}` and allows it again",
            )
        case asyncssh.PermissionDenied():
            return Refused.forbidden(f"{target.name} does not accept our key for {target.user}")
        case TimeoutError():
            return Refused(f"{target.name} did not answer within {CONNECT:g} seconds", code="outage")
        case OSError():
            return Refused(f"{target.name} cannot be reached: {error}"[:300], code="outage")
        case _:  # what it says of it are its own words, from before it proved to be itself
            return Refused(
                f"{target.name} cannot be reached: it hung up or speaks no SSH ({type(error).__name__})", code="outage"
            )
