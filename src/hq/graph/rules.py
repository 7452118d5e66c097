"""Rules of a type: values, moves between states, ends of a link. Each refusal says what would be right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from hq.errors import Refused
from hq.graph.fault_text import fault_text, faults
from hq.graph.records import End, Stored
from hq.graph.types import Edge, Node
from hq.json_types import Props

N = TypeVar("N", bound=Node)


def checked(model: type[N], values: Props) -> N:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise invalid(error, model.type) from error


def check_move(model: type[Node], basis: Stored[Any], props: Node, changes: Mapping[str, Any]) -> None:
    if not model.moves or model.state_field not in changes:
        return
    to = getattr(props, model.state_field)
    if not model.may_move(basis.status, to):
        allowed = ", ".join(model.moves.get(basis.status or "", ())) or "nothing: it is final"
        raise Refused.conflict(
            f"{basis.slug} is {basis.status} and cannot become {to}",
            hint=f"from {basis.status} it may become {allowed}",
        )


def check_ends(rule: Edge, source: End, target: End) -> None:
    if rule.joins(source.type, target.type):
        return
    ends = "; ".join(f"{a} → {', '.join(b)}" for a, b in sorted(rule.ends.items()))
    raise Refused.invalid(f"{rule.name} does not join a {source.type} to a {target.type}", hint=f"it joins {ends}")


def edge_props(rule: Edge, props: Mapping[str, Any]) -> Props:
    if rule.props is None:
        if props:
            raise Refused.invalid(f"{rule.name} takes no properties")
        return {}
    try:
        return rule.props.model_validate(dict(props)).model_dump(mode="json")
    except ValidationError as error:
        raise invalid(error, rule.name) from error


def invalid(error: ValidationError, what: str) -> Refused:
    """One sentence that names each field and what is wrong with it."""
    return Refused.invalid(fault_text(error, what), fields=[str(e["loc"][0]) for e in faults(error) if e["loc"]])
