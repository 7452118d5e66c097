"""Learning: playbooks, success examples, lessons."""
