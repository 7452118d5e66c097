"""Programs in the sandbox, and minds that say what they are told."""

from tests.support.passable import tmp_path
from tests.support.play import play, stage

__all__ = ["play", "stage", "tmp_path"]
