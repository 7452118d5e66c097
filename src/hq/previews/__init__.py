"""Previews of what a mission made: an app runs in the sandbox, on an address of its own that only its founder gets into."""

__all__ = ("previews", "watch")
