"""Verbs of workspaces, snapshots, working trees and the sandbox."""

__all__ = (
    "diff_verbs",
    "snapshot_verbs",
    "tree_verbs",
    "workspace_verbs",
)
