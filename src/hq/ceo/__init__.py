"""The CEO: what it notices, decides and puts before the founder."""
