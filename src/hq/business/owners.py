"""Owners of projects and of what is part of one: everybody's, but to the agent of a project its own alone. And of what somebody
says in their own name: a document, a memo, a decision, an event is its author's. What is known of the world (an entity, a contact,
an engagement, an interaction, a fact) is nobody's word, and kept by whoever was given that."""

from __future__ import annotations

from hq.business.types import Feature, Project
from hq.database.queries import beside
from hq.door.access import Owner, Touch
from hq.door.actor import principal_of
from hq.door.tx import Tx

SQL = beside(__file__)
MAKES = Touch("project", "project", agent="tenant", project="own")
CHANGES = Touch("ref", "part", agent="tenant", project="own")
DOES = Touch("ref", "task", agent="led", operator="tenant")
"""A task is changed by who does it or made it, and by who leads them."""
WORD = Touch("ref", "word", agent="led", beyond="ask")
"""What somebody says in their own name is changed by who said it, and by who leads them; for others the founder is asked."""
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


async def owner_of_word(tx: Tx, ref: str) -> Owner | None:
    """Who wrote it: whoever made it, and whom it names as its author."""
    node = await tx.look_up(ref)
    if node is None:
        return None
    actors = frozenset(await tx.scalars(SQL["actors_of"], {"producer": node.producer_id}, of=str))
    agents = {agent for actor in actors if (agent := principal_of(actor)[1])}
    agents |= {link.other_slug for link in await tx.links(node, edge="authored_by") if link.other_type == "agent"}
    return Owner(node.slug, frozenset(agents), actors, why=f"{node.slug} is another's word")


def _standing_for(tx: Tx, projects: set[str]) -> frozenset[str]:
    """Who calls, where that is the agent of one of these."""
    return frozenset(filter(None, (tx.caller.agent,))) if tx.caller.project in projects else frozenset()
