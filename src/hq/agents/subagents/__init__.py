"""Sub-agents: named helpers that an agent starts for one task, each a file of markdown; and the agents of projects."""
