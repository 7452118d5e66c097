"""Minds: providers, chains, scripts, policy."""
