"""The readable text of a page. Run as a program of its own: what parses strangers' pages may crash, or be stopped.

Stands alone on purpose: it is started by path, isolated, without hq, its environment or its file descriptors.
"""

from __future__ import annotations

import json
import resource
import sys

MEMORY = 1 << 30
SECONDS = 20


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    import trafilatura

    page = trafilatura.load_html(sys.stdin.buffer.read())
    if page is None:
        json.dump({"title": "", "text": ""}, sys.stdout)
        return
    about = trafilatura.extract_metadata(page)
    text = trafilatura.extract(page, output_format="markdown", include_links=True, include_tables=True) or ""
    if not text:  # no article in it: all of its words, then
        text = trafilatura.html2txt(page) or ""
    json.dump({"title": (about.title if about else None) or "", "text": text}, sys.stdout)


if __name__ == "__main__":
    main()
