"""Delegation: an agent gives a part of its mission to another, by one of three rules and never beyond its means."""
