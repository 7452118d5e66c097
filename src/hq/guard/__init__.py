"""The guard of the company: budgets, freezes, loops and the vault."""

__all__ = (
    "budgets",
    "estimate",
    "forecast",
    "loops",
    "stops",
    "types",
    "vault",
)
