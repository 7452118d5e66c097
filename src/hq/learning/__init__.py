"""What was learned: playbooks, success examples, lessons."""
