"""`hq mission change`: a word changes what was made. A mission that goes on with another's work, on the same files."""

from __future__ import annotations

from pydantic import Field

from hq.door.access import LEADERS, Touch
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.types import Name
from hq.json_types import CallArgs
from hq.missions import new_wish
from hq.missions.checks import ANY_CHANGE, read_check
from hq.missions.creation import Lines, MissionCreateArgs, make
from hq.missions.life import IN_HAND, OVER
from hq.missions.notes import remember
from hq.missions.output import output_of
from hq.missions.parties import agent_name, parties
from hq.missions.types import Mission
from hq.missions.work_start import base_of, workspace_of
from hq.org.agent import Agent
from hq.terminal.width import shortened
from hq.workspace.lineage import missions_of, standing
from hq.workspace.verbs.workspace_verbs import held

TITLE, CHANGE, NOW = 90, "Change of ", ", now: "
SHORT = 50
"""Characters of what was made, in the title of a change, which has twice as many."""
ASKED, STILL = "Asked for by", "Where it still fits:"
BEFORE = "Where that says nothing else, what was said before holds:"
MOST = 50


class MissionChangeArgs(Args):
    """What was made, and what should be different."""

    ref: Ref = first()
    """The mission that made it, or one that changed it since."""
    words: str = first(min_length=1, max_length=10_000)
    """What should be different, in your own words."""
    instead: bool = False
    """While it is being made: this is wanted now, not later."""
    title: Name | None = None
    """With `instead`: what it is called from now on; left out, by your words."""
    acceptance_criteria: Lines | None = Field(None, max_length=50)
    """With `instead`: what must be true of it now, in place of what had to be."""


class ChangeBegun(Result):
    slug: str
    """The mission that makes the change."""
    id: str
    status: str
    continues: str
    """The mission whose work it goes on with."""
    agent: str | None = None
    """Who does it; nobody means that it waits in the backlog."""
    waits_on: str | None = None
    """The mission that works on these files now; the change begins by itself when that is over."""
    says: str


@verb(
    "mission.change",
    "write",
    shows=("instead", "title"),
    on_card=True,
    for_=LEADERS,
    touches=Touch("ref", "mission", operator="own", bars=True),
    undo="compensating",
    undo_by=lambda _input, output: ("mission.revert", {"ref": output["slug"], "change_of": output["continues"]}),
    emits="mission.changed",
    target="ref",
    examples=[{"ref": "flight-tracker", "words": "Sort the flights by cost."}],
    text="hq.missions.mission_text:change",
)
async def change(tx: Tx, args: MissionChangeArgs) -> ChangeBegun:
    """Have something changed that a mission made: the same agent goes on, on the same files, and what held before must still hold. While
    another works on them, it waits for its turn; with `instead`, who works on it is told at once, and what it does is left undone."""
    first = await _maker(tx, await tx.get(args.ref, Mission))
    workspace = await workspace_of(tx, first)
    line = standing(await missions_of(tx, workspace), held(workspace)) if workspace else [first]
    latest: Stored[Mission] = line[-1] if line else first
    ahead = latest.slug if latest.status not in OVER else None
    if args.instead and latest.status in IN_HAND:
        return await _turned(tx, latest, args)
    if ahead is None and (workspace is None or workspace.props.snapshot is None):
        raise Refused.conflict(f"{first.slug} made nothing that could be changed")
    made = await _made(
        tx,
        line[0] if line else first,
        latest,
        args.words,
        None if ahead or workspace is None else base_of(latest, workspace),
        ahead,
    )
    agent = await _who(tx, latest)
    if agent:
        await tx.inner("mission.assign", {"ref": made.slug, "to": agent})
    made = await tx.get(made.id, Mission)
    tx.target = made
    says = f"{agent} changes it" if agent else "whoever can do it gets it; nobody who did it before works here any more"
    says += f", after {ahead}, which works on these files now" if ahead else ""
    return ChangeBegun(
        slug=made.slug,
        id=str(made.id),
        status=made.status or "",
        continues=latest.slug,
        agent=agent,
        waits_on=ahead,
        says=says,
    )


async def _maker(tx: Tx, mission: Stored[Mission]) -> Stored[Mission]:
    """Who made the files: of a whole whose parts made them, the part, where it was only one."""
    found = await output_of(tx, mission)
    if found is not None and len(found.alone.parts) > 1:
        parts = ", ".join(f"`hq mission change {each.mission.slug}`" for each in found.alone.parts)
        raise Refused.invalid(f"parts of {mission.slug} made that; say which is to be different", hint=f"by {parts}")
    return found.alone.mission if found is not None else mission


async def _turned(tx: Tx, mission: Stored[Mission], args: MissionChangeArgs) -> ChangeBegun:
    """The mission itself goes another way: its title and what it has to be say so, and who is at work on it hears it before
    anything else."""
    props = mission.props
    said = f"What is wanted now, says {agent_name(tx) or 'the founder'}: {args.words.strip()}"
    before = [
        f"{STILL} {each.removeprefix(STILL).strip()}"
        for each in props.acceptance_criteria
        if not each.startswith(ASKED)
    ]
    now = {
        "title": args.title or _title(props.title, args.words),
        "description": f"{said}\n\n{BEFORE}\n{props.description}" if props.description else said,
        "acceptance_criteria": args.acceptance_criteria or [_asked_for(tx, args.words), *before][:MOST],
    }
    mission = await tx.change(mission, now)
    await remember(tx, mission, said[:4000], "decision")
    text = (
        f"{mission.slug} goes another way. {said}\nWhat was asked for before holds where this says nothing else. What you "
        "have that still fits stays; the rest you take out of your tree."
    )
    agent = await new_wish.told(tx, await parties(tx, mission.id), text)
    tx.target = mission
    says = f"{agent} is told, before anything else it does" if agent else "whoever takes it finds it in the brief"
    return ChangeBegun(
        slug=mission.slug,
        id=str(mission.id),
        status=mission.status or "",
        continues=mission.slug,
        agent=agent,
        says=says,
    )


async def _made(
    tx: Tx, origin: Stored[Mission], latest: Stored[Mission], words: str, snapshot: str | None, ahead: str | None
) -> Stored[Mission]:
    """The words are what is to be done. What was checked and decided before is still to hold."""
    props = latest.props
    brief: CallArgs = {
        "slug": f"{CHANGE.replace(' ', '-').lower()}{origin.slug}"[:80].rstrip("-"),
        "title": _title(f"{CHANGE}{props.title.removeprefix(CHANGE)}", words),
        "description": words.strip(),
        "category": props.category,
        "context_notes": f"Goes on with {latest.slug} ({props.title}), on the same files. What is there stays as it is but for this.",
        "deliverables": [ANY_CHANGE, *(each for each in props.deliverables if _still_holds(each))],
        "acceptance_criteria": [_asked_for(tx, words)],
        "depends_on": [ahead] if ahead else [],
    }
    made = await make(
        tx,
        MissionCreateArgs.model_validate({name: value for name, value in brief.items() if value}),
        began_with=snapshot,
        decided=[point.model_copy(update={"passed": None, "seen": None, "overruled": None}) for point in props.decided],
    )
    await tx.link(made, "continues", latest)
    for edge in ("serves", "in_organisation"):
        for link in await tx.links(latest, edge=edge):
            if link.outward and not any(each.type == edge for each in await tx.links(made, edge=edge)):
                await tx.link(made, edge, await tx.get(link.other_id))
    return made


def _title(title: str, words: str) -> str:
    """What it is about, without what was asked of it before; and what is asked of it now."""
    colon = ": " if title.startswith(CHANGE) else NOW
    what = title.partition(NOW)[0].partition(": ")[0] if colon == ": " else title.partition(NOW)[0]
    short = SHORT if colon == ": " else TITLE
    return shortened(f"{shortened(what, short)}{colon}{' '.join(words.split())}", 2 * short).rstrip(".")


def _asked_for(tx: Tx, words: str) -> str:
    return f"{ASKED} {agent_name(tx) or 'the founder'}: {' '.join(words.split())[:400]}"


def _still_holds(deliverable: str) -> bool:
    """What was to be changed then, and what somebody said yes to then, is no word on this."""
    return read_check(deliverable).kind not in ("person", "changed")


async def _who(tx: Tx, latest: Stored[Mission]) -> str | None:
    """The same agent, as long as it works here."""
    who = await parties(tx, latest.id)
    agent = await tx.look_up(str(who.assignee), Agent) if who.assignee else None
    return agent.slug if agent is not None and agent.props.status == "active" else None


class MissionRevertArgs(Args):
    """Which change is taken back."""

    ref: Ref = first()
    """The mission that made the change, as `hq mission change` said it."""
    change_of: Ref | None = None
    """The mission with whose work it went on."""


@verb(
    "mission.revert",
    "write",
    on_card=True,
    for_=LEADERS,
    touches=Touch("ref", "mission", operator="own", bars=True),
    emits="mission.reverted",
    target="ref",
    text="took back {slug}; the files are as they were before it",
)
async def revert(tx: Tx, args: MissionRevertArgs) -> Row:
    """Take a change back: the files are as they were before it, and what is still at work on it stops. Not where another change stands on it."""
    mission = await tx.get(args.ref, Mission)
    before, workspace = mission.props.began_with, await workspace_of(tx, mission)
    follows = (await tx.targets([mission.id], ["continues"])).get((mission.id, "continues"))
    if follows is None or args.change_of in (mission.slug, str(mission.id)):
        raise Refused.conflict(f"{mission.slug} changed nothing that was there; say what it should be, or give it up")
    if mission.status == "taken_back":
        raise Refused.conflict(f"{mission.slug} was taken back already")
    line = await missions_of(tx, workspace) if workspace else []
    stand = {each.id for each in standing(line, held(workspace))} if workspace else set()
    ids = [each.id for each in line]
    after = line[ids.index(mission.id) + 1 :] if mission.id in ids else []
    if later := [each.slug for each in after if each.id in stand]:
        raise Refused.conflict(f"{later[-1]} stands on it; take that back first")
    if mission.status not in OVER:
        await tx.inner("mission.fail", {"ref": mission.slug, "why": "It was taken back."})
    # First, so that the files are from then on what the one before it brought.
    mission = await tx.move(await tx.get(mission.id, Mission), "taken_back")
    if mission.id in stand and workspace is not None and before is not None and held(workspace) != before:
        await tx.inner("workspace.revert", {"ref": workspace.slug, "snapshot": before, "expect": held(workspace)})
    tx.target = mission
    return row(mission)


VERBS = (change, revert)
