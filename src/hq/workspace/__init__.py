"""Workspaces: directories of missions, their snapshots, and the working trees of sessions."""
