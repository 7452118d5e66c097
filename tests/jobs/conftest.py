"""The shipped agents at work."""

from tests.support.play import house

__all__ = ["house"]
