from __future__ import annotations

import sys
from pathlib import Path

from passable import tmp_path

sys.path.insert(0, str(Path(__file__).parent.parent / "workspace"))
__all__ = ["tmp_path"]
