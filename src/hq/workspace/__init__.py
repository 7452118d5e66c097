"""Workspaces: directories of missions, their snapshots, and the working trees of sessions."""

__all__ = (
    "directories",
    "lineage",
    "own_tree",
    "owners",
    "preview_tree",
    "project_directory",
    "snapshots",
    "types",
    "untested",
    "verbs",
    "workspace_text",
)
