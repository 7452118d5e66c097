"""A small company at work."""

from tests.support.firm import firm, own_firm, shift
from tests.support.passable import tmp_path
from tests.support.play import house

__all__ = ["firm", "house", "own_firm", "shift", "tmp_path"]
