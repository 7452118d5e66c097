"""A heart that beats by hand, and minds that say what they are told."""

from tests.support.heart import heart
from tests.support.play import play, stage
from tests.support.thinking import backlog

__all__ = ["backlog", "heart", "play", "stage"]
