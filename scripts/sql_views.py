"""Write `src/hq/sql/views.sql` from the catalogue; with `--check`, only say whether it is stale."""

from __future__ import annotations

import sys

from hq.app import catalogue
from hq.sql.views import FILE, written


def main(args: list[str]) -> int:
    fresh = written(catalogue())
    known = FILE.read_text("utf-8") if FILE.exists() else ""
    if "--check" in args:
        if fresh != known:
            print("src/hq/sql/views.sql is stale; run `make docs`", file=sys.stderr)
        return int(fresh != known)
    FILE.write_text(fresh, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
