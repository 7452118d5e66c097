"""The verbs that belong to no room: the graph as such, the ledger, credentials, the schema."""

__all__ = (
    "credentials",
    "graph",
    "ledger",
    "links",
    "undo",
)
