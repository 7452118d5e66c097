"""Owners of projects and of what is part of one: everybody's, but to the agent of a project its own alone."""

from __future__ import annotations

from hq.business.types import Feature, Project
from hq.door.access import Owner, Touch
from hq.door.tx import Tx

MAKES = Touch("project", "project", agent="tenant", project="own")
CHANGES = Touch("ref", "part", agent="tenant", project="own")
DOES = Touch("ref", "task", agent="led", operator="tenant")
"""A task is changed by who does it or made it, and by who leads them."""
MOVES = Touch("project", "project", agent="tenant", project="own", optional=True)


async def owner_of_project(tx: Tx, ref: str | None) -> Owner | None:
    """The agent that stands for it."""
    if ref is None:
        return Owner("nobody", why="what you make is this project's; say which in `project`")
    project = await tx.look_up(ref, Project)
    return Owner(project.slug, _standing_for(tx, {project.slug})) if project else None


async def owner_of_part(tx: Tx, ref: str) -> Owner | None:
    """The agents that stand for the projects that a task or a feature is part of, through a feature too."""
    node = await tx.look_up(ref)
    if node is None:
        return None
    near = [link for link in await tx.links(node) if link.type in ("has_task", "has_feature") and not link.outward]
    features = [link.other_id for link in near if link.other_type == Feature.type]
    above = [link for id in features for link in await tx.links(await tx.get(id), edge="has_feature")]
    projects = {link.other_slug for link in (*near, *above) if link.other_type == Project.type and not link.outward}
    return Owner(node.slug, _standing_for(tx, projects), why=f"{node.slug} is not part of this project")


async def owner_of_task(tx: Tx, ref: str) -> Owner | None:
    """Who does it or made it. To the agent of a project, and to a service that was given tasks by name, that says nothing."""
    task = await tx.look_up(ref)
    if task is None:
        return None
    links = [link for link in await tx.links(task) if link.outward and link.type == "driven_by"]
    agents = {link.other_slug for link in links if link.other_type == "agent"}
    made = task.producer_id == tx.caller.producer_id
    shared = tx.caller.project is not None or tx.caller.agent is None
    return Owner(
        task.slug, frozenset(agents), actors=frozenset((tx.caller.speaks_as,)) if made else frozenset(), shared=shared
    )


def _standing_for(tx: Tx, projects: set[str]) -> frozenset[str]:
    """Who calls, where that is the agent of one of these."""
    return frozenset(filter(None, (tx.caller.agent,))) if tx.caller.project in projects else frozenset()
