"""The sandbox: run a program that is not trusted, with its own tree writable and nothing else within reach.

    sandbox = tx.use(Sandbox)
    outcome = await sandbox.run(SandboxJob(["pytest", "-q"], writable=tree), on_output=tell)

    async with sandbox.start(SandboxJob([...], writable=tree, network=["example.org"])) as running:
        await running.send(b"...")        # talk to it
        outcome = await running.wait()    # leaving the block ends it if it is still there

A program that fails, or is killed for a limit, is a `SandboxResult`. `Refused` means that it was not started: what is asked is
not possible, or this machine cannot hold it, and the message says what to do.
"""

from hq.sandbox.job import (
    DATA,
    METADATA,
    SHARED,
    Basis,
    Network,
    ReachedHost,
    ResourceUsage,
    SandboxJob,
    SandboxLimits,
    SandboxResult,
    Shared,
    Stream,
)
from hq.sandbox.process import SandboxProcess
from hq.sandbox.sandbox import Sandbox

__all__ = [
    "DATA",
    "METADATA",
    "SHARED",
    "Basis",
    "Network",
    "ReachedHost",
    "ResourceUsage",
    "Sandbox",
    "SandboxJob",
    "SandboxLimits",
    "SandboxProcess",
    "SandboxResult",
    "Shared",
    "Stream",
    "dialer",
    "loopback_ports",
    "machine",
    "paths",
    "probe",
]
