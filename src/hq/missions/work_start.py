"""The start of work on a mission: a workspace, a session of the agent with its brief; once what it depends on is
done."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from hq.asks.types import Question
from hq.asks.withdrawal import withdraw
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.engine.sessions.trigger import SessionTrigger
from hq.graph.records import NodeLink, Stored
from hq.graph.slugs import slugify
from hq.graph.store import NewLink
from hq.graph.view import EdgeFilter, NodeFilter
from hq.missions.life import IN_HAND
from hq.missions.rows import LiveForRow
from hq.missions.types import Mission
from hq.org.agent import Agent
from hq.sessions.session_start import open_session, working_agent
from hq.workspace.own_tree import unmerged
from hq.workspace.types import Workspace
from hq.workspace.verbs.workspace_verbs import held, inside

SQL = beside(__file__)
RESUME = "mission.resume"
LONGEST = 100
"""Changes of changes that are followed back to the first."""
FINISHED = ("done", "accepted", "shipped", "superseded")
"""States in which something is no longer waited for."""


async def waits_on(tx: Tx, mission: Stored[Mission]) -> list[NodeLink]:
    """What has to be finished before the mission and is not."""
    ahead = [link for link in await tx.links(mission, edge="depends_on") if link.outward]
    if not ahead:
        return []
    found = await tx.find(NodeFilter(ids=[link.other_id for link in ahead], limit=200))
    # On files that another left alone one can go on all the same.
    before = (await tx.targets([mission.id], ["continues"])).get((mission.id, "continues"))
    open_ = {
        node.id for node in found if node.status not in FINISHED and not (node.id == before and node.status == "failed")
    }
    return [link for link in ahead if link.other_id in open_]


async def workspace_of(tx: Tx, mission: Stored[Mission]) -> Stored[Workspace] | None:
    """Its own files, or those of the mission whose work it goes on with."""
    at: UUID | None = mission.id
    for _ in range(LONGEST):
        if at is None:
            return None
        found = await tx.find(NodeFilter(types=[Workspace.type], related=[EdgeFilter("for_mission", at)], limit=1))
        if found:
            return found[0] if found[0].status != "deleted" else None
        at = (await tx.targets([at], ["continues"])).get((at, "continues"))
    return None


async def ensure_workspace(tx: Tx, mission: Stored[Mission]) -> Stored[Workspace]:
    if found := await workspace_of(tx, mission):
        return found
    category = mission.props.category or "general"
    name = slugify(mission.slug, 70)
    path = f"missions/{category}/{name}"
    return await tx.create(
        Workspace(path=path, category=category),
        links=[NewLink("for_mission", mission)],
        slug=f"{name}-files",
        external=("workspace", path),
    )


async def begin_work(
    tx: Tx, mission: Stored[Mission], agent: Stored[Agent], text: str, *, brief: str | None = None
) -> UUID:
    """Open a session of the agent on the mission; its working tree is made once this is committed."""
    await working_agent(tx, agent.slug)
    trigger = SessionTrigger(
        mission=str(mission.id),
        summary=f"mission {mission.slug}",
        about=in_its_words(mission.props),
        text=text,
        sender=tx.caller.actor,
        brief=brief,
    )
    session = await open_session(tx, agent.slug, "mission", trigger)
    await _give_tree(tx, mission, session)
    await _no_longer_left(tx, mission)
    return session


async def _no_longer_left(tx: Tx, mission: Stored[Mission]) -> None:
    """Whether it shall go on is no question any more."""
    related = [EdgeFilter("about", mission.id)]
    for ask in await tx.find(NodeFilter(types=[Question.type], related=related, limit=100)):
        if ask.props.stands == "open" and any(getattr(each, "verb", "") == RESUME for each in ask.props.options):
            await withdraw(tx, ask, "work on it goes on")


async def open_at_work(tx: Tx, agent: str, told: SessionTrigger) -> UUID:
    """Open a session for what was said to an agent: on the mission that it has in hand, at its tree; else by itself."""
    mission = await _in_hand(tx, agent, told.text)
    if mission is None:
        return await open_session(tx, agent, "dm", told)
    session = await open_session(tx, agent, "dm", told.model_copy(update={"mission": str(mission.id)}))
    await _give_tree(tx, mission, session)
    return session


async def meant(tx: Tx, agent: str, text: str) -> UUID | None:
    """Which of what an agent has in hand something said to it is about."""
    found = await _in_hand(tx, agent, text)
    return found.id if found else None


async def _in_hand(tx: Tx, agent: str, text: str) -> Stored[Mission] | None:
    """What the agent has in hand; of several, the one that is named."""
    related = [EdgeFilter("assigned_to", (await tx.get(agent, Agent)).id)]
    found = await tx.find(NodeFilter(types=[Mission.type], related=related, limit=200))
    in_hand = [each for each in found if each.status in IN_HAND]
    named = [each for each in in_hand if re.search(rf"(?<![\w-]){re.escape(each.slug)}(?![\w-])", text)]
    return next(iter(named if len(named) == 1 else in_hand if len(in_hand) == 1 else ()), None)


async def _give_tree(tx: Tx, mission: Stored[Mission], session: UUID) -> None:
    workspace = await ensure_workspace(tx, mission)
    if mission.props.began_with is None and workspace.props.snapshot and (before := await _continued(tx, mission)):
        await tx.change(mission, {"began_with": base_of(before, workspace)})
    tx.follow_ups.append(inside(tx, "workspace.begin", {"ref": str(workspace.id), "session": str(session)}))


async def hand_over(tx: Tx, whole: Stored[Mission]) -> None:
    """What who gives a part away has in its own tree is taken over into the files of the whole, where the part reads it."""
    workspace = await workspace_of(tx, whole)
    if workspace is not None and await unmerged(tx, workspace):
        await tx.inner("workspace.merge", {"ref": str(workspace.id)})


def in_its_words(mission: Mission) -> str:
    """What is to be done, without the house's words around it."""
    return "\n".join(filter(None, (mission.title, mission.description)))


def base_of(before: Stored[Mission], workspace: Stored[Workspace]) -> str:
    """What a mission begins with that goes on with another: what was accepted of that. Whatever else is there by now is among its
    changes, so somebody sees it before it is accepted too."""
    return before.props.brought if before.status == "done" and before.props.brought else held(workspace)


async def _continued(tx: Tx, mission: Stored[Mission]) -> Stored[Mission] | None:
    found = (await tx.targets([mission.id], ["continues"])).get((mission.id, "continues"))
    return await tx.get(found, Mission) if found else None


async def live_sessions(tx: Tx, mission: Stored[Mission]) -> list[Any]:
    return await tx.rows(SQL["live_for"], {"mission": str(mission.id)}, into=LiveForRow)
