"""Where work is done: mission directories, their snapshots, and the sandbox that programs run in."""
