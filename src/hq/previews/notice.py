"""Notices of a preview's gate: pages by themselves, for nothing of hq is on their address."""

from __future__ import annotations

from html import escape

from starlette.responses import HTMLResponse

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }}
main {{ max-width: 34rem; margin: 18vh auto 0; padding: 0 1.25rem; }}
h1 {{ font-size: 1.4rem; }}
</style>
</head>
<body><main><h1>{title}</h1><p>{says}</p></main></body>
</html>
"""


def notice(status: int, title: str, says: str) -> HTMLResponse:
    """What it says may mark commands with backticks."""
    parts = escape(says).split("`")
    marked = "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))
    headers = {
        "content-security-policy": POLICY,
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }
    return HTMLResponse(PAGE.format(title=escape(title), says=marked), status, headers=headers)
