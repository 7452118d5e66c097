"""The Model Context Protocol: hq's verbs, nodes and prompts for any client that speaks it, over stdio or HTTP."""

__all__ = (
    "door_calls",
    "server",
)
