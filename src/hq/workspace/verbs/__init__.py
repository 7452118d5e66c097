"""Verbs of workspaces, snapshots, working trees and the sandbox."""
