"""Agents: configuration, sessions, memory bridges, incidents."""
