"""Requests to servers on the web, and the sites whose credentials the founder lent."""
