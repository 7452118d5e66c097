"""Briefs: everything an agent is given for a mission, put together in eight steps that can each be looked at."""
