"""Escalation: what an agent cannot resolve goes up, past empty seats, to the founder; the answer comes back and is kept."""
