"""A small company at work."""

from tests.support.firm import firm, own_firm, shift
from tests.support.passable import tmp_path

__all__ = ["firm", "own_firm", "shift", "tmp_path"]
