"""Typed nodes and edges with history: what the founder could name. Knows nothing of who may do what."""
