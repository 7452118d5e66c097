"""The organisation: roles, positions, personas, objectives."""

__all__ = (
    "agent",
    "authority",
    "ceo_agent",
    "chart",
    "content",
    "decisions",
    "files",
    "founders",
    "invariants",
    "organisations",
    "owners",
    "personas",
    "positions",
    "prompt",
    "seats",
    "types",
    "yaml_verbs",
)
