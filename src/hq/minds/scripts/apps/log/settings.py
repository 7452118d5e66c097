"""Settings of the log: its name, its fields, its look."""

TITLE = "Log"
KIND = "Kind"  # what an entry is sorted by is called so
KINDS = ("Work", "Travel", "Equipment")  # chosen from a list; () means free text
OTHER = True  # something else than what is on the list may be typed
EXTRA = ()  # further fields of an entry, such as ("Instructor",)
SORT = "newest"  # newest, oldest, cost or hours first
COLOUR = "#1d4ed8"
SIGN_IN = False  # whether it asks for a password
