"""The tests, a folder for each room; `stories` cross rooms, `processes` start `hq`, `unit` holds contracts."""
