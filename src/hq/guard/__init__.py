"""The guard of the company: freezes, the vault; budgets and the watchdog come to live here."""
