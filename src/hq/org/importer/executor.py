"""Carries a plan out: in the transaction of the call, so all of it or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from hq.door.tx import Tx
from hq.graph.records import End, Stored
from hq.graph.store import New, NewLink
from hq.org.importer.plan import ImportPlan, ImportStep
from hq.org.seats import leave_seat
from hq.org.types import Organisation, Persona, Position, PositionAssignment, Role

MODELS = {model.type: model for model in (Organisation, Role, Persona, Position, PositionAssignment)}
LINES = ("reports_to", "escalates_to")
"""Between seats, so they are drawn once every seat is there."""
TARGETS = {"in_organisation": Organisation, "has_role": Role, "fills": Position, "held_by": Persona} | dict.fromkeys(
    LINES, Position
)


async def apply(tx: Tx, plan: ImportPlan) -> dict[UUID, Stored[Any]]:
    """Make every step, and say what was made or changed, by id."""
    for displaced in plan.displaced:
        await leave_seat(tx, displaced.holding, "displaced by an import")
    nodes: dict[UUID, Stored[Any]] = {}
    for steps in (plan.roles.values(), [plan.organisation], plan.personas.values(), plan.positions.values()):
        await _carry_out(tx, [step for step in steps if step], nodes)
    await _draw_lines(tx, plan.positions.values(), nodes)
    await _carry_out(tx, plan.assignments, nodes)
    return nodes


async def _carry_out(tx: Tx, steps: Iterable[ImportStep], nodes: dict[UUID, Stored[Any]]) -> None:
    steps = list(steps)
    for made in await tx.create_all([_new(step, nodes) for step in steps if step.node is None]):
        nodes[made.id] = made
    for step in steps:
        if step.node is not None and step.change:
            nodes[step.id] = await _change(tx, step, nodes)


def _new(step: ImportStep, nodes: Mapping[UUID, Stored[Any]]) -> New:
    label = {"label": step.name[:500]} if step.type == PositionAssignment.type else {}
    return New(
        MODELS[step.type].model_validate({**step.props, **label}),
        step.id,
        step.slug.removesuffix(f"-{step.number}") if step.slug else None,
        step.number,
        [NewLink(edge, _end(edge, to, nodes)) for edge, to in step.links.items() if to and edge not in LINES],
    )


async def _change(tx: Tx, step: ImportStep, nodes: Mapping[UUID, Stored[Any]]) -> Stored[Any]:
    assert step.node is not None
    node = await tx.restore(step.node) if step.restored else step.node
    if step.props:
        node = await tx.change(node, step.props)
    await tx.link_all(
        [(node, edge, _end(edge, to, nodes)) for edge, to in step.links.items() if to and edge not in LINES]
    )
    return node


async def _draw_lines(tx: Tx, steps: Iterable[ImportStep], nodes: Mapping[UUID, Stored[Any]]) -> None:
    drawn: list[tuple[End, str, End]] = []
    for step in steps:
        for edge in LINES:
            if step.links.get(edge):
                drawn.append((_end(edge, step.id, nodes), edge, _end(edge, step.links[edge], nodes)))
            elif edge in step.links and step.node is not None:
                await end_line(tx, step.node, edge)
    await tx.link_all(drawn)


async def end_line(tx: Tx, node: Stored[Any], edge: str) -> None:
    """Let it lead nowhere, which is to the founder."""
    target = (await tx.targets([node.id], [edge])).get((node.id, edge))
    if target is not None:
        await tx.unlink(node, edge, await tx.get(target))


def _end(edge: str, target: UUID | None, nodes: Mapping[UUID, Stored[Any]]) -> End:
    assert target is not None
    return nodes.get(target) or End(target, TARGETS[edge].type, str(target))
