"""SQL for those who want it: views of one company, read-only, as of any moment."""
