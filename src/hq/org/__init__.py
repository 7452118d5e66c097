"""The organisation: roles, positions, personas, objectives."""
