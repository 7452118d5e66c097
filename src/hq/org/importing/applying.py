"""Carries a plan out: in the transaction of the call, so all of it or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from hq.door.tx import Tx
from hq.graph.store import Joined
from hq.graph.stored import End
from hq.org.importing.plan import Plan, Step
from hq.org.types import Organisation, Persona, Position, PositionAssignment, Role

MODELS = {model.type: model for model in (Organisation, Role, Persona, Position, PositionAssignment)}
LATER = ("reports_to", "escalates_to")
TARGETS = {
    "in_organisation": Organisation.type,
    "has_role": Role.type,
    "reports_to": Position.type,
    "escalates_to": Position.type,
    "fills": Position.type,
    "held_by": Persona.type,
}


async def apply(tx: Tx, plan: Plan) -> dict[UUID, Any]:
    """Make every step, and say what there is now, by id."""
    for displaced in plan.displaced:
        await tx.move(displaced.holding.assignment, to="ended", unassigned_at=tx.now, note="displaced by an import")
    nodes: dict[UUID, Any] = {}
    for step in _ordered(plan):
        if step.change:
            nodes[step.id] = await (_make if step.node is None else _change)(tx, step, nodes)
    for step in plan.positions.values():
        await _lead_up(tx, step, nodes)
    return nodes


def _ordered(plan: Plan) -> Iterator[Step]:
    """Managers before those who report to them, so that most lines can be drawn as the seats are made."""
    seats = plan.positions
    depth: dict[UUID, int] = {}

    def deep(id: UUID) -> int:
        path: list[UUID] = []
        at: UUID | None = id
        while at in seats and at not in depth:
            path.append(at)
            at = seats[at].links.get("reports_to")
        base = depth[at] if at in depth else -1
        for above, each in enumerate(reversed(path), 1):
            depth[each] = base + above
        return depth[id]

    yield from (step for step in plan.steps() if step.type not in (Position.type, PositionAssignment.type))
    yield from sorted(seats.values(), key=lambda step: (deep(step.id)))
    yield from plan.assignments


async def _make(tx: Tx, step: Step, nodes: Mapping[UUID, Any]) -> Any:
    model = MODELS[step.type]
    label = {"label": step.name[:500]} if step.type == PositionAssignment.type else {}
    links = [
        Joined(edge, _end(edge, target, nodes))
        for edge, target in step.links.items()
        if target and (edge not in LATER or _there(target, nodes, edge))
    ]
    slug = step.slug.removesuffix(f"-{step.number}") if step.slug else None
    return await tx.create(
        model.model_validate({**step.props, **label}), id=step.id, number=step.number, slug=slug, links=links
    )


def _there(target: UUID, nodes: Mapping[UUID, Any], edge: str) -> bool:
    return edge == "reports_to" and target in nodes


async def _change(tx: Tx, step: Step, nodes: Mapping[UUID, Any]) -> Any:
    assert step.node is not None
    node = await tx.restore(step.node) if step.restored else step.node
    if step.props:
        node = await tx.change(node, step.props)
    for edge, target in step.links.items():
        if target and edge not in LATER:
            await tx.link(node, edge, _end(edge, target, nodes))
    return node


async def _lead_up(tx: Tx, step: Step, nodes: Mapping[UUID, Any]) -> None:
    """The lines that could not be drawn before every seat was there."""
    for edge in LATER:
        if edge not in step.links:
            continue
        target = step.links[edge]
        if target is None:
            await end_line(tx, step.node, edge)
        elif step.node is not None or edge != "reports_to" or not _drawn(step, nodes):
            await tx.link(nodes.get(step.id) or step.node, edge, _end(edge, target, nodes))


def _drawn(step: Step, nodes: Mapping[UUID, Any]) -> bool:
    """Whether a new seat's manager was made in the same import, before it."""
    return step.links["reports_to"] in nodes


async def end_line(tx: Tx, node: Any, edge: str) -> None:
    if node is None:
        return
    target = (await tx.targets([node.id], [edge])).get((node.id, edge))
    if target is not None:
        await tx.unlink(node, edge, await tx.get(target))


def _end(edge: str, target: UUID, nodes: Mapping[UUID, Any]) -> End:
    known = nodes.get(target)
    return known if known is not None else End(target, TARGETS[edge], str(target))
