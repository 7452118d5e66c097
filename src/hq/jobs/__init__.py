"""Jobs: whatever runs by itself, by its trigger and by hand through the same handler."""
