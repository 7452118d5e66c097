"""Agents are files: how an agent's markdown is read, checked and kept."""
