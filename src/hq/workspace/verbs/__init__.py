"""What can be done with workspaces."""
