"""A company at work, its programs in the sandbox."""

from tests.support.firm import firm, own_firm, shift
from tests.support.heart import heart
from tests.support.passable import tmp_path

__all__ = ["firm", "heart", "own_firm", "shift", "tmp_path"]
