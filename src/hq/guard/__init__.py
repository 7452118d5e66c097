"""The guard of the company: budgets, freezes, loops and the vault."""
