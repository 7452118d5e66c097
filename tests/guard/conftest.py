"""Shipped agents, minds that say what they are told, and a worker that runs sessions on them."""

from tests.support.play import house, play, stage, told
from tests.support.provider import provider, running

__all__ = ["house", "play", "provider", "running", "stage", "told"]
