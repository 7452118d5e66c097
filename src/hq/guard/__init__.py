"""What keeps the company safe: freezes, the vault; budgets and the watchdog come to live here."""
