"""The CEO: the founder's conversation."""
