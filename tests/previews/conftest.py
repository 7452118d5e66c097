"""A shop to open."""

from tests.support.firm import firm, own_firm
from tests.support.passable import tmp_path
from tests.support.shop import shop

__all__ = ["firm", "own_firm", "shop", "tmp_path"]
