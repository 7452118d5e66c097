"""Skills: what agents can be taught and allowed to do, as folders with a SKILL.md (agentskills.io)."""

__all__ = ("held", "registry", "shipped", "types")
