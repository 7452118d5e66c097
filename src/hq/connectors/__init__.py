"""Other servers' tools behind the same door: declared, pinned, gated, and tainted on the way in."""
