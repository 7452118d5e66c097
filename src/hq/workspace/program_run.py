"""Runs of programs in a session's tree, and whether what they leave and say is the company's own: without the network, on files
that are, for who has read nothing from outside. One that never ended leaves its tree marked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from pydantic import Field

from hq.door.access import INSIDE
from hq.door.tx import Tx
from hq.door.verb import Result, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.ids import new_id
from hq.json_types import CallArgs
from hq.workspace.clean_content import hashes_of, is_clean, keep_clean, writes_clean
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.types import Workspace
from hq.workspace.verbs.tree_verbs import SessionTreeArgs, metadata, session_of
from hq.workspace.verbs.workspace_verbs import SQL, company, inside, usable


async def ground_is_clean(tx: Tx, workspace: Stored[Workspace], snapshot: str) -> bool:
    """Whether all that a program finds is the company's own: the files, what it may read of its mission and of the runs before
    it, and what is shared with every workspace."""
    here = company(tx)
    await metadata(tx, workspace)
    if not writes_clean(tx) or await in_thread(here.shares_files):
        return False
    if await tx.the_scalar(SQL["tainted_trees"], {"workspace": workspace.id}, of=bool):
        return False
    return await is_clean(tx, await in_thread(hashes_of, here.blobs, snapshot))


class ProgramBeginArgs(SessionTreeArgs):
    run: str = Field(pattern=r"^run:")
    """By which its end is known."""


class ProgramEndArgs(ProgramBeginArgs):
    clean: bool
    """Whether it began on nothing but the company's own, and reached nothing outside."""


class ProgramGround(Result):
    clean: bool
    """Whether all that it finds is, or all that it leaves was, made by the company itself."""


@verb("workspace.program_begin", "write", for_=INSIDE, target="ref", internal=True)
async def program_begin(tx: Tx, args: ProgramBeginArgs) -> ProgramGround:
    """Note that a program begins in a session's tree, and whether it finds anything from outside there."""
    workspace, session = await usable(tx, args.ref), session_of(tx, args)
    place = {"workspace": workspace.id, "session": session}
    clean = not await tx.scalar(SQL["tree_taint"], place, of=list)
    if clean:
        taken = await in_thread(company(tx).save, workspace.id, session)
        clean = await ground_is_clean(tx, workspace, taken.snapshot)
    await tx.conn.execute(SQL["taint_tree"], {**place, "mark": args.run if clean else f"workspace:{workspace.slug}"})
    return ProgramGround(clean=clean)


@verb("workspace.program_end", "write", for_=INSIDE, target="ref", internal=True)
async def program_end(tx: Tx, args: ProgramEndArgs) -> ProgramGround:
    """Note that a program ended in a session's tree: all that lies there now is the company's own, or may be from outside."""
    workspace, session = await usable(tx, args.ref), session_of(tx, args)
    place = {"workspace": workspace.id, "session": session}
    if args.clean and writes_clean(tx):
        taken = await in_thread(company(tx).save, workspace.id, session)
        if await tx.scalar(SQL["end_clean_run"], {**place, "run": args.run}, of=str):
            await keep_clean(tx, await in_thread(hashes_of, company(tx).blobs, taken.snapshot))
            return ProgramGround(clean=True)
    await tx.conn.execute(SQL["taint_tree"], {**place, "mark": f"workspace:{workspace.slug}"})
    return ProgramGround(clean=False)


@dataclass(frozen=True)
class ProgramRun:
    """One program in one tree, from before its start until after its end."""

    tx: Tx
    workspace: UUID
    session: str
    name: str
    clean: bool

    @classmethod
    async def begin(cls, tx: Tx, workspace: UUID, session: str) -> ProgramRun:
        run = cls(tx, workspace, session, f"run:{new_id()}", clean=False)
        return replace(run, clean=await run._note("workspace.program_begin"))

    async def end(self, *, reached_outside: bool) -> bool:
        """Whether what it left and said is the company's own."""
        return await self._note("workspace.program_end", clean=self.clean and not reached_outside)

    async def _note(self, verb: str, **more: object) -> bool:
        args: CallArgs = {"ref": str(self.workspace), "session": self.session, "run": self.name, **more}
        call = replace(inside(self.tx, verb, args), taint=frozenset(self.tx.taint))
        made = await self.tx.door.call(call)
        if not made.ok:
            raise Refused(made.message, code=made.code)
        return bool(made.data["clean"])


VERBS = (program_begin, program_end)
