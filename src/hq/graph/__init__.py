"""Typed nodes and edges with history: what the founder could name. Knows nothing of who may do what."""

__all__ = (
    "catalogue",
    "fault_text",
    "moment",
    "provenance",
    "records",
    "rules",
    "search",
    "sight",
    "slugs",
    "store",
    "types",
    "view",
)
