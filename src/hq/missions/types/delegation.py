"""Delegations: one agent giving a part of its brief to another."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Node, Relation


class Delegation(Node):
    """One agent giving a part of its brief to another."""

    type = "delegation"
    title_field = "reason"
    drawn = ("for_mission", "parent_brief", "child_brief", "delegated_to", "requested_by")
    over = ("rejected", "done", "failed")
    moves = {
        "requested": ("approved", "rejected"),
        "approved": ("in_progress", "rejected", "failed"),
        "rejected": ("requested",),
        "in_progress": ("done", "failed"),
        "done": (),
        "failed": ("requested",),
    }
    columns = ("approved_by", "tokens_budget", "tokens_used")
    relations = {
        "parent_brief": Relation("parent_brief", "Brief that is delegated from."),
        "child_brief": Relation("child_brief", "Narrowed brief of the helper."),
        "requesting_agent": Relation("requested_by", "Agent that asks for help."),
        "target_agent": Relation("delegated_to", "Agent that is to help."),
    }

    reason: str = Field(min_length=1)
    """Why help is needed."""
    status: Literal["requested", "approved", "rejected", "in_progress", "done", "failed"] = "requested"
    """How far it has come."""
    approved_by: Literal["ceo", "founder", "commander", "pre_approved", "autonomous"] | None = None
    """Who or which rule let it go ahead; `commander` is the agent that gave the mission."""
    tools: list[str] | None = None
    """The only tools the helper gets; nothing said means what it has of those of who asks."""
    tokens_budget: int | None = Field(default=None, ge=0)
    """Tokens the helper may use."""
    tokens_used: int = Field(default=0, ge=0)
    """Tokens the helper used, said once at the end."""
