"""A company at work, its programs in the sandbox."""

from tests.support.firm import firm, own_firm, shift
from tests.support.heart import heart
from tests.support.passable import tmp_path
from tests.support.thinking import backlog

__all__ = ["backlog", "firm", "heart", "own_firm", "shift", "tmp_path"]
