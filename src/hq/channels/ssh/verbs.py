"""`ssh_exec`, and the hosts the founder allows it on."""

from __future__ import annotations

from pydantic import Field

from hq.artifacts.store import Output, leave
from hq.channels import allow_list
from hq.channels.ssh import client
from hq.channels.ssh.client import SshTarget
from hq.channels.ssh.types import SshHost
from hq.door.access import EVERYONE, FOUNDER, STAFF
from hq.door.results import Listing, Row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.graph.view import NodeFilter
from hq.guard.vault import NAME as SECRET
from hq.guard.vault import keep, reveal
from hq.json_types import NodeItem

MOST = 2 * 2**20
EXAMPLE_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1HkLIPjVL0qQSm4QxzK6PTVMUxDYZ4H4vJYwTIR6Zk"


class SshKeygenArgs(Args):
    """What the key is called."""

    name: str = first(pattern=SECRET)
    """Its name in the vault, such as ssh/cube."""


class SshKeyMade(Result):
    name: str
    public_key: str
    """The line for authorized_keys on the machine."""


@verb(
    "ssh.keygen",
    "write",
    for_=FOUNDER,
    scope="founder",
    emits="ssh.key_made",
    examples=[{"name": "ssh/cube"}],
    text="hq.channels.ssh.key_text:key_made",
)
async def keygen(tx: Tx, args: SshKeygenArgs) -> SshKeyMade:
    """Make a key pair: the private half goes into the vault and nowhere else, the public half is shown."""
    private, public = client.new_key(f"hq {args.name}")
    await keep(tx, args.name, private)
    return SshKeyMade(name=args.name, public_key=public)


class SshScanArgs(Args):
    """Which machine."""

    address: str = first(min_length=1, max_length=255)
    """Its name or address."""
    port: int = Field(22, ge=1, le=65535)
    """Port its sshd listens on."""


class Scanned(Result):
    address: str
    host_keys: list[str]
    fingerprints: list[str]


@verb(
    "ssh.scan",
    "effect",
    for_=FOUNDER,
    scope="founder",
    examples=[{"address": "cube.example"}],
    text="hq.channels.ssh.key_text:scanned",
)
async def scan(tx: Tx, args: SshScanArgs) -> Scanned:
    """The keys a machine shows now. Compare them with what the machine itself says before they are pinned."""
    keys = await client.host_keys(args.address, args.port)
    if not keys:
        raise Refused(f"no sshd answers at {args.address} port {args.port}", code="outage")
    prints = [client.public_key(key).get_fingerprint() for key in keys]
    return Scanned(address=args.address, host_keys=keys, fingerprints=prints)


class SshAllowArgs(Args):
    """Which machine, and how it is reached."""

    name: str = first(pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")
    """What it is called from now on."""
    address: str = first(min_length=1, max_length=255)
    """Where it is: a name or an address."""
    user: str = Field(min_length=1, max_length=100)
    """As whom commands run there."""
    key: str = Field(pattern=SECRET)
    """Secret in the vault that holds the private key; `hq ssh keygen` makes one."""
    host_key: list[str] = Field(min_length=1, max_length=10)
    """A public key it proves itself by, as `hq ssh scan` shows it."""
    port: int = Field(22, ge=1, le=65535)
    """Port its sshd listens on."""


@verb(
    "ssh.allow",
    "write",
    for_=FOUNDER,
    scope="founder",
    gate="system",
    undo="exact",
    emits="ssh.allowed",
    examples=[{"name": "cube", "address": "cube.example", "user": "ops", "key": "ssh/cube", "host_key": [EXAMPLE_KEY]}],
)
async def allow(tx: Tx, args: SshAllowArgs) -> Row:
    """Allow commands on a machine. It has to prove itself by the key that is pinned here."""
    for key in args.host_key:
        client.public_key(key)
    host = SshHost(
        name=args.name, address=args.address, port=args.port, user=args.user, key=args.key, host_keys=args.host_key
    )
    return await allow_list.put(tx, args.name, host)


class SshHostsArgs(Args):
    """Nothing to choose."""


@verb("ssh.hosts", "read", for_=EVERYONE, examples=[{}])
async def hosts(tx: Tx, args: SshHostsArgs) -> Listing[NodeItem]:
    """The machines on which commands may be run."""
    return await allow_list.every(tx, SshHost)


class SshForgetArgs(Args):
    """Which machine."""

    ref: Ref = first()
    """As `hq ssh hosts` shows it."""


@verb("ssh.forget", "write", for_=FOUNDER, scope="founder", undo="exact", emits="ssh.forgotten", target="ref")
async def forget(tx: Tx, args: SshForgetArgs) -> Row:
    """Take a machine off the list: no command runs there any more."""
    return await allow_list.forget(tx, args.ref, SshHost)


class SshExecArgs(Args):
    """What to run, where."""

    host: Ref = first()
    """A machine, as `hq ssh hosts` shows it."""
    command: str = first(min_length=1, max_length=20_000)
    """What its shell is to run, such as "df -h"."""
    timeout: float = Field(60, gt=0, le=1800)
    """Seconds until it is stopped."""


class SshExecuted(Output):
    """What a command did."""

    host: str
    exit_code: int | None = None
    """Absent where it was stopped."""
    timed_out: bool = False


async def reach(tx: Tx, ref: str) -> SshTarget:
    """A machine on the list, with our key for it."""
    host = await tx.look_up(ref, SshHost)
    if host is None:
        allowed = ", ".join(each.slug for each in await tx.find(NodeFilter(types=[SshHost.type], limit=20)))
        raise Refused.not_found(
            f"no machine {ref!r} is known; {f'there is {allowed}' if allowed else 'the founder has allowed none yet'}",
            hint="`hq ssh allow` is how the founder allows one",
        )
    tx.target = host
    if host.archived_at is not None:
        raise Refused.forbidden(f"commands are not allowed on {host.slug} any more; the founder took that back")
    props = host.props
    key = await reveal(tx, props.key)
    return SshTarget(host.slug, props.address, props.port, props.user, tuple(props.host_keys), key)


async def _ready(tx: Tx, args: SshExecArgs) -> SshTarget:
    return await reach(tx, args.host)


@verb(
    "ssh.exec",
    "effect",
    shows=("timeout",),
    for_=STAFF,
    gate="irreversible",
    emits="ssh.executed",
    target="host",
    prepare=_ready,
    tool="ssh_exec",
    examples=[{"host": "cube", "command": "df -h"}],
    text="hq.channels.output_text:output",
)
async def exec_(tx: Tx, args: SshExecArgs) -> SshExecuted:
    """Run a shell command on one of the allowed machines; what it printed comes back, marked as others' words."""
    target: SshTarget = tx.prepared
    ran = await client.run(target, args.command, seconds=args.timeout, most=MOST)
    kept = leave(tx, "ssh_exec", ran.printed, taint=f"ssh:{target.name}", complete=ran.complete)
    return SshExecuted(host=target.name, exit_code=ran.exit_code, timed_out=ran.timed_out, **kept)


VERBS = (keygen, scan, allow, hosts, forget, exec_)
