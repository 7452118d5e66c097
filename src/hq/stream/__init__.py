"""Following: one cursor, one filter, one hub that pushes; whatever somebody follows is a view on it."""
