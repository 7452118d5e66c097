"""Completion of a mission, or its end: its brief and its delegation with it, what was learned is kept, who gave it and
who waits for it hear."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal
from uuid import UUID

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.graph.view import EdgeFilter, NodeFilter
from hq.memory.types import OrgMemory
from hq.minds.prompt_data import one_line
from hq.missions.checks import read_check
from hq.missions.delivery import delivery
from hq.missions.dependency import wake_if_ready
from hq.missions.notice import tell
from hq.missions.parties import Parties, author, parties
from hq.missions.progress import used_below
from hq.missions.types import Brief, Delegation, Mission

SQL = beside(__file__)
SHOWN = "The founder is shown this on a card, with what it cost, its evidence and what there is to open. Say only what goes beyond it."


async def brief_of(tx: Tx, mission: Stored[Mission]) -> Stored[Brief] | None:
    """The latest brief for a mission."""
    found = await tx.find(NodeFilter(types=[Brief.type], related=[EdgeFilter("for_mission", mission.id)], limit=1))
    return found[0] if found else None


async def follow(tx: Tx, mission: Stored[Mission], to: str) -> None:
    """The brief goes where its mission went."""
    brief = await brief_of(tx, mission)
    if brief is not None and brief.status != to and Brief.may_move(brief.status, to):
        await tx.move(brief, to)


async def end(
    tx: Tx,
    who: Parties,
    to: Literal["done", "failed"],
    *,
    outcome: str | None = None,
    why: str | None = None,
    called_off: bool = False,
) -> Stored[Mission]:
    """Close a mission, and route what came of it to everybody it concerns."""
    if who.parent is not None:  # of parts that end at the same moment one is the last
        await tx.conn.execute(SQL["lock_mission"], {"id": str(who.parent)})
    said = {"outcome_summary": outcome} if outcome else {}
    if to == "done" and who.mission.props.brought is None:
        said |= await delivery(tx, who.mission)
    mission = await tx.move(
        who.mission, to, completed_at=tx.now, status_reason=why, counter=None, called_off=called_off, **said
    )
    await follow(tx, mission, to)
    await _settle_delegation(tx, mission, to)
    if to == "done" and mission.props.lessons_learned:
        await _learn(tx, mission, mission.props.lessons_learned)
    tx.emit(f"mission.{to}", id=str(mission.id), slug=mission.slug, why=why)
    if to == "done":
        await _roll_up(tx, who.parent)
    news, told = f"{mission.slug} is {mission.props.became}", f"{report(mission)}\n{await _heard(tx, who.parent)}"
    await tell(tx, who.commander, mission, news, told, who.parent or mission.id, reports=True)
    await _wake_dependents(tx, mission)
    tx.target = mission
    return mission


async def _heard(tx: Tx, above: UUID | None) -> str:
    """How the founder hears of it, so that nobody tells it once more."""
    if above is None:
        return SHOWN
    whole = await tx.get(above, Mission)
    parts = await parts_of(tx, whole)
    done = f"It is a part of {whole.slug}, of which {sum(part.status == 'done' for part in parts)} of {len(parts)} are done."
    if whole.status != "review":
        return f"{done} The founder hears of it with the whole."
    return f"{done} {one_line(whole.props.outcome_summary or '')}\n{SHOWN}"


async def parts_of(tx: Tx, mission: Stored[Mission]) -> list[Stored[Mission]]:
    """In the order in which they were made."""
    related = [EdgeFilter("parent_mission", mission.id)]
    found = await tx.find(NodeFilter(types=[Mission.type], related=related, limit=1000))
    return sorted(found, key=lambda each: (each.created_at, each.id))


async def _roll_up(tx: Tx, above: UUID | None) -> None:
    """A whole that nobody was given is done when its parts are, unless it has to bring something itself. The top waits for a
    yes."""
    if above is None:
        return
    who = await parties(tx, above)
    props = who.mission.props
    brings = any(read_check(each).kind != "person" for each in props.deliverables)
    if props.status != "backlog" or who.assignee is not None or brings:
        return
    parts = await parts_of(tx, who.mission)
    if any(part.status != "done" for part in parts):
        return
    brought = {"outcome_summary": of_parts(parts)} | await delivery(tx, who.mission)
    for step in ("planning", "in_progress", "review"):
        who = replace(who, mission=await tx.move(who.mission, step, **(brought if step == "review" else {})))
    if who.parent is not None and not props.deliverables:
        await end(tx, who, "done")
    elif who.parent is None:
        tx.emit("mission.submitted", id=str(above), slug=who.mission.slug)


def of_parts(parts: list[Stored[Mission]]) -> str:
    """What came of a whole, by what came of each part."""
    done = "; ".join(
        f"{each.props.title}: {each.props.outcome_summary}" if each.props.outcome_summary else each.props.title
        for each in parts
        if each.status == "done"
    )
    failed = ", ".join(each.props.title for each in parts if each.status == "failed")
    return (f"Its parts are done: {done}" + (f". Given up: {failed}" if failed else ""))[:10_000]


def report(mission: Stored[Mission]) -> str:
    """What came of a mission, for who gave it."""
    props = mission.props
    lines = [f"Mission {mission.slug} ({one_line(props.title)}) is {props.became}."]
    if props.outcome_summary and mission.status == "done":
        lines.append(f"Outcome: {one_line(props.outcome_summary)}")
    if props.files_at:
        lines.append(f"Files: {one_line(props.files_at)}; the founder opens it with `hq mission open {mission.slug}`")
    elif props.brought:
        lines.append(
            f"Files of its parts: `mission files {mission.slug}`; the founder opens them with `hq mission open {mission.slug}`"
        )
    lines += [one_line(f"Decided: {point.result} — {point.told}") for point in props.decided]
    if props.status_reason:
        lines.append(f"Why: {one_line(props.status_reason)}")
    if mission.status == "done" and props.deliverables:
        lines.append("Evidence, checked by the system: " + one_line("; ".join(props.deliverables)))
    return "\n".join(lines)


async def _settle_delegation(tx: Tx, mission: Stored[Mission], to: str) -> None:
    found = await tx.find(NodeFilter(types=[Delegation.type], related=[EdgeFilter("for_mission", mission.id)], limit=1))
    if found and found[0].status == "in_progress":
        delegation = await tx.move(found[0], to, tokens_used=await used_below(tx, mission))
        tx.emit(f"delegation.{to}", id=str(delegation.id), slug=delegation.slug, mission=mission.slug)


async def _learn(tx: Tx, mission: Stored[Mission], lesson: str) -> None:
    """Lessons feed the company's memory; an agent's wait there until the CEO has looked at them."""
    await tx.create(
        OrgMemory(
            category="lesson_learned",
            content=lesson[:4000],
            source=author(tx),
            status="active" if tx.caller.in_person else "pending",
        ),
        links=[NewLink("extracted_from", mission)],
    )


async def _wake_dependents(tx: Tx, mission: Stored[Mission]) -> None:
    for link in await tx.links(mission, edge="depends_on"):
        if not link.outward and link.other_type == Mission.type:
            await wake_if_ready(tx, await tx.get(link.other_id, Mission))
