"""Sessions: an agent at work, from what opens one to what it leaves behind."""
