"""Commands on other machines: hosts the founder allowed, their keys pinned, ours from the vault (seed 001 §3.5)."""

__all__ = (
    "client",
    "verbs",
)
