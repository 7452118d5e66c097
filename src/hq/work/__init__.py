"""Work and what it waits for: missions, briefs, delegation, questions, approvals."""
