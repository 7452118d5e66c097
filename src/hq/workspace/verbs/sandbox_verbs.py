"""`hq sandbox test`: what this machine can hold programs to."""

from __future__ import annotations

import os
import time
from typing import TypedDict

from pydantic import Field

from hq.door.access import STAFF
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.errors import HqError
from hq.sandbox import Sandbox, machine
from hq.sandbox.probe import TriedLimit, probe
from hq.workspace.directories import Workspaces


class SandboxTestArgs(Args):
    """Nothing to choose."""

    __test__ = False  # pytest: this is no test


class LimitItem(TypedDict):
    """A limit, and what was seen of it."""

    limit: str
    holds: bool
    rests_on: str
    how: str
    seen: str


class SandboxTested(Result):
    usable: bool
    """Whether programs are run here at all."""
    says: str
    bubblewrap: str = ""
    """Which one is used."""
    runs_as: str = ""
    seconds: float = 0.0
    limits: AsJson[list[LimitItem]] = Field(default_factory=list)
    """Each limit: whether it holds, what it rests on, and what was seen."""


@verb("sandbox.test", "effect", for_=STAFF, scope="write", examples=[{}], text="hq.workspace.sandbox_text:tested")
async def test(tx: Tx, args: SandboxTestArgs) -> SandboxTested:
    """Try every limit of the sandbox on this machine, and say what each rests on."""
    began = time.monotonic()
    try:
        here = machine.look()
        tx.use(Workspaces).company(tx.caller.tenant_id)
        seen = await probe(tx.use(Sandbox), tx.use(Workspaces).scratch)
    except HqError as error:
        return SandboxTested(usable=False, says=f"{error.message}{f'; {error.hint}' if error.hint else ''}")
    failed = [each.limit for each in seen if not each.holds]
    return SandboxTested(
        usable=True,
        says=f"these do not hold here: {', '.join(failed)}" if failed else "every limit holds",
        bubblewrap=str(here.bubblewrap),
        runs_as=f"user {here.account}" if here.account else f"user {os.geteuid()}, in a namespace of its own",
        seconds=round(time.monotonic() - began, 2),
        limits=[_item(each) for each in seen],
    )


def _item(seen: TriedLimit) -> LimitItem:
    return {
        "limit": seen.limit,
        "holds": seen.holds,
        "rests_on": seen.rests_on,
        "how": seen.how,
        "seen": seen.seen,
    }


VERBS = (test,)
