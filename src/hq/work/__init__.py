"""Work and what it waits for: approvals, proposals, reviews; schedules; tools for models."""
