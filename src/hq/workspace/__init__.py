"""Workspaces: directories of missions, their snapshots, and the working trees of sessions."""

__all__ = (
    "clean_content",
    "directories",
    "empty_test_run",
    "lineage",
    "own_tree",
    "owners",
    "preview_tree",
    "program_run",
    "project_directory",
    "snapshots",
    "types",
    "verbs",
    "workspace_text",
)
