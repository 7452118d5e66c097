"""Searching the web through a provider the installation chose, and reading pages as text."""
