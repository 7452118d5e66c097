"""The sandbox: run a program that is not trusted, with its own tree writable and nothing else within reach.

    sandbox = tx.use(Sandbox)
    outcome = await sandbox.run(Job(["pytest", "-q"], writable=tree), on_output=tell)

    async with sandbox.start(Job([...], writable=tree, network=["example.org"])) as running:
        await running.send(b"...")        # talk to it
        outcome = await running.wait()    # leaving the block ends it if it is still there

A program that fails, or is killed for a limit, is an `Outcome`. `Refused` means that it was not started: what is asked is
not possible, or this machine cannot hold it, and the message says what to do.
"""

from hq.workspace.sandbox.job import Basis, Job, Limits, Network, Outcome, Reached, Shared, Stream, Usage
from hq.workspace.sandbox.running import Running
from hq.workspace.sandbox.sandbox import Sandbox

__all__ = [
    "Basis",
    "Job",
    "Limits",
    "Network",
    "Outcome",
    "Reached",
    "Running",
    "Sandbox",
    "Shared",
    "Stream",
    "Usage",
]
