"""A directory that programs of another account reach."""

from tests.support.passable import tmp_path

__all__ = ["tmp_path"]
